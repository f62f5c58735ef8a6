import random

from training.retriever.augmentation import Noise

QUESTION = "Which countries border [MASK]?"
SYNONYMS = {"countries": ["nations", "lands"]}


def noise(left_out: float, replaced: float) -> Noise:
    return Noise(left_out, replaced, SYNONYMS, random.Random(1))


def test_the_mask_stays_whole() -> None:
    change = noise(0.3, 0.3)

    texts = [change.text("Which countries border [MASK] ?") for _ in range(200)]

    assert all("[MASK]" in text for text in texts)
    assert len(set(texts)) > 50


def test_steps_around_the_topic_are_left_out() -> None:
    change = noise(0.1, 0.0)

    found = {change.steps({"capital", "borders"}) for _ in range(200)}

    assert found == {frozenset(), frozenset({"capital"}), frozenset({"borders"}), frozenset({"capital", "borders"})}


def test_without_noise_nothing_changes() -> None:
    assert noise(0.0, 0.0).text(QUESTION) == QUESTION
    assert noise(0.0, 0.0).steps(["capital"]) == {"capital"}


def test_words_are_replaced_by_synonyms() -> None:
    change = noise(0.0, 0.5)

    questions = {change.text(QUESTION) for _ in range(100)}

    assert questions == {f"Which {word} border [MASK]?" for word in ("countries", "nations", "lands")}


def test_something_is_left_of_the_shortest_question() -> None:
    change = noise(0.9, 0.0)

    assert all(change.text("capital") for _ in range(50))
