import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.store import RelationPath
from services.retriever.linking.masking import MASK
from tests.fakes.graph import InMemoryGraph
from training.retriever import synthetic_questions
from training.retriever.examples import MaskedQuestion
from training.retriever.synthetic_questions import generate_questions

ROWS = [
    ("Alien", "directed_by", "Scott"),
    ("Alien", "starred_actors", "Weaver"),
    ("Alien", "has_genre", "Horror"),
    ("Avatar", "starred_actors", "Weaver"),
    ("Scott", "born_in", "South Shields"),
    ("Weaver", "born_in", "New York"),
    ("New York", "country", "USA"),
    ("USA", "capital", "Washington"),
]
GRAPH = InMemoryGraph(ROWS)
_RELATIONS = ["likes", "founded_by", "lives_in"]
_ends = st.sampled_from([f"n{number}" for number in range(4)])
_rows = st.lists(st.tuples(_ends, st.sampled_from(_RELATIONS), _ends), min_size=1, max_size=8)


Chain = tuple[frozenset[str], ...]


async def chains(graph: InMemoryGraph) -> set[tuple[RelationPath, Chain]]:
    """Return every path of up to two steps from every entity with the allowed steps along it, one by one."""
    found: set[tuple[RelationPath, Chain]] = set()
    for topic in await graph.sample_entities(1000):
        [around] = await graph.steps_after([(topic, ())])
        found.add(((), (around,)))
        for first in around:
            [after] = await graph.steps_after([(topic, (first,))])
            found.add(((first,), (around, after)))
            for second in after:
                [last] = await graph.steps_after([(topic, (first, second))])
                found.add(((first, second), (around, after, last)))
    return found


def paths_of(questions: Sequence[MaskedQuestion]) -> set[RelationPath]:
    return {question.path for question in questions if question.path}


def unanswerable(questions: Sequence[MaskedQuestion]) -> list[MaskedQuestion]:
    return [question for question in questions if not question.path]


async def test_every_path_of_the_graph_is_asked_about() -> None:
    questions = await generate_questions(GRAPH, seed=1)

    assert paths_of(questions) == {path for path, _ in await chains(GRAPH) if path}


@settings(max_examples=40)
@given(rows=_rows, seed=st.integers(0, 1000))
def test_questions_have_one_mask_and_paths_of_the_graph(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph = InMemoryGraph(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthetic_questions, "_SECOND_STEPS", 100)
        patch.setattr(synthetic_questions, "_MAX_PER_PATH", 10)
        questions = asyncio.run(generate_questions(graph, seed))

    known = asyncio.run(chains(graph))
    assert paths_of(questions) == {path for path, _ in known if path}
    for question in questions:
        assert question.text.count(MASK) == 1
        assert "{" not in question.text
        assert (question.path, question.gold.allowed) in known


async def test_paths_are_asked_about_equally_often() -> None:
    questions = await generate_questions(GRAPH, seed=1)

    counts = [sum(question.path == path for question in questions) for path in paths_of(questions)]
    assert min(counts) >= 5
    assert max(counts) <= 150


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_some_questions_cannot_be_answered_about_their_topic(seed: int) -> None:
    questions = await generate_questions(GRAPH, seed)
    meant: dict[str, set[RelationPath]] = {}
    for question in questions:
        if question.path:
            meant.setdefault(question.text, set()).add(question.path)

    found = unanswerable(questions)

    assert 0 < len(found) < 0.05 * len(questions)
    for question in found:
        assert question.topic_steps
        assert all(path[0] not in question.topic_steps for path in meant[question.text])


async def test_the_seed_determines_the_questions() -> None:
    one, same, other = [await generate_questions(GRAPH, seed) for seed in (1, 1, 2)]

    assert one == same
    assert one != other


async def test_no_question_occurs_twice() -> None:
    answerable = [question for question in await generate_questions(GRAPH, seed=1) if question.path]

    asked = [(question.text, question.path, question.topic_steps) for question in answerable]
    assert len(set(asked)) == len(asked)


async def test_if_paths_are_too_many_all_single_steps_are_kept() -> None:
    questions = await generate_questions(GRAPH, seed=1, most=80)

    existing = {path for path, _ in await chains(GRAPH) if path}
    asked = paths_of(questions)
    assert {path for path in existing if len(path) == 1} <= asked < existing
    assert any(len(path) == 2 for path in asked)
    assert len(questions) <= 80 * 1.05


async def test_a_rare_kind_is_asked_about_too() -> None:
    ordinary = [(f"town {number}", "country", "USA") for number in range(60)]
    graph = InMemoryGraph([*ordinary, ("Oslo", "twinned_with", "Madison")])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthetic_questions, "_MAX_TOPICS", 10)
        questions = await generate_questions(graph, seed=1)

    assert ("twinned_with",) in paths_of(questions)
