import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.triple import Triple, entity_names
from texts.grounding.hallucination_checks import Source, find_hallucinations, has_loop, markup, unsupported_words
from texts.verbalise.template import as_sentences

FRANCE = Source(("France", "Spain", "Italy"), ("borders",), "Which countries border France?", frozenset({"2"}))


@pytest.mark.parametrize(
    "text",
    [
        "France borders Spain and Italy.",
        "The 2 neighbouring countries that border it are:\n1. Spain\n2. Italy",
        "France shares a frontier with Spain.",
    ],
)
def test_a_supported_text_has_no_problem(text: str) -> None:
    assert find_hallucinations(text, FRANCE) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("France borders Mars.", "names 'Mars', which is not in the evidence"),
        ("France borders 3 countries.", "names '3', which is not in the evidence"),
        ("France hates Spain.", "says 'hates', which is not in the evidence"),
        ("France never borders Spain.", "negates with 'never', which is not in the evidence"),
        ("France borders [Spain](Italy).", "contains a link"),
        ("France borders <Spain.", "contains markup"),
        ("France borders `Spain`.", "contains code"),
        ("France borders Spain.\x1b", "contains control characters"),
        ("Spain, it is said, it is said, it is said", "repeats itself"),
    ],
)
def test_each_problem_is_described(text: str, problem: str) -> None:
    assert find_hallucinations(text, FRANCE) == [problem]


def test_only_the_claims_are_checked_word_by_word() -> None:
    assert find_hallucinations("Spain and 7 more", FRANCE) != []
    assert find_hallucinations("Spain and 7 more", FRANCE, "Spain and       ") == []
    assert find_hallucinations("[Spain](Italy)", FRANCE, "Spain Italy") == ["contains a link"]


def test_a_name_is_no_form_of_a_word() -> None:
    source = Source(("LT-9", "Hoogland Office Supply"), ("supplies",))
    assert find_hallucinations("Hoogland Office Supply is the supplier of LT-9.", source) == []
    problems = find_hallucinations("Hoogland Office Supply supplies LT-9 Supply.", source)
    assert problems == ["names 'Supply', which is not in the evidence"]


def test_an_abbreviation_of_a_relation_is_not_said() -> None:
    source = Source(("Ann", "Heron"), ("worksOnPrj",))
    assert find_hallucinations("Ann works on the project Heron.", source) == []
    assert find_hallucinations("Ann works on Prj, Heron.", source) == ["names 'Prj', which is not in the evidence"]


def test_a_name_may_loop() -> None:
    assert has_loop("It is no no no no.", [])
    assert not has_loop("It is No No No No.", ["No No No No"])


WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "Co", "Cf"]), min_size=1, max_size=20)
NAMES = WORDS.filter(lambda name: any(map(str.isalnum, name)))
RELATIONS = st.sampled_from(["directed_by", "capital", "member_of", "borders", "was_born_in", "elevation_ft", "a.b.c"])
FACTS = st.lists(st.builds(Triple, NAMES, RELATIONS, NAMES), min_size=1, max_size=4)


@given(FACTS)
def test_a_template_says_nothing_that_is_not_told(facts: list[Triple]) -> None:
    text = as_sentences(facts)
    assert unsupported_words(text, Source.from_facts(facts)) == []
    assert markup(text, entity_names(facts)) == []
