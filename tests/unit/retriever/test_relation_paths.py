import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retriever.model import Query, RetrieverModel
from services.retriever.relation_paths import predict_relation_paths, step_input
from shared.graph.store import RelationPath
from tests.fakes.encoder import HashingEncoder
from tests.unit.retriever.models import keyword_model, random_model


def query(model: RetrieverModel, text: str = "who knows [MASK] ?") -> Query:
    """A question about a topic that has every step."""
    return Query(text, frozenset(model.steps))


def score(model: RetrieverModel, question: Query, path: RelationPath) -> float:
    """RRA eq. 15, one encoder call a step."""
    probabilities = [
        float(
            model.step_probabilities(
                model.encode([Query(step_input(question.text, path[:step]), question.topic_steps)])
            )[0, model.steps.index(path[step])]
        )
        for step in range(len(path))
    ]
    return math.prod(probabilities)


@settings(max_examples=40, deadline=None)
@given(
    relations=st.integers(1, 4),
    hops=st.integers(1, 3),
    seed=st.integers(0, 1000),
    texts=st.lists(st.sampled_from(["a b", "c", "who is [MASK]"]), min_size=1, max_size=3, unique=True),
)
def test_a_beam_as_wide_as_the_relations_finds_every_path_with_its_score(
    relations: int, hops: int, seed: int, texts: list[str]
) -> None:
    model = random_model(relations, hops, seed)
    questions = [query(model, text) for text in texts]
    vectors = model.encode(questions)

    found = predict_relation_paths(
        model, questions, vectors, [frozenset({hops})] * len(questions), beam=relations, min_share=0.0
    )

    for question, paths in zip(questions, found, strict=True):
        expected = {path: score(model, question, path) for path in product(model.steps, repeat=hops)}
        assert {path.relations: path.score for path in paths} == pytest.approx(expected, rel=1e-4)
        assert [path.score for path in paths] == sorted((path.score for path in paths), reverse=True)


@settings(max_examples=40, deadline=None)
@given(beam=st.integers(1, 3), hops=st.integers(1, 3), seed=st.integers(0, 1000))
def test_every_kept_path_has_at_most_beam_continuations(beam: int, hops: int, seed: int) -> None:
    model = random_model(4, hops, seed)

    [paths] = predict_relation_paths(
        model, [query(model)], model.encode([query(model)]), [frozenset({hops})], beam, min_share=0.0
    )

    assert len(paths) == beam**hops
    best_first = max(model.steps, key=lambda step: score(model, query(model), (step,)))
    assert best_first in {path.relations[0] for path in paths}


def test_each_step_after_the_first_costs_one_encoder_call_for_all_questions() -> None:
    model = random_model(4, 3, seed=1)
    encoder = model.encoder
    assert isinstance(encoder, HashingEncoder)
    questions = [query(model, "a [MASK]"), query(model, "b [MASK]")]
    vectors = model.encode(questions)
    encoder.calls.clear()

    predict_relation_paths(model, questions, vectors, [frozenset({3}), frozenset({1})], beam=2, min_share=0.0)

    assert [len(call) for call in encoder.calls] == [2, 4]
    assert all(text.startswith("a [MASK] | relation") for call in encoder.calls for text in call)


def test_paths_of_two_lengths_come_from_one_beam() -> None:
    model = random_model(3, 2, seed=2)

    [paths] = predict_relation_paths(
        model, [query(model)], model.encode([query(model)]), [frozenset({1, 2})], beam=3, min_share=0.0
    )

    assert sorted(len(path.relations) for path in paths) == [1] * 3 + [2] * 9


def test_hopeless_paths_are_not_extended() -> None:
    model = keyword_model(["capital", "borders"], {}, {"capital": ("capital", 20.0)})
    asked = query(model, "capital of [MASK]")

    [paths] = predict_relation_paths(model, [asked], model.encode([asked]), [frozenset({2})], beam=2)

    assert {path.relations[0] for path in paths} == {"capital"}


def test_nothing_is_predicted_for_no_question_or_no_length() -> None:
    model = random_model(2, 2, seed=1)

    assert predict_relation_paths(model, [], model.encode([]), [], beam=3) == []
    assert predict_relation_paths(model, [query(model)], model.encode([query(model)]), [frozenset()], beam=3) == [[]]


def test_the_first_step_is_one_that_the_topic_has_with_its_probability_unchanged() -> None:
    model = keyword_model(["capital", "borders"], {}, {"capital": ("capital", 2.0)})
    asked = Query("capital of [MASK]", frozenset({"borders"}))

    [paths] = predict_relation_paths(model, [asked], model.encode([asked]), [frozenset({1})], beam=2)

    assert [path.relations for path in paths] == [("borders",)]
    assert paths[0].score == pytest.approx(1 / (1 + math.exp(2.0)))


def test_the_input_tells_relations_as_words_with_their_direction() -> None:
    assert step_input("who made [MASK]", ()) == "who made [MASK]"
    assert (
        step_input("who made [MASK]", ("directed_by", "^film.film.starred_actors"))
        == "who made [MASK] | directed by | inverse of starred actors"
    )
