"""A name that another element has is left out, because a question could mean either."""

import pytest

from contracts.meaning_file import parse_meaning
from contracts.meaning_fit import fitting
from graph.plan.schema import GraphSchema, KindSchema, Meaning, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType

_TEXT = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_PROPERTIES = {"name": _TEXT, "birth_year": _TEXT, "sal": _TEXT}
_ENDS = frozenset({("Keeper", "Enclosure")})
_GRAPH = GraphSchema(
    {"Keeper": KindSchema(2, _PROPERTIES, "name"), "Enclosure": KindSchema(1, {"name": _TEXT, "size": _TEXT}, "name")},
    {
        "CLEANS": RelationshipSchema(1, _ENDS),
        "LEADS": RelationshipSchema(1, _ENDS),
        "KNOWS": RelationshipSchema(1, frozenset({("Keeper", "Keeper")})),
    },
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '[kinds.Keeper]\nnames = ["enclosure"]',
            "[kinds.Keeper]: the name 'enclosure' is left out: it is that of the kind",
        ),
        (
            '[kinds.Keeper]\nnames = ["pen"]\n[kinds.Enclosure]\nnames = ["Pen"]',
            "line 3: [kinds.Enclosure]: the name 'Pen' is left out: it is said of the kind 'Keeper'",
        ),
        ('[relationships.LEADS]\nnames = ["cleans"]', "that of the relationship 'CLEANS'"),
        ('[relationships.LEADS]\ninverse_names = ["cleans"]', "that of the relationship 'CLEANS'"),
        ('[kinds.Keeper.properties.sal]\nnames = ["birth year"]', "that of the property 'birth_year'"),
        ('[properties.sal]\nnames = ["birth year"]', "that of the property 'birth_year'"),
    ],
)
def test_a_name_that_another_element_has_is_left_out(text: str, problem: str) -> None:
    fit = fitting(parse_meaning(text), _GRAPH)

    assert len(fit.problems) == 1
    assert problem in str(fit.problems[0])
    assert list(fit.meanings.values())[-1] == Meaning()


@pytest.mark.parametrize(
    ("key", "unit", "problem"),
    [
        ("sal", "visitors", "the unit 'visitors' is left out: no such unit is known"),
        ("birth_year", "knots", ""),
        ("sal", "euros", ""),
    ],
)
def test_units_that_nothing_can_say_are_left_out(key: str, unit: str, problem: str) -> None:
    fit = fitting(parse_meaning(f'[kinds.Keeper.properties.{key}]\nunit = "{unit}"'), _GRAPH)

    assert [one.unit for one in fit.meanings.values()] == ["" if problem else unit]
    assert [problem in one.text for one in fit.problems] == ([True] if problem else [])


def test_elements_that_exchange_their_names_keep_their_own() -> None:
    text = '[kinds.Keeper]\nnames = ["enclosure", "guard"]\n[kinds.Enclosure]\nnames = ["keeper"]'

    fit = fitting(parse_meaning(text), _GRAPH)

    assert [one.line for one in fit.problems] == [1, 3]
    assert [one.names for one in fit.meanings.values()] == [("guard",), ()]


@pytest.mark.parametrize(
    "text",
    [
        '[kinds.Keeper]\nnames = ["keeper", "guard"]\n[relationships.KNOWS]\nnames = ["keeper"]',
        '[kinds.Keeper]\nnames = ["enclosure"]\n[kinds.Enclosure]\nhidden = true',
        '[relationships.LEADS]\nnames = ["works for"]\n[relationships.KNOWS]\nnames = ["works for"]',
        '[kinds.Keeper]\nnames = ["enclosure"]\n[kinds.Enclosure]\nnames = ["pen"]',
        '[relationships.LEADS]\nnames = ["is in"]\n[relationships.CLEANS]\nnames = ["is in"]',
        '[properties.sal]\nnames = ["size"]',
        '[properties.sal]\nnames = ["pay"]\n[kinds.Keeper.properties.sal]\nnames = ["pay"]',
    ],
)
def test_a_name_that_is_unique_where_it_matters_is_kept(text: str) -> None:
    said = parse_meaning(text)
    fit = fitting(said, _GRAPH)

    assert not fit.problems
    assert fit.meanings == said.meanings
