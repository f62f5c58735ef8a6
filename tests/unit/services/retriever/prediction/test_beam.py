import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retriever.prediction import beam
from services.retriever.prediction.beam import PathFinder
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.path_predictor import Asked, Reading
from services.retriever.prediction.relation_scorer import softmax
from shared.graph.store import INVERSE, Entity, RelationPath
from tests.fakes.encoder import HashingEncoder
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import STOP, keyword_model, random_model

_NODES = [f"n{number}" for number in range(4)]
_RELATIONS = ["likes", "knows"]
_STEPS = (*_RELATIONS, *(INVERSE + name for name in _RELATIONS))
_rows = st.lists(
    st.tuples(st.sampled_from(_NODES), st.sampled_from(_RELATIONS), st.sampled_from(_NODES)), min_size=1, max_size=8
)


def about(text: str, topic: Entity | None) -> Asked:
    return Asked(text, topic, question=text)


FRANCE = about("capital of [MASK]", Entity("France", "France"))
GRAPH = InMemoryGraph(
    [
        ("France", "borders", "Spain"),
        ("France", "capital", "Paris"),
        ("Spain", "capital", "Madrid"),
        ("Paris", "population", "2100000"),
    ]
)


async def exhaustive(graph: InMemoryGraph, model: RetrieverModel, asked: Asked) -> dict[RelationPath, float]:
    """Every path that exists with its probability, each scored on its own from the start."""
    assert asked.topic is not None
    found: dict[RelationPath, float] = {}
    unfinished: list[RelationPath] = [()]
    while unfinished:
        path = unfinished.pop()
        [allowed] = await graph.steps_after([(asked.topic, path)])
        taken, stopped = score(model, asked, await around(graph, asked, path), path)
        if path:
            found[path] = taken if len(path) == model.manifest.max_hops else taken * stopped
        if len(path) < model.manifest.max_hops:
            unfinished += [(*path, step) for step in sorted(allowed)]
    return found


async def around(graph: InMemoryGraph, asked: Asked, path: RelationPath) -> frozenset[str]:
    assert asked.topic is not None
    [steps] = await graph.steps_after([(asked.topic, ())])
    return steps


def score(model: RetrieverModel, asked: Asked, around: frozenset[str], path: RelationPath) -> tuple[float, float]:
    """The product of the path's step probabilities, and the probability of stopping after it."""
    steps = model.manifest.steps
    read = model.scorer.read(model.encoder.encode([asked.text]))
    state = model.scorer.start(read, np.array([[step in around for step in steps]], dtype=np.float32))
    product = 1.0
    for step in path:
        product *= float(softmax(model.scorer.logits(read, [0], state))[0, steps.index(step)])
        state = model.scorer.advance(state, [steps.index(step)])
    return product, float(softmax(model.scorer.logits(read, [0], state))[0, -1])


def read(graph: InMemoryGraph, model: RetrieverModel, asked: Sequence[Asked], width: int) -> list[Reading]:
    return asyncio.run(PathFinder(graph, model).read(asked, width))


@settings(max_examples=60, deadline=None)
@given(
    rows=_rows,
    hops=st.integers(1, 3),
    seed=st.integers(0, 1000),
    texts=st.lists(st.sampled_from(["a b", "c", "who is [MASK]"]), min_size=1, max_size=3),
)
def test_a_wide_beam_finds_what_exhaustive_search_finds(
    rows: list[tuple[str, str, str]], hops: int, seed: int, texts: list[str]
) -> None:
    graph, model = InMemoryGraph(rows), random_model(_STEPS, hops, seed)
    asked = [about(text, Entity(rows[0][0], rows[0][0])) for text in texts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "MIN_SHARE", 0.0)
        found = read(graph, model, asked, width=10_000)

    for question, reading in zip(asked, found, strict=True):
        expected = {p: s for p, s in asyncio.run(exhaustive(graph, model, question)).items() if s > 0}
        assert {path.relations: path.score for path in reading.paths} == pytest.approx(expected, rel=1e-3)
        assert [path.score for path in reading.paths] == sorted((p.score for p in reading.paths), reverse=True)


@settings(max_examples=60, deadline=None)
@given(rows=_rows, width=st.integers(1, 3), hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_every_path_of_a_narrow_beam_exists_and_no_step_keeps_more_than_its_width(
    rows: list[tuple[str, str, str]], width: int, hops: int, seed: int
) -> None:
    graph, model = InMemoryGraph(rows), random_model(_STEPS, hops, seed)
    topic = Entity(rows[0][2], rows[0][2])

    [reading] = read(graph, model, [about("who knows [MASK]", topic)], width)

    for path in reading.paths:
        for length, step in enumerate(path.relations):
            [allowed] = asyncio.run(graph.steps_after([(topic, path.relations[:length])]))
            assert step in allowed
    assert all(sum(len(p.relations) == length for p in reading.paths) <= width for length in range(1, hops + 1))
    assert sum(reading.hops) == pytest.approx(1.0)
    assert 0 <= reading.none <= 1


def test_the_question_is_encoded_once_whatever_its_hops_and_topics_are() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0), "of": ("population", 9.0)})
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)

    found = read(GRAPH, model, [FRANCE, about(FRANCE.text, Entity("Spain", "Spain"))], width=3)

    assert encoder.calls == [(FRANCE.text,)]
    assert found[0].paths[0].relations == ("capital", "population")
    assert found[1].paths[0].relations == ("capital",)


def test_a_step_that_the_topic_lacks_is_not_taken_and_its_probability_is_lost() -> None:
    model = keyword_model(("capital", "population"), {"inhabitants": ("population", 8.0)})

    [reading] = read(GRAPH, model, [about("inhabitants of [MASK]", Entity("Spain", "Spain"))], width=3)

    assert [path.relations for path in reading.paths] == [("capital",)]
    assert reading.paths[0].score < 0.01
    assert reading.none < 0.2


def test_stopping_at_once_means_that_the_graph_cannot_answer() -> None:
    model = keyword_model(("capital", "borders"), {"capital": ("capital", 9.0), "weather": (STOP, 9.0)})

    [weather, capital] = read(GRAPH, model, [about("weather in [MASK]", FRANCE.topic), FRANCE], width=3)

    assert weather.hops.index(max(weather.hops)) == 0
    assert weather.none > 0.99
    assert capital.hops.index(max(capital.hops)) == 1


def test_without_a_topic_nothing_is_found() -> None:
    model = keyword_model(("capital",), {"capital": ("capital", 9.0)})

    [reading] = read(GRAPH, model, [about("capital of Atlantis", None)], width=3)

    assert reading.paths == ()
    assert len(reading.hops) == 3


def test_first_steps_are_told_where_another_topic_may_be_meant_whoever_else_asks() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0)})
    other = Asked(FRANCE.text, Entity("Madrid", "Madrid"), FRANCE.question, among_others=True)

    [alone] = read(GRAPH, model, [FRANCE], width=3)
    [beside, doubtful] = read(GRAPH, model, [FRANCE, other], width=3)

    assert alone.first_steps == beside.first_steps == {}
    assert [path.relations for path in beside.paths] == [path.relations for path in alone.paths]
    assert doubtful.first_steps["capital"] > 0.9
    assert doubtful.found < 0.1


def test_a_question_that_was_asked_before_is_not_encoded_again() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0), "of": ("population", 9.0)})
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)
    finder, other = PathFinder(GRAPH, model), about("population of [MASK]", Entity("Spain", "Spain"))

    first = asyncio.run(finder.read([FRANCE], width=3))
    again = asyncio.run(finder.read([FRANCE, other], width=3))

    assert encoder.calls == [(FRANCE.text,), (other.text,)]
    assert again[0] == first[0]
