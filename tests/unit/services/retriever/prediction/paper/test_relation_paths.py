import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.prediction.paper.model import Classifier, PaperModel
from services.retriever.prediction.paper.relation_paths import PaperPathFinder, predict_relation_paths, step_input
from services.retriever.prediction.path_predictor import Asked, Reading
from shared.graph.store import Entity, RelationPath
from tests.fakes.encoder import HashingEncoder
from tests.unit.services.retriever.models import keyword_paper_model, random_paper_model

_STEPS = ("likes", "knows", "^likes", "^knows")
_QUESTION = "who knows them ?"
FRANCE = Entity("France", "France")


def calls(classifier: Classifier) -> list[tuple[str, ...]]:
    assert isinstance(classifier.encoder, HashingEncoder)
    return classifier.encoder.calls


def score(model: PaperModel, path: RelationPath) -> float:
    """The product of the probabilities of its relations, each asked for on its own."""
    product = 1.0
    for place, step in enumerate(path):
        [row] = model.steps.probabilities([step_input(_QUESTION, path[:place])])
        product *= float(row[model.manifest.steps.index(step)])
    return product


def read(model: PaperModel, asked: Sequence[Asked], width: int = 3) -> list[Reading]:
    return asyncio.run(PaperPathFinder(model).read(asked, width))


def test_the_relations_so_far_follow_the_question_in_words() -> None:
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
def test_k_relations_lead_on_from_each_path_which_gives_k_to_the_h(hops: int, beam: int, seed: int) -> None:
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


def test_all_topics_of_a_question_share_one_reading_of_it_unmasked() -> None:
    model = random_paper_model(_STEPS, 2, seed=1)
    asked = [Asked("who knows [MASK] ?", topic, _QUESTION) for topic in (FRANCE, Entity("Spain", "Spain"))]

    found = read(model, asked)

    assert found[0] == found[1]
    assert calls(model.hops) == [(_QUESTION,)]
    assert calls(model.steps)[0] == (_QUESTION,)


@given(max_hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_a_reading_has_paths_of_the_predicted_hop_number_alone_and_no_hop_0(max_hops: int, seed: int) -> None:
    [reading] = read(random_paper_model(_STEPS, max_hops, seed), [Asked("", FRANCE, _QUESTION)])

    assert (reading.none, reading.hops[0], len(reading.hops)) == (0.0, 0.0, max_hops + 1)
    assert {len(path.relations) for path in reading.paths} == {reading.hops.index(max(reading.hops))}


def test_without_a_topic_nothing_is_found() -> None:
    model = random_paper_model(_STEPS, 2, seed=1)

    [reading] = read(model, [Asked(_QUESTION, None, _QUESTION)])

    assert reading.paths == ()
    assert len(reading.hops) == 3
    assert calls(model.steps) == []
