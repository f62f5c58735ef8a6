import pytest

from language.conversation import Fragment
from language.english.english import english


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("And in Germany?", Fragment("Germany", "in", "Germany", has_pronoun=False)),
        ("What about the Meadow Vets?", Fragment("the Meadow Vets", "", "Meadow Vets", has_pronoun=False)),
        ("and its population", Fragment("its population", "", "population", has_pronoun=True)),
        ("And it?", Fragment("it", "", "", has_pronoun=True)),
    ],
)
def test_a_question_without_a_verb_is_about_a_name(text: str, expected: Fragment) -> None:
    assert english(text).fragment == expected


@pytest.mark.parametrize("text", ["Germany", "And who wrote it?", "And one two three four five six?", "", "And ?"])
def test_other_texts_are_no_fragments(text: str) -> None:
    assert english(text).fragment is None


@pytest.mark.parametrize("text", ["And for  ?", "what about   ?", "And  in   "])
def test_a_preposition_before_nothing_is_read_without_an_error(text: str) -> None:
    found = english(text).fragment
    assert found is None or found.name.strip()
