"""Plans for triples name the kinds and the properties that are inferred."""

from pathlib import Path

import pytest

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Exists,
    Match,
    NodePattern,
    Not,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.execution.readable import readable
from services.retriever.plans.schema.graph_view import GraphView
from training.planning.plan_kinds import with_kinds

_STARTED = Match((NodePattern("p"), NodePattern("d")), (RelationshipPattern("p", "d", ("started_on",)),))


@pytest.fixture
async def view(tmp_path: Path) -> GraphView:
    facts = [f"Person {n}\tworks_for\tFirm {n % 4}\nPerson {n}\tstarted_on\t20{10 + n % 12}-05-01" for n in range(40)]
    facts += [f"Firm {n}\tlocated_in\tTown {n % 2}" for n in range(4)]
    (tmp_path / "facts.tsv").write_text("\n".join(facts), encoding="utf-8")
    import_files([tmp_path / "facts.tsv"], tmp_path / "graph.sqlite")
    return await GraphView.of(SqliteGraphStore(tmp_path / "graph.sqlite", 5.0))


async def test_values_become_properties(view: GraphView) -> None:
    named = Match(_STARTED.nodes, _STARTED.relationships, Comparison("=", Property("p", "name"), Constant("Person 3")))

    plan = await with_kinds(Plan((named, Project((Column("d", Variable("d")),)))), view)

    assert "started_on ->" not in readable(plan)
    assert "p.started_on as d" in readable(plan)


async def test_facts_about_values_become_conditions(view: GraphView) -> None:
    works = RelationshipPattern("p", "f", ("works_for",))
    everyone = Match((NodePattern("p"), NodePattern("f")), (works,), Not(Exists(_STARTED)))

    plan = await with_kinds(Plan((everyone, Project((Column("p", Variable("p")),)))), view)

    assert "started_on is missing" in readable(plan)
    assert (await view.store.run(view.runnable(plan))).rows == ()


async def test_a_pattern_of_its_own_keeps_its_node(view: GraphView) -> None:
    whether = Plan((Project((Column("answer", Exists(_STARTED)),)),))

    plan = await with_kinds(whether, view)

    assert (await view.store.run(view.runnable(plan))).rows == ((True,),)


async def test_properties_and_names_tell_kinds(view: GraphView) -> None:
    dated = Match((NodePattern("p"),), (), Comparison("=", Property("p", "name"), Constant("Person 3")))

    plan = await with_kinds(Plan((dated, Project((Column("d", Property("p", "started_on")),)))), view)

    [kind] = plan.steps[0].nodes[0].kinds  # type: ignore[union-attr]
    assert kind in view.schema.kinds
    assert "started_on" in view.schema.kinds[kind].properties
