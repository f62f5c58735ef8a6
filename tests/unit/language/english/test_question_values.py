from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.values import ValueType
from language.english.question_values import literal_values
from language.values import QuestionValue, Recurring, ValueForm

_QUESTIONS: list[tuple[str, list[tuple[str, Any]]]] = [
    ("How many films cost more than 1,500?", [("number", 1500)]),
    ("Who earns over 2 million?", [("number", 2000000)]),
    ("Which products cost $30k?", [("number", 30000), ("text", "$30k")]),
    ("Which films cost €2.5bn or £3,000.50?", [("number", 2500000000), ("number", 3000.5)]),
    ("Which rooms are below -5 degrees?", [("number", -5)]),
    ("Which ratios exceed .75?", [("number", 0.75)]),
    ("Which samples have 1e6 cells?", [("number", 1000000)]),
    ("List the top five actors.", [("number", 5)]),
    ("List twenty-two players.", [("number", 22)]),
    ("Who won a dozen games?", [("number", 12)]),
    ("Show two dozen eggs.", [("number", 24)]),
    ("Which cities have half a million people?", [("number", 500000)]),
    ("Who scored twice?", [("number", 2)]),
    ("Which films are half a day long?", [("number", 0.5)]),
    ("What happened on 2001-03-04?", [("date", date(2001, 3, 4))]),
    ("What happened on 2001-03-04T10:30:00Z?", [("date", date(2001, 3, 4))]),
    ("What happened on 4 March 2001?", [("date", date(2001, 3, 4)), ("text", "March 2001")]),
    ("What happened on the 4th of March 2001?", [("date", date(2001, 3, 4)), ("text", "March 2001")]),
    ("What happened on March 4, 2001?", [("text", "March 4"), ("date", date(2001, 3, 4))]),
    ("What happened on Mar. 4th 2001?", [("date", date(2001, 3, 4)), ("text", "Mar. 4th 2001")]),
    (
        "What happened on 31 February 2001?",
        [("number", 31), ("period", (date(2001, 2, 1), date(2001, 2, 28))), ("text", "February 2001")],
    ),
    ("What happened in Sept 2001?", [("period", (date(2001, 9, 1), date(2001, 9, 30))), ("text", "Sept 2001")]),
    ("What happened on 31/12/2023?", [("date", date(2023, 12, 31))]),
    ("What happened on 12-31-2023?", [("date", date(2023, 12, 31))]),
    ("What happened on 31.12.2023?", [("date", date(2023, 12, 31))]),
    ("What happened on 5/5/2023?", [("date", date(2023, 5, 5))]),
    ("What happened on 2023/12/31?", [("date", date(2023, 12, 31))]),
    ("What happened on 05/12/2023?", [("text", "05/12/2023")]),
    ("What happened on 5.12.2023?", [("text", "5.12.2023")]),
    ("What happened on 12-05-2023?", [("text", "12-05-2023")]),
    ("What happened on 31/12/23?", [("text", "31/12/23")]),
    ("What happened on 31/02/2023?", [("text", "31/02/2023")]),
    ("Which ratio is 4/5?", [("number", 4), ("number", 5)]),
    ("What happened in March 2001?", [("period", (date(2001, 3, 1), date(2001, 3, 31))), ("text", "March 2001")]),
    ("What happened in 2001-03?", [("period", (date(2001, 3, 1), date(2001, 3, 31)))]),
    ("Which films are from the 1990s?", [("period", (date(1990, 1, 1), date(1999, 12, 31)))]),
    ("Which films are from the '80s?", [("period", (date(1980, 1, 1), date(1989, 12, 31)))]),
    ("Which films are from the 90s?", [("period", (date(1990, 1, 1), date(1999, 12, 31)))]),
    ("Which songs of the 00s?", [("period", (date(2000, 1, 1), date(2009, 12, 31)))]),
    ("Who lived in the sixties?", [("period", (date(1960, 1, 1), date(1969, 12, 31)))]),
    ("Who lived in the 19th century?", [("period", (date(1800, 1, 1), date(1899, 12, 31)))]),
    (
        "Which jobs ran in the last week of March 2001?",
        [("period", (date(2001, 3, 25), date(2001, 3, 31))), ("text", "March 2001")],
    ),
    (
        "Which jobs ran in the second week of May 2001?",
        [("period", (date(2001, 5, 8), date(2001, 5, 14))), ("text", "May 2001")],
    ),
    ("Which jobs ran in Q3 2001?", [("period", (date(2001, 7, 1), date(2001, 9, 30))), ("text", "Q3 2001")]),
    ("Which jobs ran in the last quarter of 2001?", [("period", (date(2001, 10, 1), date(2001, 12, 31)))]),
    ("Which jobs ran in the first half of 2001?", [("period", (date(2001, 1, 1), date(2001, 6, 30)))]),
    ("Which jobs ran in the third half of 2001?", [("number", 3), ("year", 2001)]),
    ("Which jobs ran in summer 2001?", [("period", (date(2001, 6, 1), date(2001, 8, 31)))]),
    ("Which jobs ran before March 2001?", [("date", date(2001, 3, 1)), ("text", "March 2001")]),
    ("Which jobs ran after March 2001?", [("date", date(2001, 3, 31)), ("text", "March 2001")]),
    ("Which jobs ran in February?", [("period", Recurring(month=2))]),
    ("Which jobs ran in May?", [("period", Recurring(month=5))]),
    ("Which jobs may run in march?", []),
    ("Which jobs ran on Saturdays?", [("period", Recurring(weekday=6))]),
    ("Which jobs ran on a Friday?", [("period", Recurring(weekday=5))]),
    ("Which jobs ran in May 5?", [("text", "May 5"), ("number", 5)]),
    (
        "Which jobs ran from 16 to 17 June 2001?",
        [
            ("date", date(2001, 6, 16)),
            ("date", date(2001, 6, 17)),
            ("text", "June 2001"),
        ],
    ),
    (
        "Which jobs ran between 30 December and 2 January 2002?",
        [
            ("date", date(2001, 12, 30)),
            ("text", "December and 2 January 2002"),
            ("date", date(2002, 1, 2)),
        ],
    ),
    (
        "Which jobs ran from May 3rd to June 5, 2001?",
        [
            ("date", date(2001, 5, 3)),
            ("text", "May 3rd to June 5"),
            ("date", date(2001, 6, 5)),
        ],
    ),
    ("Which jobs ran since the 90s?", [("year", 1990)]),
    ("Which jobs ran after the 19th century?", [("year", 1899)]),
    (
        "Which jobs ran between May 2001 and July 2001?",
        [("date", date(2001, 5, 1)), ("text", "May 2001 and July 2001"), ("date", date(2001, 7, 31))],
    ),
    ("Which jobs took 2 hours and 30 minutes?", [("number", 2.5)]),
    ("Which jobs took two and a half hours?", [("number", 2.5)]),
    ("Which jobs took a week and a half?", []),
    ("Which jobs took more than a week and a half?", [("number", 1.5)]),
    ("Which jobs took under half an hour?", [("number", 0.5)]),
    ("Which parts weigh 5kg?", [("number", 5)]),
    ("Which parts weigh 1500 kg?", [("number", 1500)]),
    ("Which films appeared in 1999?", [("year", 1999)]),
    ("Which films appeared between 1990 and 1995?", [("year", 1990), ("year", 1995)]),
    ("Which room is 4032?", [("number", 4032)]),
    ("Find 'The Matrix'.", [("quoted", "The Matrix")]),
    ('Find "Rosemary\'s Baby".', [("quoted", "Rosemary's Baby")]),
    ("Find 'Rosemary's Baby'.", [("quoted", "Rosemary's Baby")]),
    ("Find ‘Amélie’ and “Up”.", [("quoted", "Amélie"), ("quoted", "Up")]),
    ("Who directed `Heat`?", [("quoted", "Heat")]),
    ("Which incident is SEV1?", [("text", "SEV1")]),
    ("Which flight is BA-2490?", [("text", "BA-2490")]),
    ("What runs version 1.2.3?", [("text", "1.2.3")]),
    ("Who has the address ann.lee@example.org?", [("text", "ann.lee@example.org")]),
    ("Who uses https://example.org/a?", [("text", "https://example.org/a")]),
    ("Who is Conan O'Brien?", [("text", "Conan O'Brien")]),
    ("Who directed The Lord of the Rings?", [("text", "The Lord of the Rings")]),
    ("Who is Ludwig van Beethoven?", [("text", "Ludwig van Beethoven")]),
    ("Which films did Tom Hanks and Meg Ryan make?", [("text", "Tom Hanks and Meg Ryan")]),
    ("What is London's population?", [("text", "London")]),
    ("Which movies contain the word love?", [("text", "love")]),
    ("Whose names start with B?", [("text", "B")]),
    ("Which films have 2 actors? List the first 5.", [("number", 2), ("number", 5)]),
    ("Who plays in it? Show Ran.", [("text", "Ran")]),
    ("Who lives in St. Louis?", [("text", "St. Louis")]),
    ("Who are you?", []),
    ("List all films.", []),
    ("Which films are long?", []),
    ("Alma wrote what?", []),
    ("Show Apple products.", [("text", "Apple")]),
    ("Which films are from Łódź?", []),
    ("Which 3 films have 2 actors?", [("number", 3), ("number", 2)]),
    ("Which films cost 5%?", [("number", 5)]),
    ("Which users follow @neo4j and #graph?", [("text", "@neo4j"), ("text", "@neo4j and #graph")]),
]


@pytest.mark.parametrize(("question", "expected"), _QUESTIONS, ids=[question for question, _ in _QUESTIONS])
def test_values_of_a_question(question: str, expected: list[tuple[str, Any]]) -> None:
    assert [(value.form, value.value) for value in literal_values(question)] == expected


@pytest.mark.parametrize(
    "question",
    [
        "Who is Tom\u200bHanks?",
        "Find <b>Heat</b>.",
        "Find **Heat**, [Heat](https://example.org), and &quot;Heat&quot;.",
        "\ufeffWho directed \u2066Heat\u2069?",
        "Find <script>alert('Heat')</script>.",
    ],
)
def test_markup_and_invisible_characters_do_not_become_values(question: str) -> None:
    texts = [value.text for value in literal_values(question)]
    assert any(text in ("Heat", "Hanks") for text in texts)
    assert not any(character in text for text in texts for character in "\u200b\ufeff\u2066\u2069<>*")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.000 euros", 1000), ("2.500 euros", 2500), ("100.000 kilometres", 100_000), ("1'000 euros", 1000),
        ("12’500 euros", 12_500), ("60,50 euros", 60.5), ("0,5 km", 0.5), ("99,9 €", 99.9), ("1.250 kg", 1.25),
        ("1,250.50 euros", 1250.5), ("1,000 euros", 1000), ("4.5 stars", 4.5), ("0.500 litres", 0.5),
    ],
)  # fmt: skip
def test_numbers_are_read_as_other_countries_write_them(text: str, number: float) -> None:
    assert [value.value for value in literal_values(f"Which cost more than {text}?")] == [number]


def test_two_numbers_are_no_decimal() -> None:
    assert [value.value for value in literal_values("Who is in rooms 5,6?")] == [5, 6]


@pytest.mark.parametrize("question", ["Is 1e999 a number?", "Is 1e400 million a number?"])
def test_a_number_that_is_not_finite_is_no_value(question: str) -> None:
    assert not [value for value in literal_values(question) if value.form is ValueForm.NUMBER]


def test_integers_of_64_bits_are_exact() -> None:
    [value] = literal_values("Which tweet is 123456789012345679?")
    assert value.value == 123456789012345679


def test_an_integer_of_more_than_64_bits_is_a_float() -> None:
    [value] = literal_values("Which id is 99999999999999999999999?")
    assert isinstance(value.value, float)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("0123456789'\"-.,:$ ktse@AZaz")), max_size=60))
def test_values_are_spans_of_any_question(question: str) -> None:
    for value in literal_values(question):
        assert 0 <= value.start < value.end <= len(question)
        assert value.text in question[value.start : value.end]


def test_a_quoted_number_compares_with_numbers_and_dates() -> None:
    assert ValueType.INTEGER in QuestionValue(0, 6, ValueForm.QUOTED, "1999", "1999").types
    assert ValueType.INTEGER not in QuestionValue(0, 6, ValueForm.QUOTED, "Heat", "Heat").types


def test_only_periods_are_compared_as_periods() -> None:
    [decade] = literal_values("Which films are from the 1990s?")
    assert decade.is_period
    assert not decade.types


@pytest.mark.parametrize("question", ["Which of these three is best: A, B or C?", "which of those two"])
def test_a_number_of_what_the_question_lists_is_no_value(question: str) -> None:
    assert not [value for value in literal_values(question) if value.form is ValueForm.NUMBER]


def _units(question: str) -> list[tuple[str, list[str]]]:
    return [
        (question[value.start : value.unit_end], [unit.dimension for unit in value.units])
        for value in literal_values(question)
        if value.units
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which jobs took 2 hours and 30 minutes?", [("2 hours and 30 minutes", ["time"])]),
        ("Which routes are 400 to 700 nautical miles long?", [("400", ["length"]), ("700 nautical miles", ["length"])]),
        ("Which parts weigh 5 pounds?", [("5 pounds", ["mass", "money"])]),
        ("Which parts weigh 500g?", [("500g", ["mass"])]),
        ("Which phones have 5G?", []),
        ("Which of the parts of 2001 weigh 5kg?", [("5kg", ["mass"])]),
        ("Which films have 3 sequels?", []),
        ("In 2001 and 3 hours?", [("3 hours", ["time"])]),
    ],
)
def test_the_word_behind_a_number_is_its_unit(question: str, expected: list[tuple[str, list[str]]]) -> None:
    assert _units(question) == expected
