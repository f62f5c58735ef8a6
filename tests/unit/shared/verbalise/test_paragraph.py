from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.triple import Triple
from shared.verbalise.paragraph import MAX_LISTED, as_paragraph, statements


def say(*facts: tuple[str, str, str]) -> str:
    return as_paragraph([Triple(*fact) for fact in facts])


def test_a_fact_about_the_same_subject_becomes_a_relative_clause() -> None:
    text = say(("Austria", "capital", "Vienna"), ("Austria", "currency", "Euro"))
    assert text == "The currency of Austria, whose capital is Vienna, is Euro."


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("Ulm", "located_in", "Germany"), ("Germany", "official_language", "German")],
            "The official language of Germany, in which Ulm is located, is German.",
        ),
        (
            [("Heat", "directed_by", "Ann Lee"), ("Ann Lee", "born_in", "Ulm")],
            "Heat was directed by Ann Lee. Ann Lee was born in Ulm.",
        ),
        (
            [("Ann", "rpts_to", "Bo"), ("Ann", "works_in", "Sales")],
            "Ann, reporting to Bo, works in Sales.",
        ),
        (
            [("Ann", "rpts_to", "Bo"), ("Ann", "skill", "Java")],
            "Ann reports to Bo. The skill of Ann is Java.",
        ),
        (
            [("Austria", "capital", "Vienna"), ("Graz", "located_in", "Austria")],
            "Graz is located in Austria, whose capital is Vienna.",
        ),
        (
            [("Qatar", "borders", "Oman"), ("Oman", "capital", "Muscat"), ("Oman", "currency", "Rial")],
            "Qatar borders Oman, whose capital is Muscat. The currency of Oman is Rial.",
        ),
        (
            [("Chile", "borders", "Bolivia"), ("Peru", "borders", "Chile")],
            "Chile borders Bolivia. Peru borders Chile.",
        ),
        (
            [("KEF", "iata_code", "KEF-1"), ("KEF", "serves", "Reykjavík")],
            "KEF, whose IATA code is KEF-1, serves Reykjavík.",
        ),
        (
            [("France", "capital", "Paris"), ("Spain", "capital", "Madrid"), ("Peru", "capital", "Lima")],
            "The capital of France is Paris, that of Spain is Madrid, and that of Peru is Lima.",
        ),
    ],
)
def test_facts_that_continue_each_other_share_a_sentence(facts: list[tuple[str, str, str]], text: str) -> None:
    assert say(*facts) == text


def test_properties_of_one_subject_share_a_sentence() -> None:
    facts = [("INC-1", "status", "open"), ("INC-1", "team", "Core"), ("INC-1", "loc", "Ulm")]
    assert say(*facts) == "The status of INC-1 is open, the team is Core, and the location is Ulm."
    assert say(*facts, ("INC-1", "concerns", "A")) == (
        "The team of INC-1 is Core, and the location is Ulm. INC-1, whose status is open, concerns A."
    )
    facts = [("Ann", "skill", "SQL"), ("Ann", "skill", "Go"), ("Ann", "loc", "Augusta, Maine"), ("Ann", "age", "40")]
    assert say(*facts) == "The skills of Ann are SQL and Go; the location is Augusta, Maine; and the age is 40."


def test_a_long_list_is_counted_and_shown_in_part() -> None:
    films = say(*((f"Film {number}", "directed_by", "Ann Lee") for number in range(42)))
    assert films.endswith("Film 8, Film 9 and 32 more were directed by Ann Lee.")
    members = say(*(("Ensemble", "has_member", f"Member {number}") for number in range(42)))
    assert members.startswith("The graph lists 42 members of Ensemble, among them Member 0, Member 1")
    assert "Member 10" not in members


def test_a_quantity_has_its_unit_and_grouped_digits() -> None:
    assert say(("Kern", "elevation_ft", "13123")) == "The elevation of Kern is 13,123 ft."
    assert say(("Kern", "population", "66987244")) == "The population of Kern is 66,987,244."


@pytest.mark.parametrize("value", ["10115", "010115", "2003"])
def test_the_digits_of_a_code_are_copied(value: str) -> None:
    assert say(("Ulm", "postal_code", value)) == f"The postal code of Ulm is {value}."


def test_flags_are_said_as_adjectives() -> None:
    assert say(("Coal", "is_active", "true"), ("Coal", "has_grade", "B")) == "Coal is active. The grade of Coal is B."


def test_each_fact_belongs_to_one_statement_and_no_grouping_is_repeated() -> None:
    grid = [Triple(f"s{a}", "borders", f"o{b}") for a in range(30) for b in range(30)]
    found = statements(grid)
    assert Counter(len(one.subjects) * len(one.objects) for one in found) == {30: 30}


NAMES = [
    "INC-2003", "ann.lee@example.org", "/var/log/Kern.log", "https://example.org/a?b=c", "🚀 Launch", "القاهرة",
    "נתב״ג", "東京", "O'Neil & Sons, Inc.", "Rock and Roll", "a; b", "{0}", "%s", "\\1", "true story", "the", "is",
    "3.10", "1996-08-01", "−11", "1,000", "Who?", "A.", "\u202eabc", "Ann  Lee", "10115", "iPhone",
]  # fmt: skip
RELATIONS = [
    "capital", "rpts_to", "directed_by", "located_in", "member_of", "borders", "drives_on_side", "ACTED_IN",
    "costCtr", "has_genre", "film.film.sequel", "email", "part_of", "won", "^capital", "注", "worksFor",
]  # fmt: skip
TRIPLES = st.lists(
    st.builds(Triple, st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(NAMES)), min_size=1
)


@given(TRIPLES)
def test_every_name_is_copied_exactly_and_none_other_is_said(facts: list[Triple]) -> None:
    facts = [*{fact.object: fact for fact in facts}.values()][:MAX_LISTED]
    text = as_paragraph(facts)
    assert text == as_paragraph(facts)
    rest = text
    for name in sorted({end for fact in facts for end in (fact.subject, fact.object)}, key=len, reverse=True):
        assert name in text
        rest = rest.replace(name, " ")
    # What remains are words of relations and of grammar: no capital letters but those of a sentence or an acronym.
    for foreign in NAMES:
        if len(foreign) > 3 and not any(foreign in end for fact in facts for end in (fact.subject, fact.object)):
            assert foreign not in text
    assert set("0123456789@/🚀{}%\\").isdisjoint(rest)


@given(TRIPLES)
def test_no_fact_is_stated_twice(facts: list[Triple]) -> None:
    assert as_paragraph(facts) == as_paragraph([*facts, *facts])
