import pytest

from training.synthetic.plans.verbs import verb_phrase


@pytest.mark.parametrize(
    ("text", "finite", "negated", "inverted"),
    [
        ("work for", "works for", "does not work for", "does Ann work for"),
        ("carry", "carries", "does not carry", "does Ann carry"),
        ("have", "has", "does not have", "does Ann have"),
        ("directed/direct", "directed", "did not direct", "did Ann direct"),
        ("acted/act in", "acted in", "did not act in", "did Ann act in"),
        ("are located in", "is located in", "is not located in", "is Ann located in"),
        ("were directed by", "was directed by", "was not directed by", "was Ann directed by"),
    ],
)
def test_verb_phrases_inflect(text: str, finite: str, negated: str, inverted: str) -> None:
    found = verb_phrase(text)
    assert found.finite(many=False) == finite
    assert found.negated(many=False) == negated
    assert found.inverted("Ann", many=False) == inverted


def test_only_participles_can_follow_a_noun_without_their_verb() -> None:
    assert verb_phrase("were directed by").is_passive
    assert verb_phrase("are born in").is_passive
    assert not verb_phrase("are the parents of").is_passive
    assert not verb_phrase("work for").is_passive
