import random

from training.synthetic.plans.finishing import finished
from training.synthetic.plans.stating import marked


def test_slots_are_filled() -> None:
    found = {
        finished("which {things} cost {v}", {"things": "films", "v": marked("$5")}, random.Random(n)) for n in range(20)
    }
    assert "Which films cost $5?" in found


def test_typing_errors_spare_the_values() -> None:
    value = "Extraordinary Circumstances"
    for seed in range(400):
        text = finished("which wonderful things resemble {v}", {"v": marked(value)}, random.Random(seed))
        assert value.lower() in text.lower()


def test_no_marks_remain() -> None:
    for seed in range(50):
        text = finished("{v} or {w}", {"v": marked("A"), "w": marked("B")}, random.Random(seed))
        assert "a or b" in text.lower()
        assert text.isascii()
