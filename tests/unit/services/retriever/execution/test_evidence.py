"""Test the texts of evidence, one operator at a time."""

from collections.abc import Sequence

import pytest

from contracts.plans import PlanRequest
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Group,
    Match,
    NodePattern,
    Not,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Union,
    Variable,
)
from services.retriever.execution.plans import run_plan
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph

BORDERS = ("Austria Germany", "Poland Germany", "France Germany", "France Spain", "Portugal Spain")
GRAPH = InMemoryGraph(
    [
        *((first, "borders", second) for first, second in map(str.split, BORDERS)),
        ("Germany", "capital", "Berlin"),
        ("France", "capital", "Paris"),
    ]
)


def borders(first: str, second: str, where: Expression | None = None) -> Match:
    link = RelationshipPattern(first, second, ("borders",), "both")
    return Match((NodePattern(first), NodePattern(second)), (link,), where)


def is_named(variable: str, name: str) -> Expression:
    return Comparison("=", Property(variable, "name"), Constant(name))


def columns(*names: str) -> Project:
    return Project(tuple(Column(name, Variable(name)) for name in names))


def count(*keys: str) -> Group:
    named = tuple(Column(key, Variable(key)) for key in keys)
    return Group(named, (Aggregate("number", AggregateFunction.COUNT),))


BORDERS_GERMANY = borders("c", "g", is_named("g", "Germany"))
BORDERS_SPAIN = borders("c", "s", is_named("s", "Spain"))
HAS_CAPITAL = Match((NodePattern("c"), NodePattern("k")), (RelationshipPattern("c", "k", ("capital",)),))
MOST_NEIGHBOURS = (borders("c", "x"), count("c"), Order((SortKey(Variable("number"), True),)), Slice(1))
AVERAGE_NUMBER = Group((), (Aggregate("mean", AggregateFunction.AVERAGE, Variable("number")),))
AUSTRIA = Match((NodePattern("c"),), where=is_named("c", "Austria"))
FRANCE = Match((NodePattern("c"),), where=is_named("c", "France"))


async def texts(*steps: Step) -> list[str]:
    reply = await run_plan(GRAPH, PlanRequest(plan=Plan(steps)))
    return [" ".join(reply.evidence[index].text for index in of_row) for of_row in reply.row_evidence]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            (BORDERS_GERMANY, columns("c")),
            ["Austria borders Germany.", "Poland borders Germany.", "France borders Germany."],
        ),
        ((BORDERS_GERMANY, count()), ["3 entities border Germany: Austria, Poland and France."]),
        (
            MOST_NEIGHBOURS,
            ["3 entities border Germany: Austria, Poland and France. Next is France, with a count of 2."],
        ),
        (
            (BORDERS_GERMANY, Filter(Exists(BORDERS_SPAIN)), columns("c")),
            ["France borders Germany and Spain."],
        ),
        (
            (HAS_CAPITAL, Filter(Not(Exists(BORDERS_SPAIN))), columns("c")),
            ["The capital of Germany is Berlin. No fact states that Germany borders Spain."],
        ),
        ((FRANCE, Project((Column("yes", Exists(BORDERS_SPAIN)),))), ["France borders Spain."]),
        (
            (AUSTRIA, Project((Column("yes", Exists(BORDERS_SPAIN)),))),
            ["No fact states that Austria borders Spain."],
        ),
        (
            (HAS_CAPITAL, Filter(Comparison(">", CountMatches(borders("c", "x")), Constant(2))), columns("c")),
            ["The capital of Germany is Berlin. Austria, Poland and France border Germany."],
        ),
        (
            (
                borders("c", "x"),
                count("c"),
                Group((), (Aggregate("m", AggregateFunction.AVERAGE, Variable("number")),)),
            ),
            ["The average count is 1.67. Austria, Poland and France border Germany. France and Portugal border Spain."],
        ),
        (
            (borders("c", "g", is_named("g", "Berlin")), count()),
            ["The number of entities is 0. No fact states that an entity borders Berlin."],
        ),
    ],
)
async def test_the_text_states_what_the_row_follows_from(steps: Sequence[Step], expected: list[str]) -> None:
    assert await texts(*steps) == expected


@pytest.mark.parametrize(
    ("steps", "summary"),
    [
        ((BORDERS_GERMANY, count()), "3 entities border Germany: Austria, Poland and France."),
        (
            (BORDERS_GERMANY, Filter(Comparison(">", CountMatches(borders("c", "x")), Constant(1))), count()),
            "The number of entities is 1: France.",
        ),
        ((borders("c", "g", is_named("g", "Berlin")), count()), "The number of entities is 0."),
        ((BORDERS_GERMANY, columns("c")), ""),
    ],
)
async def test_the_summary_is_what_was_counted(steps: Sequence[Step], summary: str) -> None:
    reply = await run_plan(GRAPH, PlanRequest(plan=Plan(tuple(steps))))
    assert reply.evidence[0].summary == summary


async def test_a_path_that_starts_at_a_superlative_has_the_facts_of_both_parts() -> None:
    [text] = await texts(*MOST_NEIGHBOURS, HAS_CAPITAL, columns("k"))

    assert "Austria, Poland and France border Germany. The capital of Germany is Berlin." in text
    assert "Next is France, with a count of 2." in text


async def test_the_plans_of_a_union_have_evidence() -> None:
    both = Union((Plan((BORDERS_GERMANY, columns("c"))), Plan((BORDERS_SPAIN, columns("c")))))

    found = await texts(both)

    assert "France borders Germany and Spain." in found


async def test_rows_that_tie_with_the_last_one_are_reported() -> None:
    plan = Plan((borders("c", "x"), count("c"), Order((SortKey(Variable("number"), True),)), Slice(2)))

    reply = await run_plan(GRAPH, PlanRequest(plan=plan))

    [warning] = reply.warnings
    assert warning.kind == "tie"
    assert warning.text == "There is a tie for the last place: others, such as Spain (count: 2), are not listed."


async def test_facts_keep_the_direction_of_the_graph() -> None:
    reply = await run_plan(GRAPH, PlanRequest(plan=Plan((borders("g", "c", is_named("g", "Spain")), columns("c")))))

    assert [item.triples for item in reply.evidence] == [
        [Triple("France", "borders", "Spain")],
        [Triple("Portugal", "borders", "Spain")],
    ]


async def test_further_facts_are_counted() -> None:
    graph = InMemoryGraph([(f"P{number:02}", "lives_in", "Rome") for number in range(40)])
    lives = Match((NodePattern("p"), NodePattern("r")), (RelationshipPattern("p", "r", ("lives_in",)),))

    reply = await run_plan(graph, PlanRequest(plan=Plan((lives, count("r")))))

    [item] = reply.evidence
    assert (len(item.triples), item.omitted) == (25, 15)
    assert item.text.startswith("40 entities live in Rome: P00, P01,")
    assert item.text.endswith("and 15 more.")


async def test_evidence_is_bounded() -> None:
    plan = Plan((borders("c", "x"), columns("c", "x")))

    reply = await run_plan(GRAPH, PlanRequest(plan=plan, max_evidence=2))
    without = await run_plan(GRAPH, PlanRequest(plan=plan, max_evidence=0))

    assert [len(of_row) for of_row in reply.row_evidence] == [1, 1] + [0] * 8
    assert without.evidence == []
