from datetime import date

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.alignment import align, linked
from training.planning.oracle import InexpressibleError, actions_of


def _property(type_: ValueType) -> PropertySchema:
    return PropertySchema(frozenset({type_}), type_)


_ELEMENTS = SchemaElements.of(
    GraphSchema(
        {
            "Film": KindSchema(
                9,
                {
                    "title": _property(ValueType.STRING),
                    "genre": _property(ValueType.STRING),
                    "job": _property(ValueType.STRING),
                    "year": _property(ValueType.INTEGER),
                    "id": _property(ValueType.INTEGER),
                    "day": _property(ValueType.DATE),
                    "created": _property(ValueType.INTEGER),
                    "reel_m": _property(ValueType.INTEGER),
                },
                "title",
            )
        },
        {},
    )
)


@pytest.mark.parametrize(
    ("question", "condition", "op", "values"),
    [
        ("Which film is Heat?", "f.title = 'Heat'", Op.IS, ["Heat"]),
        ("Which film is 'heat'?", "f.title = 'Heat'", Op.IS, ["heat"]),
        ("Which comedies are there?", "f.genre = 'Comedy'", Op.EQUAL, ["comedies"]),
        ("Who directed it?", "f.job = 'Director'", Op.EQUAL, ["directed"]),
        ("Which films are after 1999?", "f.year > 1999", Op.GREATER, [1999]),
        ("Which films are of 1990 to 1995?", "f.year >= 1990 AND f.year <= 1995", Op.BETWEEN, [1990, 1995]),
        (
            "Which films are from the 1990s?",
            "f.year >= 1990 AND f.year < 2000",
            Op.WITHIN,
            [(date(1990, 1, 1), date(1999, 12, 31))],
        ),
        ("Which film has the id 123456789012345678?", "f.id = 123456789012345678", Op.EQUAL, [123456789012345678]),
        ("Which films are of 4 May 2001?", "f.day = date('2001-05-04')", Op.EQUAL, [date(2001, 5, 4)]),
        ("Which films are since 2001?", "f.day >= date('2001-01-01')", Op.AT_LEAST, [2001]),
        (
            "Which films are of 2001?",
            "f.day >= date('2001-01-01') AND f.day <= date('2001-12-31')",
            Op.EQUAL,
            [2001],
        ),
        ("Which films have more than 3 km of reel?", "f.reel_m > 3000", Op.GREATER, [3]),
        ("Which films have more than 900 m of reel?", "f.reel_m > 900", Op.GREATER, [900_000_000]),
        ("Which films have more than 900 of reel?", "f.reel_m > 900", Op.GREATER, [900]),
        ("Which films were created after 4 May 2001?", "f.created > 988934400", Op.GREATER, [date(2001, 5, 4)]),
    ],
)  # fmt: skip
def test_constants_are_found_in_the_question(question: str, condition: str, op: Op, values: list[object]) -> None:
    actions, slots = actions_of(read_cypher(f"MATCH (f:Film) WHERE {condition} RETURN f"), _ELEMENTS)
    found, aligned = align(question, actions, slots, _ELEMENTS)
    assert op in {action.op for action in aligned}
    assert [found[action.number].value for action in aligned if action.op is Op.VALUE] == values


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Which films are there?", "f.title = 'Heat'"),
        ("Which films are after 1998?", "f.year > 1999"),
        ("Which films have more than 3 kg of reel?", "f.reel_m > 3000"),
        ("Which films are long?", "f.created > 99999999999999999"),
    ],
)
def test_constants_that_the_question_does_not_state(question: str, condition: str) -> None:
    actions, slots = actions_of(read_cypher(f"MATCH (f:Film) WHERE {condition} RETURN f"), _ELEMENTS)
    with pytest.raises(InexpressibleError, match="does not state"):
        align(question, actions, slots, _ELEMENTS)


def test_values_of_equalities_are_linked_to_their_property() -> None:
    query = "MATCH (f:Film) WHERE f.genre = 'Drama' AND f.title CONTAINS 'Up' RETURN f"
    actions, slots = actions_of(read_cypher(query), _ELEMENTS)
    found, aligned = align("Which 'Drama' has 'Up' in its title?", actions, slots, _ELEMENTS)
    genre = _ELEMENTS.property_numbers[False, "Film", "genre"]
    stored = {value.text: value.stored for value in linked(found, aligned, slots, _ELEMENTS)}
    assert stored == {"Drama": {genre: "Drama"}, "Up": {}}
