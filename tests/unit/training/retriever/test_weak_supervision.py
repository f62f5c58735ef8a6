import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graph.store import INVERSE, Entity, RelationPath, WalkRule
from services.retriever.encoder.encoder import Vectors
from tests.fakes.graph import InMemoryGraph
from training.retriever.examples import AnswerOnlyQuestion, GoldPath, MaskedQuestion
from training.retriever.scoring import PathTable, Predictor
from training.retriever.weak_supervision import find_paths, fit_walk_rule_to_answers, reestimate_paths

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


def question_about(text: str, topic: str, *answers: str) -> AnswerOnlyQuestion:
    return AnswerOnlyQuestion(text, Entity(topic, topic), tuple(Entity(answer, answer) for answer in answers))


async def reached(graph: InMemoryGraph, topic: Entity, path: RelationPath, rule: WalkRule) -> set[str]:
    [walk] = await graph.walk([(topic, path)], rule)
    return {answer.entity.name for answer in walk.reached}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        (question_about("where was [MASK] born", "Bob", "Oslo"), ("born_in",)),
        (question_about("who was born in [MASK]", "Oslo", "Bob"), ("^born_in",)),
        (question_about("country of birth of [MASK]", "Bob", "Norway"), ("born_in", "country")),
        (question_about("continent of birth of [MASK]", "Bob", "Europe"), ("born_in", "country", "continent")),
    ],
)
async def test_the_path_between_topic_and_answers_is_found(question: AnswerOnlyQuestion, path: RelationPath) -> None:
    [found] = await find_paths(GRAPH, [question], TRAIL)

    assert found.path == path
    assert found.gold.f1 == 1.0
    assert found.text == question.text


async def test_the_path_that_reaches_the_answers_and_no_others_comes_first() -> None:
    graph = InMemoryGraph(
        [("Ann", "likes", "tea"), ("Ann", "drinks", "tea"), ("Ann", "drinks", "milk"), ("Ann", "drinks", "wine")]
    )

    [found] = await find_paths(graph, [question_about("what does [MASK] like", "Ann", "tea")], TRAIL)

    assert [(gold.relations, gold.f1) for gold in found.candidates] == [
        (("likes",), 1.0),
        (("drinks",), 0.5),
    ]
    assert found.gold == found.candidates[0]


async def test_of_paths_with_equal_f1_the_shortest_comes_first() -> None:
    graph = InMemoryGraph(
        [("Ann", "parent_of", "Cid"), ("Ann", "married_to", "Bob"), ("Bob", "parent_of", "Cid"), ("Dan", "sees", "Bob")]
    )
    # The second question needs two steps, so two are tried for both.
    questions = [
        question_about("child of [MASK]", "Ann", "Cid"),
        question_about("who sees the husband of [MASK]", "Ann", "Dan"),
    ]

    found = await find_paths(graph, questions, TRAIL)

    assert [question.path for question in found] == [("parent_of",), ("married_to", "^sees")]
    assert ("married_to", "parent_of") in {candidate.relations for candidate in found[0].candidates}


@settings(max_examples=60)
@given(rows=_rows, path=st.lists(_steps, min_size=1, max_size=2).map(tuple), is_trail=st.booleans())
def test_candidates_are_all_paths_that_reach_answers_and_the_best_comes_first(
    rows: list[tuple[str, str, str]], path: RelationPath, is_trail: bool
) -> None:
    graph, topic = InMemoryGraph(rows), Entity(rows[0][0], rows[0][0])
    rule = WalkRule("trail" if is_trail else "walk", exclude_topic=True)
    answers = asyncio.run(reached(graph, topic, path, rule))
    assume(answers)

    [found] = asyncio.run(find_paths(graph, [question_about("q", topic.id, *sorted(answers))], rule))

    for candidate in found.candidates:
        ends = asyncio.run(reached(graph, topic, candidate.relations, rule))
        assert candidate.f1 == pytest.approx(2 * len(ends & answers) / (len(ends) + len(answers)))
        beginnings = [(topic, candidate.relations[:length]) for length in range(len(candidate.relations) + 1)]
        assert candidate.allowed == tuple(asyncio.run(graph.steps_after(beginnings)))
    fits = [candidate.f1 for candidate in found.candidates]
    assert fits == sorted(fits, reverse=True)
    # Paths of two steps are not searched if one step explains the answers.
    assert fits[0] == 1.0 if len(path) == 1 else fits[0] >= 0.5
    assert found.gold.f1 == fits[0]


async def test_questions_with_the_same_text_vote_together() -> None:
    ambiguous, telling = (
        question_about("where did [MASK] die", "Ann", "Rome"),
        question_about("where did [MASK] die", "Bob", "Bern"),
    )

    [found] = await find_paths(GRAPH, [ambiguous, telling], TRAIL)

    assert found.path == ("died_in",)
    assert found.count == 2
    assert [(gold.relations, gold.f1) for gold in found.candidates] == [
        (("died_in",), 1.0),
        (("born_in",), 0.5),
    ]


async def test_ties_go_to_the_path_that_fits_most_questions() -> None:
    ambiguous = question_about("place where [MASK] died", "Ann", "Rome")
    others = [question_about("where did [MASK] die", "Bob", "Bern"), question_about("[MASK] died in", "Cid", "Lima")]

    [alone] = await find_paths(GRAPH, [ambiguous], TRAIL)
    settled = await find_paths(GRAPH, [ambiguous, *others], TRAIL)

    assert {candidate.relations for candidate in alone.candidates} == {("born_in",), ("died_in",)}
    assert alone.path == ("born_in",)
    assert [question.path for question in settled] == [("died_in",)] * 3


async def test_frequency_does_not_outweigh_a_better_f1() -> None:
    rows = [(f"p{place}", "drinks", "tea") for place in range(20)]
    graph = InMemoryGraph([*rows, ("Ann", "likes", "tea"), ("Ann", "drinks", "tea"), ("Ann", "drinks", "milk")])
    others = [question_about(f"what does [MASK] drink, {place}", f"p{place}", "tea") for place in range(20)]

    found = await find_paths(graph, [question_about("what does [MASK] like", "Ann", "tea"), *others], TRAIL)

    assert found[0].path == ("likes",)


async def test_questions_without_a_candidate_are_left_out() -> None:
    graph = InMemoryGraph([("Ann", "likes", "tea"), ("Bob", "likes", "milk")])
    questions = [question_about("what does [MASK] like", "Ann", "tea"), question_about("who is [MASK]", "Ann", "Bob")]

    found = await find_paths(graph, questions, TRAIL)

    assert [question.text for question in found] == ["what does [MASK] like"]
    assert await find_paths(graph, [], TRAIL) == []


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
        (question_about("siblings of [MASK]", "Ann", "Bob", "Cid"), TRAIL),
        (question_about("children of [MASK]'s parent", "Ann", "Ann", "Bob", "Cid"), WalkRule("walk", False)),
        (question_about("what borders what borders [MASK]", "France", "France"), WalkRule("trail", False)),
    ],
)
async def test_the_walk_rule_is_the_one_whose_paths_reach_the_answers(
    question: AnswerOnlyQuestion, rule: WalkRule
) -> None:
    assert (await fit_walk_rule_to_answers(FAMILY, [question]))[0] == rule

    [found] = await find_paths(FAMILY, [question], rule)
    assert found.gold.f1 == 1.0


async def test_uninformative_questions_leave_the_first_rule() -> None:
    assert (await fit_walk_rule_to_answers(FAMILY, [question_about("who is [MASK]", "Ann", "France")]))[0] == TRAIL
    assert (await fit_walk_rule_to_answers(FAMILY, [question_about("parent of [MASK]", "Ann", "Zoe")]))[0] == TRAIL


TABLE = PathTable(("born_in", "died_in", "country"), 2)


def preferring(*steps: int) -> Predictor:
    """Return a model that chooses these columns one after the other, for any question."""

    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        logits = np.zeros((len(questions), TABLE.max_hops + 1, TABLE.stop + 1), np.float32)
        for place, step in enumerate(steps):
            logits[:, place, step] = 3.0
        return logits

    return predict


def ambiguous(
    *candidates: tuple[RelationPath, float], allowed: Sequence[str] = ("born_in", "died_in")
) -> MaskedQuestion:
    golds = tuple(GoldPath(path, (frozenset(allowed),) * (len(path) + 1), fit) for path, fit in candidates)
    return MaskedQuestion("q", golds[0], 1, golds)


@pytest.mark.parametrize(("preferred", "path"), [(0, ("born_in",)), (1, ("died_in",))])
def test_of_paths_with_equal_f1_the_model_chooses(preferred: int, path: RelationPath) -> None:
    question = ambiguous((("born_in",), 1.0), (("died_in",), 1.0))

    [chosen] = reestimate_paths([question], TABLE, preferring(preferred, TABLE.stop))

    assert chosen.path == path
    assert chosen.candidates == question.candidates


def test_the_model_chooses_between_stopping_and_going_on() -> None:
    question = ambiguous((("born_in",), 1.0), (("born_in", "country"), 1.0), allowed=("born_in", "country"))

    [short] = reestimate_paths([question], TABLE, preferring(0, TABLE.stop))
    [long] = reestimate_paths([question], TABLE, preferring(0, 2))

    assert (short.path, long.path) == (("born_in",), ("born_in", "country"))


def test_steps_that_are_not_allowed_do_not_count() -> None:
    nowhere, somewhere = frozenset[str](), frozenset({"country"})
    first = frozenset({"born_in", "died_in"})
    candidates = (GoldPath(("died_in",), (first, somewhere)), GoldPath(("born_in",), (first, nowhere)))

    # The model prefers to continue with `country`, which is possible after only one of the two paths.
    [chosen] = reestimate_paths([MaskedQuestion("q", candidates[0], 1, candidates)], TABLE, preferring(TABLE.stop, 2))

    assert chosen.path == ("born_in",)


def test_a_much_better_f1_outweighs_the_model() -> None:
    question = ambiguous((("born_in",), 1.0), (("died_in",), 0.4))

    [chosen] = reestimate_paths([question], TABLE, preferring(1, TABLE.stop))

    assert chosen.path == ("born_in",)


def test_each_question_is_reestimated_separately_and_given_paths_are_kept() -> None:
    given = MaskedQuestion("given", GoldPath(("born_in",), ()), 2)
    one = ambiguous((("born_in",), 1.0), (("died_in",), 1.0))
    other = ambiguous((("born_in",), 1.0), (("died_in",), 0.2))

    found = reestimate_paths([given, one, given, other], TABLE, preferring(1, TABLE.stop))

    assert [question.path for question in found] == [("born_in",), ("died_in",), ("born_in",), ("born_in",)]
    assert found[0] == given
    assert reestimate_paths([], TABLE, preferring(1)) == []
