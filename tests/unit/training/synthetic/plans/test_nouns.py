import pytest

from training.synthetic.plans.nouns import noun, with_article


@pytest.mark.parametrize(
    ("text", "singular", "plural"),
    [
        ("film", "film", "films"),
        ("city", "city", "cities"),
        ("pages", "page", "pages"),
        ("shelf/shelves", "shelf", "shelves"),
        ("place of birth", "place of birth", "places of birth"),
        ("units in stock", "unit in stock", "units in stock"),
        ("species", "species", "species"),
        ("children", "child", "children"),
        ("staff member", "staff member", "staff members"),
        ("critics", "critic", "critics"),
        ("movies", "movie", "movies"),
    ],
)
def test_nouns_have_a_singular_and_a_plural(text: str, singular: str, plural: str) -> None:
    found = noun(text)
    assert (found.singular, found.plural) == (singular, plural)


@pytest.mark.parametrize(("text", "is_plural"), [("pages", True), ("film", False), ("units in stock", True)])
def test_a_noun_knows_whether_it_was_given_in_the_plural(text: str, is_plural: bool) -> None:
    assert noun(text).is_plural is is_plural


@pytest.mark.parametrize(
    "text",
    ["an hour", "a user", "an employee", "a European city", "an urban area", "a one-way trip", "an unused ticket"],
)
def test_the_article_follows_the_sound(text: str) -> None:
    assert with_article(text.split(" ", 1)[1]) == text
