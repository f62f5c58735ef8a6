import random

from services.retriever.training.examples import Example
from services.retriever.training.noise import Noise

EXAMPLE = Example("Which countries border [MASK]?", frozenset({"capital"}), ("^borders",), None, "capital", 1.0)
SYNONYMS = {"countries": ["nations", "lands"]}


def noise(left_out: float, replaced: float) -> Noise:
    return Noise(left_out, replaced, SYNONYMS, random.Random(1))


def test_the_mask_and_the_relation_path_stay_whole() -> None:
    change = noise(0.3, 0.3)

    queries = [change(EXAMPLE) for _ in range(200)]

    assert all(query.text.endswith(" | inverse of borders") for query in queries)
    assert len({query.text for query in queries}) > 50
    assert {query.topic_steps for query in queries} == {frozenset(), frozenset({"capital"})}


def test_without_noise_nothing_changes() -> None:
    assert noise(0.0, 0.0)(EXAMPLE) == EXAMPLE.query


def test_words_are_replaced_by_synonyms() -> None:
    change = noise(0.0, 0.5)

    questions = {change(EXAMPLE).text.split(" | ")[0] for _ in range(100)}

    assert questions == {f"Which {word} border [MASK]?" for word in ("countries", "nations", "lands")}


def test_something_is_left_of_the_shortest_question() -> None:
    change = noise(0.9, 0.0)

    assert all(change(Example("capital", frozenset(), (), 1, "capital", 1.0)).text for _ in range(50))
