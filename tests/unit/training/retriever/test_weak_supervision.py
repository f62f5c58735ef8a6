import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.retriever.prediction.encoder import Vectors
from shared.graph.store import INVERSE, Entity, RelationPath, WalkRule
from tests.fakes.graph import InMemoryGraph
from training.retriever.examples import GoldPath, MaskedQuestion, Untold
from training.retriever.scoring import PathTable, Predictor
from training.retriever.weak_supervision import estimated, fitting_rule, found_paths

TRAIL = WalkRule("trail", True)
GRAPH = InMemoryGraph(
    [
        ("Ann", "born_in", "Rome"),
        ("Ann", "died_in", "Rome"),
        ("Bob", "born_in", "Oslo"),
        ("Bob", "died_in", "Bern"),
        ("Cid", "born_in", "Kyiv"),
        ("Cid", "died_in", "Lima"),
        ("Rome", "country", "Italy"),
        ("Oslo", "country", "Norway"),
        ("Kyiv", "country", "Ukraine"),
        ("Italy", "continent", "Europe"),
        ("Norway", "continent", "Europe"),
        ("Peru", "continent", "America"),
        ("Bern", "country", "Switzerland"),
        ("Lima", "country", "Peru"),
    ]
)
_RELATIONS = ["likes", "knows"]
_NODES = [f"n{number}" for number in range(4)]
_rows = st.lists(
    st.tuples(st.sampled_from(_NODES), st.sampled_from(_RELATIONS), st.sampled_from(_NODES)), min_size=1, max_size=8
)
_steps = st.sampled_from([*_RELATIONS, *(INVERSE + name for name in _RELATIONS)])


def untold(text: str, topic: str, *answers: str) -> Untold:
    return Untold(text, Entity(topic, topic), tuple(Entity(answer, answer) for answer in answers))


async def reached(graph: InMemoryGraph, topic: Entity, path: RelationPath, rule: WalkRule) -> set[str]:
    [walk] = await graph.walk([(topic, path)], rule)
    return {answer.entity.name for answer in walk.reached}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        (untold("where was [MASK] born", "Bob", "Oslo"), ("born_in",)),
        (untold("who was born in [MASK]", "Oslo", "Bob"), ("^born_in",)),
        (untold("country of birth of [MASK]", "Bob", "Norway"), ("born_in", "country")),
        (untold("continent of birth of [MASK]", "Bob", "Europe"), ("born_in", "country", "continent")),
    ],
)
async def test_the_path_between_topic_and_answers_is_found(question: Untold, path: RelationPath) -> None:
    [found] = await found_paths(GRAPH, [question], TRAIL)

    assert found.path == path
    assert found.gold.fit == 1.0
    assert found.text == question.text


async def test_the_path_that_reaches_the_answers_and_no_others_comes_first() -> None:
    graph = InMemoryGraph(
        [("Ann", "likes", "tea"), ("Ann", "drinks", "tea"), ("Ann", "drinks", "milk"), ("Ann", "drinks", "wine")]
    )

    [found] = await found_paths(graph, [untold("what does [MASK] like", "Ann", "tea")], TRAIL)

    assert [(rival.relations, rival.fit) for rival in found.rivals] == [(("likes",), 1.0), (("drinks",), 0.5)]
    assert found.gold == found.rivals[0]


async def test_of_paths_that_fit_alike_the_shortest_comes_first() -> None:
    graph = InMemoryGraph(
        [("Ann", "parent_of", "Cid"), ("Ann", "married_to", "Bob"), ("Bob", "parent_of", "Cid"), ("Dan", "sees", "Bob")]
    )
    # The other question needs two steps, so that two are tried for both.
    questions = [untold("child of [MASK]", "Ann", "Cid"), untold("who sees the husband of [MASK]", "Ann", "Dan")]

    found = await found_paths(graph, questions, TRAIL)

    assert [question.path for question in found] == [("parent_of",), ("married_to", "^sees")]
    assert ("married_to", "parent_of") in {rival.relations for rival in found[0].rivals}


@settings(max_examples=60)
@given(rows=_rows, path=st.lists(_steps, min_size=1, max_size=2).map(tuple), is_trail=st.booleans())
def test_rivals_are_all_that_fit_and_the_best_comes_first(
    rows: list[tuple[str, str, str]], path: RelationPath, is_trail: bool
) -> None:
    graph, topic = InMemoryGraph(rows), Entity(rows[0][0], rows[0][0])
    rule = WalkRule("trail" if is_trail else "walk", exclude_topic=True)
    answers = asyncio.run(reached(graph, topic, path, rule))
    assume(answers)

    [found] = asyncio.run(found_paths(graph, [untold("q", topic.id, *sorted(answers))], rule))

    for rival in found.rivals:
        ends = asyncio.run(reached(graph, topic, rival.relations, rule))
        assert rival.fit == pytest.approx(2 * len(ends & answers) / (len(ends) + len(answers)))
        beginnings = [(topic, rival.relations[:length]) for length in range(len(rival.relations) + 1)]
        assert rival.allowed == tuple(asyncio.run(graph.steps_after(beginnings)))
    fits = [rival.fit for rival in found.rivals]
    assert fits == sorted(fits, reverse=True)
    # A path of two steps is not looked for where one of one step will do.
    assert fits[0] == 1.0 if len(path) == 1 else fits[0] >= 0.5
    assert found.gold.fit == fits[0]


async def test_questions_that_read_the_same_vote_together() -> None:
    ambiguous, telling = untold("where did [MASK] die", "Ann", "Rome"), untold("where did [MASK] die", "Bob", "Bern")

    [found] = await found_paths(GRAPH, [ambiguous, telling], TRAIL)

    assert found.path == ("died_in",)
    assert found.count == 2
    assert [(rival.relations, rival.fit) for rival in found.rivals] == [(("died_in",), 1.0), (("born_in",), 0.5)]


async def test_what_is_open_is_settled_by_what_all_questions_favour() -> None:
    ambiguous = untold("place where [MASK] died", "Ann", "Rome")
    others = [untold("where did [MASK] die", "Bob", "Bern"), untold("[MASK] died in", "Cid", "Lima")]

    [alone] = await found_paths(GRAPH, [ambiguous], TRAIL)
    settled = await found_paths(GRAPH, [ambiguous, *others], TRAIL)

    assert {rival.relations for rival in alone.rivals} == {("born_in",), ("died_in",)}
    assert alone.path == ("born_in",)
    assert [question.path for question in settled] == [("died_in",)] * 3


async def test_what_all_favour_does_not_outweigh_a_better_fit() -> None:
    rows = [(f"p{place}", "drinks", "tea") for place in range(20)]
    graph = InMemoryGraph([*rows, ("Ann", "likes", "tea"), ("Ann", "drinks", "tea"), ("Ann", "drinks", "milk")])
    others = [untold(f"what does [MASK] drink, {place}", f"p{place}", "tea") for place in range(20)]

    found = await found_paths(graph, [untold("what does [MASK] like", "Ann", "tea"), *others], TRAIL)

    assert found[0].path == ("likes",)


async def test_questions_without_any_path_are_left_out() -> None:
    graph = InMemoryGraph([("Ann", "likes", "tea"), ("Bob", "likes", "milk")])

    found = await found_paths(
        graph, [untold("what does [MASK] like", "Ann", "tea"), untold("who is [MASK]", "Ann", "Bob")], TRAIL
    )

    assert [question.text for question in found] == ["what does [MASK] like"]
    assert await found_paths(graph, [], TRAIL) == []


FAMILY = InMemoryGraph(
    [
        ("Ann", "parent", "Zoe"),
        ("Bob", "parent", "Zoe"),
        ("Cid", "parent", "Zoe"),
        ("France", "borders", "Spain"),
        ("Spain", "borders", "France"),
    ]
)


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        (untold("siblings of [MASK]", "Ann", "Bob", "Cid"), TRAIL),
        (untold("children of [MASK]'s parent", "Ann", "Ann", "Bob", "Cid"), WalkRule("walk", False)),
        (untold("what borders what borders [MASK]", "France", "France"), WalkRule("trail", False)),
    ],
)
async def test_the_walk_rule_is_the_one_whose_paths_reach_the_answers(question: Untold, rule: WalkRule) -> None:
    assert (await fitting_rule(FAMILY, [question]))[0] == rule

    [found] = await found_paths(FAMILY, [question], rule)
    assert found.gold.fit == 1.0


async def test_what_tells_nothing_of_the_rule_leaves_the_first() -> None:
    assert (await fitting_rule(FAMILY, [untold("who is [MASK]", "Ann", "France")]))[0] == TRAIL
    assert (await fitting_rule(FAMILY, [untold("parent of [MASK]", "Ann", "Zoe")]))[0] == TRAIL


TABLE = PathTable(("born_in", "died_in", "country"), 2)


def preferring(*steps: int) -> Predictor:
    """A model that takes these columns one after the other, whatever it is asked."""

    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        logits = np.zeros((len(questions), TABLE.max_hops + 1, TABLE.stop + 1), np.float32)
        for place, step in enumerate(steps):
            logits[:, place, step] = 3.0
        return logits

    return predict


def ambiguous(*rivals: tuple[RelationPath, float], allowed: Sequence[str] = ("born_in", "died_in")) -> MaskedQuestion:
    golds = tuple(GoldPath(path, (frozenset(allowed),) * (len(path) + 1), fit) for path, fit in rivals)
    return MaskedQuestion("q", golds[0], 1, golds)


@pytest.mark.parametrize(("preferred", "path"), [(0, ("born_in",)), (1, ("died_in",))])
def test_of_paths_that_fit_alike_the_model_chooses(preferred: int, path: RelationPath) -> None:
    question = ambiguous((("born_in",), 1.0), (("died_in",), 1.0))

    [chosen] = estimated([question], TABLE, preferring(preferred, TABLE.stop))

    assert chosen.path == path
    assert chosen.rivals == question.rivals


def test_the_model_chooses_between_stopping_and_going_on() -> None:
    question = ambiguous((("born_in",), 1.0), (("born_in", "country"), 1.0), allowed=("born_in", "country"))

    [short] = estimated([question], TABLE, preferring(0, TABLE.stop))
    [long] = estimated([question], TABLE, preferring(0, 2))

    assert (short.path, long.path) == (("born_in",), ("born_in", "country"))


def test_what_the_graph_lacks_there_does_not_count() -> None:
    nowhere, somewhere = frozenset[str](), frozenset({"country"})
    first = frozenset({"born_in", "died_in"})
    rivals = (GoldPath(("died_in",), (first, somewhere)), GoldPath(("born_in",), (first, nowhere)))

    # The model would rather go on by `country`, which is possible after one of the two paths alone.
    [chosen] = estimated([MaskedQuestion("q", rivals[0], 1, rivals)], TABLE, preferring(TABLE.stop, 2))

    assert chosen.path == ("born_in",)


def test_a_much_better_fit_outweighs_what_the_model_makes_of_it() -> None:
    question = ambiguous((("born_in",), 1.0), (("died_in",), 0.4))

    [chosen] = estimated([question], TABLE, preferring(1, TABLE.stop))

    assert chosen.path == ("born_in",)


def test_each_question_is_estimated_by_itself_and_told_ones_stay() -> None:
    told = MaskedQuestion("told", GoldPath(("born_in",), ()), 2)
    one = ambiguous((("born_in",), 1.0), (("died_in",), 1.0))
    other = ambiguous((("born_in",), 1.0), (("died_in",), 0.2))

    found = estimated([told, one, told, other], TABLE, preferring(1, TABLE.stop))

    assert [question.path for question in found] == [("born_in",), ("died_in",), ("born_in",), ("born_in",)]
    assert found[0] == told
    assert estimated([], TABLE, preferring(1)) == []
