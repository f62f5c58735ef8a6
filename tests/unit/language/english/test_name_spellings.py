import pytest

from language.english.name_spellings import other_spellings, spellings_at


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("The Long Winter", "long winter the"),
        ("long winter", "long winter the"),
        ("Nora Quist", "quist nora"),
        ("Saint Birgit's chapel", "st birgits chapel"),
        ("St. Birgit", "saint birgit"),
        ("Bolt and Sons", "bolt sons"),
        ("mice", "mouse"),
        ("grey wolves", "grey wolf"),
        ("Bolt Ltd", "bolt"),
        ("Bolt", "bolt gmbh"),
        ("Bolt S.A.", "bolt"),
        ("QX7", "flight qx7"),
        ("flight QX7", "qx7"),
    ],
)
def test_a_name_has_other_spellings(text: str, spelling: str) -> None:
    assert spelling in other_spellings(text)


@pytest.mark.parametrize("text", ["...", "film", "12"])
def test_ordinary_words_have_no_other_spellings(text: str) -> None:
    assert other_spellings(text) == []


def test_a_name_with_a_legal_form_is_not_given_another_one() -> None:
    bare, with_form = "Where is Bolt?", "Where is Bolt S.A. based?"
    assert "bolt gmbh" in spellings_at(bare, 9, 13)
    assert "bolt gmbh" not in spellings_at(with_form, 9, 13)
