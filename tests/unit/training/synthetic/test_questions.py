import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.store import INVERSE, inverse_step
from shared.text import normalise
from training.synthetic.invented_graph import InventedGraph
from training.synthetic.question_patterns import step_patterns
from training.synthetic.questions import X, full_question, short_question

# Every shape of name that has patterns for itself, in the spellings of several data sets.
_RELATIONS = (
    "capital", "has_genre", "directed_by", "born_in", "in_language", "starred_actors", "is_the_author_of", "by", "of",
    "releaseYear", "film.film.directed_by", "http://example.org/p#placeOfBirth", "首都", "_", "the mayor",
)  # fmt: skip
_steps = st.tuples(st.sampled_from(["", INVERSE]), st.sampled_from(_RELATIONS)).map("".join)


@pytest.mark.parametrize("step", [direction + name for direction, name in product(["", INVERSE], _RELATIONS)])
def test_every_pattern_has_one_place_for_the_topic(step: str) -> None:
    patterns = step_patterns(step)

    assert patterns.questions and patterns.phrases
    for pattern in (*patterns.questions, *patterns.phrases):
        assert pattern.count(X) == 1
        assert not set("{}^#") & set(pattern.replace(X, ""))


@pytest.mark.parametrize(
    ("step", "asked", "named"),
    [
        ("capital", "what is the capital of {x}", "the capital of {x}"),
        ("^capital", "whose capital is {x}", "those whose capital is {x}"),
        ("has_genre", "which genre does {x} have", "the genre of {x}"),
        ("directed_by", "who directed {x}", "the one who directed {x}"),
        ("^directed_by", "what did {x} directed", "the ones directed by {x}"),
        ("born_in", "{x} is born in what", "what {x} is born in"),
        ("^born_in", "who born in {x}", "the ones born in {x}"),
        ("in_language", "what is the language of {x}", "the language of {x}"),
        ("starred_actors", "who are the actors in {x}", "who starred in {x}"),
        ("^starred_actors", "what did {x} starred in", "the ones that starred {x}"),
        ("the mayor", "who is the mayor of {x}", "the mayor of {x}"),
    ],
)
def test_names_of_each_shape_have_their_own_step_patterns(step: str, asked: str, named: str) -> None:
    assert asked in step_patterns(step).questions
    assert named in step_patterns(step).phrases


@given(st.lists(_steps, min_size=1, max_size=3), st.integers())
def test_a_question_along_any_path_names_the_topic_once(path: list[str], seed: int) -> None:
    text = short_question(tuple(path), random.Random(seed).choice)

    assert text.count(X) == 1
    assert "{r}" not in text


def test_the_first_step_is_worded_innermost() -> None:
    path = ("directed_by", "born_in", "country")
    inner = {
        later.replace(X, first)
        for later in step_patterns("born_in").phrases
        for first in step_patterns("directed_by").phrases
    }

    texts = {short_question(path, random.Random(seed).choice) for seed in range(100)}

    assert len(texts) > 50
    assert all("country" in text and any(phrase in text for phrase in inner) for text in texts)


@pytest.mark.parametrize(
    ("step", "shared"),
    [("has_genre", "which ones have the same genre as {x}"), ("directed_by", "who co-directed with {x}")],
)
def test_a_path_forth_and_back_asks_what_shares_something(step: str, shared: str) -> None:
    def choices(path: tuple[str, ...]) -> set[str]:
        return {short_question(path, random.Random(seed).choice) for seed in range(1000)}

    assert shared in choices((step, inverse_step(step)))
    assert shared in choices((inverse_step(step), step))
    assert shared not in choices((step, step))


def test_forwards_and_backwards_are_worded_differently() -> None:
    for relation in ("capital", "directed_by", "starred_actors"):
        forwards, backwards = step_patterns(relation), step_patterns(INVERSE + relation)
        assert not set(forwards.questions) & set(backwards.questions)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_a_full_question_names_its_topic(hops: int) -> None:
    random_ = random.Random(hops)
    for _ in range(100):
        graph = InventedGraph(random_)
        steps = graph.path(hops)
        topic = graph.name(steps[0], topic=True)
        question = full_question(steps, topic, random_)
        assert normalise(topic) in normalise(question)
        assert "{" not in question
