import pytest

from language.english.stems import noun_stem, nouns_of, singular, stem


@pytest.mark.parametrize(
    ("form", "base"), [("wrote", "write"), ("mice", "mouse"), ("children", "child"), ("lives", "live")]
)
def test_irregular_forms_have_the_stem_of_their_base(form: str, base: str) -> None:
    assert stem(form) == stem(base)


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("movies", "movie"),
        ("replies", "reply"),
        ("replied", "reply"),
        ("families", "family"),
        ("displays", "display"),
        ("companies", "company"),
        ("addresses", "address"),
        ("processes", "process"),
        ("buses", "bus"),
        ("boxes", "box"),
        ("houses", "house"),
        ("statuses", "status"),
        ("cookies", "cookie"),
        ("directors", "director"),
        ("buildings", "building"),
    ],
)
def test_regular_forms_of_a_word_have_one_stem(form: str, base: str) -> None:
    assert stem(form) == stem(base)


@pytest.mark.parametrize(("noun", "expected"), [("wolves", "wolf"), ("wolf", None), ("houses", None)])
def test_singulars_of_irregular_plurals(noun: str, expected: str | None) -> None:
    assert singular(noun) == expected


def test_nouns_keep_the_endings_that_make_other_nouns() -> None:
    assert noun_stem("ships") == noun_stem("ship") != noun_stem("shipper")
    assert noun_stem("mice") == "mouse"
    assert nouns_of("order_details") == {"order", "detail"}
