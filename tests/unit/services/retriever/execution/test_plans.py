import pytest

from contracts.answers import AnswerType
from contracts.plans import PlanRequest
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Variable,
)
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.execution.plans import answer_type, run_plan
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph([("Alien", "directed_by", "Ridley Scott"), ("Alien", "genre", "Horror")])
DIRECTED = Match(
    (NodePattern("film"), NodePattern("director")),
    (RelationshipPattern("film", "director", ("directed_by",), "out", "r"),),
)


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (("a",), [(3,)], AnswerType.NUMBER),
        (("a",), [(2.5,)], AnswerType.NUMBER),
        (("a",), [(True,)], AnswerType.BOOLEAN),
        (("a",), [(NodeRef("1", "Alien"),)], AnswerType.ENTITIES),
        (("a",), [("x",), (None,)], AnswerType.VALUES),
        (("a",), [(3,), (4,)], AnswerType.VALUES),
        (("a",), [], AnswerType.VALUES),
        (("a", "b"), [(1, 2)], AnswerType.ROWS),
    ],
)
def test_the_answer_type_follows_from_the_result(
    columns: tuple[str, ...], rows: list[tuple[object, ...]], expected: AnswerType
) -> None:
    assert answer_type(PlanResult(columns, tuple(rows))) == expected


async def test_nodes_relationships_and_lists_are_written_as_json() -> None:
    collected = Group((), (Aggregate("films", AggregateFunction.COLLECT, Variable("film")),))

    rows = (await run_plan(GRAPH, PlanRequest(plan=Plan((DIRECTED,))))).rows
    lists = (await run_plan(GRAPH, PlanRequest(plan=Plan((DIRECTED, collected))))).rows

    film = {"id": "Alien", "name": "Alien", "kinds": []}
    director = {"id": "Ridley Scott", "name": "Ridley Scott", "kinds": []}
    assert rows == [[film, director, {"id": "0", "type": "directed_by"}]]
    assert lists == [[[film]]]


async def test_the_reply_has_the_plan_on_one_line() -> None:
    plan = Plan((DIRECTED, Project((Column("film", Variable("film")),))))

    response = await run_plan(GRAPH, PlanRequest(plan=plan))

    assert response.plan == "match film -r:directed_by-> director → film"
    assert (response.columns, response.answer_type) == (["film"], AnswerType.ENTITIES)
