import pytest

from language.english.inflection import base_form
from language.english.morphology import (
    RelationKind,
    counted,
    is_form_of,
    is_plural,
    plural,
    relation_form,
    with_article,
)


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("city", "cities"),
        ("day", "days"),
        ("box", "boxes"),
        ("church", "churches"),
        ("place of birth", "places of birth"),
        ("key person", "key people"),
        ("chairperson", "chairpersons"),
        ("first child", "first children"),
        ("series", "series"),
        ("cities", "cities"),
        ("bus", "buses"),
    ],
)
def test_plural(noun: str, several: str) -> None:
    assert plural(noun) == several
    assert plural(several) == several


@pytest.mark.parametrize("noun", ["bus", "analysis", "alias", "address", "physics", "city"])
def test_a_singular_may_end_in_s(noun: str) -> None:
    assert not is_plural(noun)


def test_article_and_base_form() -> None:
    assert (with_article("airport"), with_article("member")) == ("an airport", "a member")
    assert [base_form(verb) for verb in ("borders", "carries", "teaches", "goes")] == ["border", "carry", "teach", "go"]


@pytest.mark.parametrize(("word", "other"), [("directed", "director"), ("allies", "ally"), ("eats", "eat")])
def test_forms_of_one_word(word: str, other: str) -> None:
    assert is_form_of(word, other)
    assert is_form_of(other, word)


@pytest.mark.parametrize(("word", "other"), [("direct", "diary"), ("box", "boy"), ("part", "partnership")])
def test_other_words(word: str, other: str) -> None:
    assert not is_form_of(word, other)


@pytest.mark.parametrize(
    ("relation", "kind", "words"),
    [
        ("has_genre", RelationKind.NOUN, "genre"),
        ("directedBy", RelationKind.STATE, "was directed by"),
        ("located_in", RelationKind.STATE, "is located in"),
        ("is_part_of", RelationKind.ROLE, "part"),
        ("plays_for", RelationKind.VERB, "plays for"),
        ("acted_in", RelationKind.VERB, "acted in"),
        ("drives_on_side", RelationKind.VERB, "drives on side"),
        ("coaches", RelationKind.LABEL, "coaches"),
    ],
)
def test_the_form_of_a_relation(relation: str, kind: RelationKind, words: str) -> None:
    form = relation_form(relation)
    assert (form.kind, form.phrase) == (kind, words)


def test_a_number_with_its_noun() -> None:
    assert [counted(number, "item of evidence") for number in (0, 1, 2)] == [
        "0 items of evidence",
        "1 item of evidence",
        "2 items of evidence",
    ]
