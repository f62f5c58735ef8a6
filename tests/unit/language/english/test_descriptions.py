import pytest

from language.described import Described
from language.english.descriptions import described


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the Duke?", Described(("the Duke", "Duke"), has_form=True, is_person=True)),
        ("What's the Cliff Stage", Described(("the Cliff Stage", "Cliff Stage"), has_form=True, is_person=False)),
        ("Cliff Stage", Described(("Cliff Stage",), has_form=False, is_person=False)),
        ("Which stages does the Duke of the North play on?", None),
        ("?", None),
    ],
)
def test_a_question_asks_about_something_as_a_whole(question: str, expected: Described | None) -> None:
    assert described(question) == expected
