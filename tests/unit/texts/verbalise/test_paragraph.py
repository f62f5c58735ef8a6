from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.triple import Triple
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.statements import MAX_LISTED, statements

Fact = tuple[str, str, str]


def say(*facts: Fact) -> str:
    return as_paragraph([Triple(*fact) for fact in facts])


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("INC-1231", "status", "resolved"), ("INC-1231", "root_cause", "capacity")],
            "The status of INC-1231 is resolved, and the root cause is capacity.",
        ),
        (
            [("Kigali", "located_in", "Rwanda"), ("Rwanda", "currency", "Rwandan Franc")],
            "Kigali is located in Rwanda, whose currency is Rwandan Franc.",
        ),
        (
            [("Ulm Airport", "serves", "Ulm"), ("Ulm", "located_in", "Germany"), ("Germany", "currency", "Euro")],
            "Ulm Airport serves Ulm. Ulm is located in Germany, whose currency is Euro.",
        ),
        (
            [("Ann", "skill", "SQL"), ("Ann", "rpts_to", "Bo"), ("Ann", "skill", "Go"), ("Ann", "loc", "Ulm Office")],
            "The location of Ann is Ulm Office, and the skills are SQL and Go. Ann reports to Bo.",
        ),
        (
            [("FC Ulm", "trainer", "Ann Lee"), ("FC Ulm", "founded_in", "1846"), ("FC Ulm", "stadium", "Donau")],
            "The trainer of FC Ulm is Ann Lee, and the stadium is Donau. FC Ulm was founded in 1846.",
        ),
    ],
)
def test_no_unrelated_fact_stands_between_the_subject_and_the_verb(facts: list[Fact], text: str) -> None:
    assert say(*facts) == text


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("KEF", "iata_code", "KEF-1"), ("KEF", "serves", "Reykjavík")],
            "KEF, whose IATA code is KEF-1, serves Reykjavík.",
        ),
        (
            [("Tunisia", "capital", "Tunis"), ("Tunis", "twinned_with", "Cologne")],
            "Tunis, the capital of Tunisia, is twinned with Cologne.",
        ),
        (
            [("Heat", "genre", "a crime story that is set in Los Angeles, long ago"), ("Heat", "directed_by", "Ann")],
            "The genre of Heat is a crime story that is set in Los Angeles, long ago. Heat was directed by Ann.",
        ),
    ],
)
def test_only_a_short_clause_stands_between_the_subject_and_the_verb(facts: list[Fact], text: str) -> None:
    assert say(*facts) == text


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("Heat", "directed_by", "Ann Lee"), ("Ann Lee", "born_in", "Ulm")],
            "Heat was directed by Ann Lee. Ann Lee was born in Ulm.",
        ),
        (
            [("INC-7", "opened_by", "Bo"), ("INC-7", "owner", "Bo")],
            "INC-7, whose owner is Bo, was opened by Bo.",
        ),
        (
            [("Heat", "released", "1995"), ("Heat", "directed_by", "Ann")],
            "Heat was released in 1995 and directed by Ann.",
        ),
        ([("FC Ulm", "goals_scored", "54")], "The goals scored of FC Ulm are 54."),
        (
            [("Austria", "capital", "Vienna"), ("Graz", "located_in", "Austria")],
            "Graz is located in Austria, whose capital is Vienna.",
        ),
        (
            [("Finland", "capital", "Helsinki"), ("Vantaa Airport", "serves", "Helsinki")],
            "Vantaa Airport serves Helsinki, the capital of Finland.",
        ),
        (
            [("Qatar", "borders", "Oman"), ("Oman", "capital", "Muscat"), ("Oman", "currency", "Rial")],
            "Qatar borders Oman, whose capital is Muscat and whose currency is Rial.",
        ),
        (
            [("Chile", "borders", "Bolivia"), ("Peru", "borders", "Chile")],
            "Chile borders Bolivia. Peru borders Chile.",
        ),
        (
            [("A", "located_in", "Peru"), ("B", "located_in", "Peru"), ("Peru", "official_language", "Spanish")],
            "A and B are located in Peru, whose official language is Spanish.",
        ),
        (
            [("Kern AG", "filing", "F-1"), ("F-1", "year", "2024"), ("Kern AG", "sector", "banking")],
            "The sector of Kern AG is banking, and the filing is F-1, whose year is 2024.",
        ),
    ],
)
def test_a_fact_about_the_object_follows_it(facts: list[Fact], text: str) -> None:
    assert say(*facts) == text


def test_facts_about_several_objects_are_compared() -> None:
    capitals = ("France", "capital", "Paris"), ("Spain", "capital", "Madrid"), ("Peru", "capital", "Lima")
    text = "The capital of France is Paris, that of Spain is Madrid, and that of Peru is Lima."
    assert say(*capitals) == text
    languages = [("Chad", "Arabic"), ("Peru", "Quechua"), ("Peru", "Spanish"), ("Mali", "Fula"), ("Kenya", "English")]
    several = [(country, "language", language) for country, language in [*languages, ("Kenya", "Swahili")]]
    assert say(*several) == (
        "The language of Chad is Arabic, and that of Mali is Fula. "
        "The languages of Peru are Quechua and Spanish, and those of Kenya are English and Swahili."
    )


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("Ann", "worksOnPrj", "Heron"), ("Ann", "worksOnTeam", "Core"), ("Ann", "mgr_of", "Core")],
            "Ann works on the project Heron and on the team Core, and is a manager of Core.",
        ),
        (
            [("TCK-5", "opened_on", "2025-01-02"), ("TCK-5", "raised_by", "Bo"), ("TCK-5", "assigned_to", "Ann")],
            "TCK-5 opened on 2025-01-02, and was raised by Bo and assigned to Ann.",
        ),
        (
            [("Kern AG", "supplies", "A"), ("Kern AG", "supplies", "B"), ("Kern AG", "hq_in", "Nairobi")],
            "Kern AG has headquarters in Nairobi, and supplies A and B.",
        ),
        (
            [("TCK-5", prep, end) for prep, end in [("opened_on", "2025"), ("raised_by", "Bo"), ("concerns", "A")]]
            + [("TCK-5", "assigned_to", "Ann")],
            "TCK-5 opened on 2025, was raised by Bo and assigned to Ann, and concerns A.",
        ),
        (
            [("Coal", "is_active", "false"), ("Coal", "hazardous", "true")],
            "Coal is not active and is hazardous.",
        ),
        (
            [("FC Ulm", "plays_in", "Cup"), ("FC Ulm", "located_in", "Ulm"), ("FC Ulm", "located_near", "Bonn")],
            "FC Ulm plays in Cup, and is located in Ulm and near Bonn.",
        ),
    ],
)
def test_predicates_of_one_subject_share_a_sentence(facts: list[Fact], text: str) -> None:
    assert say(*facts) == text


def test_properties_of_one_subject_share_a_sentence() -> None:
    facts = [("INC-1", "status", "open"), ("INC-1", "team", "Core"), ("INC-1", "loc", "Ulm")]
    assert say(*facts) == "The status of INC-1 is open, the team is Core, and the location is Ulm."
    assert say(*facts, ("INC-1", "concerns", "A")) == (
        "The status of INC-1 is open, the team is Core, and the location is Ulm. INC-1 concerns A."
    )
    facts = [("Ann", "skill", "SQL"), ("Ann", "skill", "Go"), ("Ann", "skill", "C"), ("Ann", "age", "40")]
    assert say(*facts, ("Ann", "loc", "Ulm")) == (
        "The age of Ann is 40, the location is Ulm, and the skills are SQL, Go and C."
    )
    assert say(("CT-1", "value_eur", "90750"), ("CT-1", "sla_hrs", "8"), ("CT-1", "client", "Kern AG")) == (
        "The value of CT-1 is 90,750 EUR, the SLA is 8 hours, and the client is Kern AG."
    )
    assert say(("Ann", "loc", "Augusta, Maine"), ("Ann", "origin", "Ulm, Germany"), ("Ann", "age", "40")) == (
        "The age of Ann is 40; the location is Augusta, Maine; and the origin is Ulm, Germany."
    )


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            [("Leeds", "located_in", "United Kingdom"), ("United Kingdom", "continent", "Europe")],
            "Leeds is located in the United Kingdom, whose continent is Europe.",
        ),
        ([("United Kingdom", "borders", "Ireland")], "The United Kingdom borders Ireland."),
        ([("Netherlands", "capital", "Amsterdam")], "The capital of the Netherlands is Amsterdam."),
        (
            [(one, "currency", "Danish Krone") for one in ("Denmark", "Faroe Islands", "Greenland")],
            "The currency of Denmark, the Faroe Islands and Greenland is Danish Krone.",
        ),
        (
            [("Philippines", "capital", "Manila"), ("Netherlands", "capital", "Amsterdam")],
            "The capital of the Philippines is Manila, and that of the Netherlands is Amsterdam.",
        ),
        ([("Delft", "in_country", "Netherlands")], "Delft is in the country Netherlands."),
        ([("the United States", "borders", "Canada")], "the United States borders Canada."),
        ([("United Airlines", "hub", "Denver")], "The hub of United Airlines is Denver."),
    ],
)
def test_names_of_countries_take_their_articles(facts: list[Fact], text: str) -> None:
    assert say(*facts) == text


def test_a_long_list_is_counted_and_shown_in_part() -> None:
    films = say(*((f"Film {number}", "directed_by", "Ann Lee") for number in range(42)))
    assert films.endswith("Film 8, Film 9 and 32 more were directed by Ann Lee.")
    members = say(*(("Ensemble", "has_member", f"Member {number}") for number in range(42)))
    assert members.startswith("The graph lists 42 members of Ensemble, among them Member 0, Member 1")
    assert "Member 10" not in members


def test_a_clause_precedes_the_verb_of_a_long_list() -> None:
    text = say(("KEF", "iata_code", "BIKF"), *(("KEF", "serves", f"Town {number}") for number in range(7)))
    assert text.startswith("KEF, whose IATA code is BIKF, serves Town 0, Town 1")


def test_a_quantity_has_its_unit_and_grouped_digits() -> None:
    assert say(("Kern", "elevation_ft", "13123")) == "The elevation of Kern is 13,123 ft."
    assert say(("Kern", "population", "66987244")) == "The population of Kern is 66,987,244."


@pytest.mark.parametrize("value", ["10115", "010115", "2003"])
def test_the_digits_of_a_code_are_copied(value: str) -> None:
    assert say(("Ulm", "postal_code", value)) == f"The postal code of Ulm is {value}."


def test_flags_are_said_as_adjectives() -> None:
    assert say(("Coal", "is_active", "true"), ("Coal", "has_grade", "B")) == "Coal, whose grade is B, is active."


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
