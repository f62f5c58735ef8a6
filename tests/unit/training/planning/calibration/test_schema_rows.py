import random
from collections.abc import Sequence

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from tests.support.reference_evaluator import evaluate
from training.planning.calibration.schema_rows import RowMaker
from training.planning.refilling import NamePool

_TEXT = frozenset((ValueType.STRING,))
_NAME = PropertySchema(_TEXT, ValueType.STRING, 10, samples=("Petra Novotna", "Jonas Tveit"))
_SHIFT = PropertySchema(_TEXT, ValueType.STRING, 10, samples=("early", "late"))
SCHEMA = GraphSchema(
    {
        "Driver": KindSchema(10, {"name": _NAME, "shift": _SHIFT}, "name"),
        "Depot": KindSchema(5, {"name": PropertySchema(_TEXT, ValueType.STRING, 5, samples=("Quay Office",))}, "name"),
    },
    {"WORKS_AT": RelationshipSchema(10, frozenset((("Driver", "Depot"),)))},
)
DRIVERS_OF = Plan(
    (
        Match(
            (NodePattern("d", ("Driver",)), NodePattern("p", ("Depot",))),
            (RelationshipPattern("d", "p", ("WORKS_AT",)),),
            Comparison("=", Property("p", "name"), Constant("North Yard")),
        ),
        Project((Column("d", Variable("d")),)),
    )
)


def _maker(seed: int, plans: Sequence[Plan] = (DRIVERS_OF,)) -> RowMaker:
    return RowMaker(SCHEMA, plans, random.Random(seed), NamePool.of({"firm": SCHEMA}))


def test_equal_seeds_make_equal_rows() -> None:
    assert _maker(1).graph() == _maker(1).graph()
    assert _maker(1).graph() != _maker(2).graph()


def test_most_queries_return_something() -> None:
    found = [evaluate(DRIVERS_OF, _maker(seed).graph()).rows for seed in range(20)]
    assert sum(bool(rows) for rows in found) > 10


def test_no_two_nodes_are_linked_twice_in_one_way() -> None:
    links = [(one.type, one.source, one.target) for one in _maker(3, [DRIVERS_OF] * 50).graph().relationships]
    assert len(links) == len(set(links))
