import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.store import INVERSE, Entity, RelationPath
from services.retriever.paths import beam
from services.retriever.paths.beam import BeamPathPredictor
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.path_predictor import PathPrediction, PathQuery
from services.retriever.paths.relation_scorer import softmax
from tests.fakes.encoder import HashingEncoder
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import STOP, keyword_model, random_model

_NODES = [f"n{number}" for number in range(4)]
_RELATIONS = ["likes", "knows"]
_STEPS = (*_RELATIONS, *(INVERSE + name for name in _RELATIONS))
_rows = st.lists(
    st.tuples(st.sampled_from(_NODES), st.sampled_from(_RELATIONS), st.sampled_from(_NODES)), min_size=1, max_size=8
)


def about(text: str, topic: Entity | None) -> PathQuery:
    return PathQuery(text, topic, question=text)


FRANCE = about("capital of [MASK]", Entity("France", "France"))
GRAPH = InMemoryGraph(
    [
        ("France", "borders", "Spain"),
        ("France", "capital", "Paris"),
        ("Spain", "capital", "Madrid"),
        ("Paris", "population", "2100000"),
    ]
)


async def exhaustive(graph: InMemoryGraph, model: RetrieverModel, query: PathQuery) -> dict[RelationPath, float]:
    """Return every existing path with its probability, each scored separately from the start."""
    assert query.topic is not None
    found: dict[RelationPath, float] = {}
    unfinished: list[RelationPath] = [()]
    while unfinished:
        path = unfinished.pop()
        [allowed] = await graph.steps_after([(query.topic, path)])
        taken, stopped = score(model, query, await steps_around(graph, query), path)
        if path:
            found[path] = taken if len(path) == model.manifest.max_hops else taken * stopped
        if len(path) < model.manifest.max_hops:
            unfinished += [(*path, step) for step in sorted(allowed)]
    return found


async def steps_around(graph: InMemoryGraph, query: PathQuery) -> frozenset[str]:
    assert query.topic is not None
    [steps] = await graph.steps_after([(query.topic, ())])
    return steps


def score(
    model: RetrieverModel, query: PathQuery, topic_steps: frozenset[str], path: RelationPath
) -> tuple[float, float]:
    """Return the product of the path's step probabilities, and the probability of stopping after it."""
    steps = model.manifest.steps
    question = model.scorer.prepare(model.encoder.encode([query.masked_question]))
    state = model.scorer.initial_states(question, np.array([[step in topic_steps for step in steps]], dtype=np.float32))
    product = 1.0
    for step in path:
        product *= float(softmax(model.scorer.logits(question, [0], state))[0, steps.index(step)])
        state = model.scorer.advance(state, [steps.index(step)])
    return product, float(softmax(model.scorer.logits(question, [0], state))[0, -1])


def predict(
    graph: InMemoryGraph, model: RetrieverModel, queries: Sequence[PathQuery], beam_width: int = 3
) -> list[PathPrediction]:
    return asyncio.run(BeamPathPredictor(graph, model).predict(queries, beam_width))


@settings(max_examples=60, deadline=None)
@given(
    rows=_rows,
    hops=st.integers(1, 3),
    seed=st.integers(0, 1000),
    texts=st.lists(st.sampled_from(["a b", "c", "who is [MASK]"]), min_size=1, max_size=3),
)
def test_a_wide_beam_finds_the_paths_of_exhaustive_search(
    rows: list[tuple[str, str, str]], hops: int, seed: int, texts: list[str]
) -> None:
    graph, model = InMemoryGraph(rows), random_model(_STEPS, hops, seed)
    queries = [about(text, Entity(rows[0][0], rows[0][0])) for text in texts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "MIN_RELATIVE_SCORE", 0.0)
        found = predict(graph, model, queries, beam_width=10_000)

    for query, prediction in zip(queries, found, strict=True):
        expected = {p: s for p, s in asyncio.run(exhaustive(graph, model, query)).items() if s > 0}
        assert {path.relations: path.score for path in prediction.paths} == pytest.approx(expected, rel=1e-3)
        assert [path.score for path in prediction.paths] == sorted((p.score for p in prediction.paths), reverse=True)


@settings(max_examples=60, deadline=None)
@given(rows=_rows, width=st.integers(1, 3), hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_a_narrow_beam_keeps_existing_paths_only_and_no_more_than_its_width(
    rows: list[tuple[str, str, str]], width: int, hops: int, seed: int
) -> None:
    graph, model = InMemoryGraph(rows), random_model(_STEPS, hops, seed)
    topic = Entity(rows[0][2], rows[0][2])

    [prediction] = predict(graph, model, [about("who knows [MASK]", topic)], width)

    for path in prediction.paths:
        for length, step in enumerate(path.relations):
            [allowed] = asyncio.run(graph.steps_after([(topic, path.relations[:length])]))
            assert step in allowed
    assert all(sum(len(p.relations) == length for p in prediction.paths) <= width for length in range(1, hops + 1))
    assert sum(prediction.hop_probabilities) == pytest.approx(1.0)
    assert 0 <= prediction.unanswerable <= 1


def test_a_question_is_encoded_once_for_all_hops_and_topics() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0), "of": ("population", 9.0)})
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)

    found = predict(GRAPH, model, [FRANCE, about(FRANCE.masked_question, Entity("Spain", "Spain"))])

    assert encoder.calls == [(FRANCE.masked_question,)]
    assert found[0].paths[0].relations == ("capital", "population")
    assert found[1].paths[0].relations == ("capital",)


def test_a_step_that_the_topic_lacks_is_not_taken_and_lowers_the_score() -> None:
    model = keyword_model(("capital", "population"), {"inhabitants": ("population", 8.0)})

    [prediction] = predict(GRAPH, model, [about("inhabitants of [MASK]", Entity("Spain", "Spain"))])

    assert [path.relations for path in prediction.paths] == [("capital",)]
    assert prediction.paths[0].score < 0.01
    assert prediction.unanswerable < 0.2


def test_stopping_before_the_first_step_means_unanswerable() -> None:
    model = keyword_model(("capital", "borders"), {"capital": ("capital", 9.0), "weather": (STOP, 9.0)})

    [weather, capital] = predict(GRAPH, model, [about("weather in [MASK]", FRANCE.topic), FRANCE])

    assert weather.hop_probabilities.index(max(weather.hop_probabilities)) == 0
    assert weather.unanswerable > 0.99
    assert capital.hop_probabilities.index(max(capital.hop_probabilities)) == 1


def test_without_a_topic_nothing_is_found() -> None:
    model = keyword_model(("capital",), {"capital": ("capital", 9.0)})

    [prediction] = predict(GRAPH, model, [about("capital of Atlantis", None)])

    assert prediction.paths == ()
    assert len(prediction.hop_probabilities) == 3


def test_first_step_probabilities_come_with_ambiguous_queries_only() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0)})
    other = PathQuery(FRANCE.masked_question, Entity("Madrid", "Madrid"), FRANCE.question, is_ambiguous=True)

    [alone] = predict(GRAPH, model, [FRANCE])
    [beside, doubtful] = predict(GRAPH, model, [FRANCE, other])

    assert alone.first_step_probabilities == beside.first_step_probabilities == {}
    assert [path.relations for path in beside.paths] == [path.relations for path in alone.paths]
    assert doubtful.first_step_probabilities["capital"] > 0.9
    assert doubtful.coverage < 0.1


def test_the_token_vectors_of_earlier_questions_are_cached() -> None:
    model = keyword_model(("capital", "population"), {"capital": ("capital", 9.0), "of": ("population", 9.0)})
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)
    predictor, other = BeamPathPredictor(GRAPH, model), about("population of [MASK]", Entity("Spain", "Spain"))

    first = asyncio.run(predictor.predict([FRANCE], beam_width=3))
    again = asyncio.run(predictor.predict([FRANCE, other], beam_width=3))

    assert encoder.calls == [(FRANCE.masked_question,), (other.masked_question,)]
    assert again[0] == first[0]
