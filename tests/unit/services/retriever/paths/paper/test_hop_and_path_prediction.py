import asyncio
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.store import Entity, RelationPath
from services.retriever.paths.paper.hop_and_path_prediction import (
    PaperPathPredictor,
    hop_number,
    hop_probabilities,
    predict_relation_paths,
    step_input,
)
from services.retriever.paths.paper.model import Classifier, PaperModel
from services.retriever.paths.path_predictor import PathPrediction, PathQuery
from tests.fakes.encoder import HashingEncoder
from tests.unit.services.retriever.models import keyword_paper_model, random_paper_model

_STEPS = ("likes", "knows", "^likes", "^knows")
_QUESTION = "who knows them ?"
FRANCE = Entity("France", "France")


def calls(classifier: Classifier) -> list[tuple[str, ...]]:
    assert isinstance(classifier.encoder, HashingEncoder)
    return classifier.encoder.calls


def score(model: PaperModel, path: RelationPath) -> float:
    """Return the product of the probabilities of the path's relations, each computed separately."""
    product = 1.0
    for place, step in enumerate(path):
        [row] = model.steps.probabilities([step_input(_QUESTION, path[:place])])
        product *= float(row[model.manifest.steps.index(step)])
    return product


def predict(model: PaperModel, *queries: PathQuery) -> list[PathPrediction]:
    return asyncio.run(PaperPathPredictor(model).predict(queries, beam_width=3))


@given(question=st.text(), max_hops=st.integers(1, 4), seed=st.integers(0, 1000))
def test_hop_probabilities_sum_to_1_for_any_question(question: str, max_hops: int, seed: int) -> None:
    probabilities = hop_probabilities(random_paper_model(("r",), max_hops, seed), question)

    assert probabilities.shape == (max_hops,)
    assert probabilities.min() >= 0.0
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-5)


def test_the_most_probable_hop_number_is_taken() -> None:
    model = keyword_paper_model(("r",), {"capital": (1, 5.0), "neighbours": (3, 9.0)}, {})

    numbers = [
        hop_number(hop_probabilities(model, question)) for question in ("capital of x", "capital of the neighbours")
    ]

    assert numbers == [1, 3]
    assert hop_number(np.array([0.2, 0.5, 0.3], np.float32)) == 2


def test_a_step_input_appends_the_relations_so_far_as_words() -> None:
    assert step_input("q?", ()) == "q?"
    assert step_input("q?", ("directed_by", "^starred_actors")) == "q?|directed by|inverse of starred actors"


@given(hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_a_beam_as_wide_as_the_relations_finds_every_path_with_its_score(hops: int, seed: int) -> None:
    model = random_paper_model(_STEPS, hops, seed)

    found = predict_relation_paths(model, _QUESTION, hops, len(_STEPS))

    expected = {path: score(model, path) for path in itertools.product(_STEPS, repeat=hops)}
    assert {path.relations: path.score for path in found} == pytest.approx(expected, rel=1e-4)
    assert sum(path.score for path in found) == pytest.approx(1.0, rel=1e-4)


@given(hops=st.integers(1, 3), beam=st.integers(1, 6), seed=st.integers(0, 1000))
def test_each_path_is_extended_by_k_relations_which_gives_k_to_the_h_paths(hops: int, beam: int, seed: int) -> None:
    model = random_paper_model(_STEPS, hops, seed)
    kept = min(beam, len(_STEPS))

    found = predict_relation_paths(model, _QUESTION, hops, beam)

    assert [len(texts) for texts in calls(model.steps)] == [kept**step for step in range(hops)]
    assert len({path.relations for path in found}) == len(found) == kept**hops
    for length in range(1, hops + 1):
        prefixes = {path.relations[:length] for path in found}
        assert set(Counter(prefix[:-1] for prefix in prefixes).values()) == {kept}
    assert [path.score for path in found] == sorted((path.score for path in found), reverse=True)


def test_a_step_depends_on_the_path_before_it() -> None:
    model = keyword_paper_model(
        ("borders", "capital"),
        {"neighbours": (2, 5.0)},
        {"neighbours": ("borders", 9.0), "them|borders": ("capital", 19.0)},
    )

    [best, *_] = predict_relation_paths(model, "neighbours of them", 2, 2)

    assert best.relations == ("borders", "capital")
    assert calls(model.steps)[1] == ("neighbours of them|borders", "neighbours of them|capital")


def test_all_topics_of_a_question_share_one_prediction_on_the_unmasked_question() -> None:
    model = random_paper_model(_STEPS, 2, seed=1)
    queries = [PathQuery("who knows [MASK] ?", topic, _QUESTION) for topic in (FRANCE, Entity("Spain", "Spain"))]

    found = predict(model, *queries)

    assert found[0] == found[1]
    assert calls(model.hops) == [(_QUESTION,)]
    assert calls(model.steps)[0] == (_QUESTION,)


@given(max_hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_a_prediction_has_paths_of_the_predicted_hop_number_only_and_no_hop_0(max_hops: int, seed: int) -> None:
    [prediction] = predict(random_paper_model(_STEPS, max_hops, seed), PathQuery("", FRANCE, _QUESTION))

    hops = prediction.hop_probabilities
    assert (prediction.unanswerable, hops[0], len(hops)) == (0.0, 0.0, max_hops + 1)
    assert {len(path.relations) for path in prediction.paths} == {hops.index(max(hops))}


def test_without_a_topic_nothing_is_found() -> None:
    model = random_paper_model(_STEPS, 2, seed=1)

    [prediction] = predict(model, PathQuery(_QUESTION, None, _QUESTION))

    assert prediction.paths == ()
    assert len(prediction.hop_probabilities) == 3
    assert calls(model.steps) == []
