import random

from training.retriever.augmentation import QuestionAugmenter

QUESTION = "Which countries border [MASK]?"
SYNONYMS = {"countries": ["nations", "lands"]}


def augmenter(deletion_rate: float, synonym_rate: float) -> QuestionAugmenter:
    return QuestionAugmenter(deletion_rate, synonym_rate, SYNONYMS, random.Random(1))


def test_the_mask_is_kept() -> None:
    change = augmenter(0.3, 0.3)

    texts = [change.augment_text("Which countries border [MASK] ?") for _ in range(200)]

    assert all("[MASK]" in text for text in texts)
    assert len(set(texts)) > 50


def test_steps_around_the_topic_are_deleted() -> None:
    change = augmenter(0.1, 0.0)

    found = {change.augment_steps({"capital", "borders"}) for _ in range(200)}

    assert found == {frozenset(), frozenset({"capital"}), frozenset({"borders"}), frozenset({"capital", "borders"})}


def test_rates_of_0_change_nothing() -> None:
    assert augmenter(0.0, 0.0).augment_text(QUESTION) == QUESTION
    assert augmenter(0.0, 0.0).augment_steps(["capital"]) == {"capital"}


def test_words_are_replaced_by_synonyms() -> None:
    change = augmenter(0.0, 0.5)

    questions = {change.augment_text(QUESTION) for _ in range(100)}

    assert questions == {f"Which {word} border [MASK]?" for word in ("countries", "nations", "lands")}


def test_a_question_never_becomes_empty() -> None:
    change = augmenter(0.9, 0.0)

    assert all(change.augment_text("capital") for _ in range(50))
