import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.english import english
from language.english.mentions import mentions_in
from services.retriever.linking.name_variants import name_variants


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who directed godfather", "the godfather"),
        ("cast of beautiful mind", "a beautiful mind"),
        ("who wrote thelma and louise", "thelma louise"),
        ("who wrote thelma & louise", "thelma and louise"),
        ("when was rocky 2 made", "rocky ii"),
        ("when was rocky ii made", "rocky 2"),
        ("toy story two release date", "toy story 2"),
        ("who acts in good the bad & the ugly", "the good the bad and the ugly"),
    ],
)
def test_variants_include_the_name_in_the_graph(question: str, name: str) -> None:
    assert name in {mention.name for mention in name_variants(english(question), mentions_in(question))}


@pytest.mark.parametrize("question", ["who directed the godfather", "rocky"])
def test_articles_and_numerals_are_not_added_twice(question: str) -> None:
    names = {mention.name for mention in name_variants(english(question), mentions_in(question))}

    assert not {name for name in names if name.startswith(("the the ", "a the "))}
    assert not {name for name in names if name.endswith(" 2")}


@given(st.text(alphabet="ab &'2ix ", max_size=30))
def test_a_variant_has_a_penalty_the_span_of_its_mention_and_another_name(question: str) -> None:
    mentions = mentions_in(question)
    plain = {(mention.start, mention.end, mention.name) for mention in mentions}

    for variant in name_variants(english(question), mentions):
        assert variant.penalty > 0
        assert (variant.start, variant.end) in {(start, end) for start, end, _ in plain}
        assert (variant.start, variant.end, variant.name) not in plain
