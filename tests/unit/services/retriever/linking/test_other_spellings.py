import pytest

from services.retriever.linking.other_spellings import other_spellings


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
    ],
)
def test_a_name_has_other_spellings(text: str, spelling: str) -> None:
    assert spelling in other_spellings(text)


@pytest.mark.parametrize("text", ["...", "film", "12"])
def test_ordinary_words_have_no_other_spellings(text: str) -> None:
    assert other_spellings(text) == []
