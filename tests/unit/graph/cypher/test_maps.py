"""Maps in Cypher are returned, collected, and read; other uses are refused."""

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    FieldOf,
    Function,
    Group,
    MapOf,
    Project,
    Property,
    Variable,
)

_NAME = Property("p", "name", as_stored=True)
_MAP = MapOf((Column("name", _NAME), Column("odd key", Property("p", "rank", as_stored=True))))


def test_maps_are_returned_and_collected() -> None:
    text = "{name: p.name, `odd key`: p.rank}"

    assert read_cypher(f"MATCH (p) RETURN {text} AS m").steps[-1] == Project((Column("m", _MAP),))
    assert read_cypher(f"MATCH (p) RETURN collect({text}) AS all").steps[-1] == Group(
        (), (Aggregate("all", AggregateFunction.COLLECT, _MAP),)
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("m.name", FieldOf(Variable("m"), "name")),
        ("m.nothing", FieldOf(Variable("m"), "nothing")),
        ("m.name.year", Call(Function.YEAR, (FieldOf(Variable("m"), "name"),))),
        ("head([x IN [m] | x.name])", None),
        ("all[0].name", FieldOf(Call(Function.FIRST, (Variable("all"),)), "name")),
    ],
)
def test_fields_are_read(text: str, value: object) -> None:
    project = read_cypher(f"MATCH (p) WITH {{name: p.name}} AS m, [{{name: 1}}] AS all RETURN {text} AS x").steps[-1]

    assert isinstance(project, Project)
    assert value is None or project.columns[0].value == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("MATCH (p) WHERE p.name = {gt: 1} RETURN p", "= does not apply to maps"),
        ("MATCH (p) WITH {a: 1} AS m RETURN m = m AS x", "= does not apply to maps"),
        ("MATCH (p) WITH {a: 1} AS m RETURN m.a + m AS x", r"\+ does not apply to maps"),
        ("MATCH (p) WITH {day: 1} AS m, 1 AS b RETURN size([m][0].day) AS x", "day does not apply to maps"),
        ("MATCH (p) WITH {at: p.at} AS m RETURN m.at.latitude AS x", "a point in a map"),
        ("MATCH (p) RETURN {a: 1, a: 2} AS m", "two entries"),
        ("MATCH (p) RETURN {} AS m", "maps without entries"),
        ("MATCH (p) WITH collect(p) AS all RETURN head(all).name AS x", "the field 'name' is read of something"),
        ("MATCH (p) RETURN p {.name} AS m", "map projection"),
    ],
)
def test_other_uses_are_refused(text: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        read_cypher(text)
