"""A scoped store does what a store over the visible part of the graph does, whatever is hidden."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore, PathEnd, WalkRule
from services.retriever.scopes.scoped_store import ScopedStore
from shared.errors import ForbiddenError, InvalidInputError, PlanLimitError
from shared.scope_conditions import ScopeCondition, read_condition
from tests.graph_contract import *
from tests.graph_contract import Opened, without_keys
from tests.support.plan_results import comparable
from tests.support.property_graphs import film_graph, shop_graph, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import Node, PropertyGraph, evaluate
from tests.unit.graph.building import Row, graph_file

_HIDING = "Hidden.tenant = 42"


def _around(rows: list[Row]) -> list[Row]:
    """Return facts of hidden entities that touch every visible one by every relation."""
    facts = [row for row in rows if row[1] != "alias"]
    links = dict.fromkeys(
        link for s, r, o in facts for link in (("Secret", r, s), (s, r, "Secret"), (o, r, "Secret 2"))
    )
    return [*links, ("Secret", "whispers", "Secret 2")]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a store over the given rows among others that are hidden, and close it after the test."""
    stores: list[SqliteGraphStore] = []

    async def open_(rows: list[Row]) -> ScopedStore:
        labels: list[Row] = [(name, ":LABEL", "Hidden") for name in ("Secret", "Secret 2")]
        tenants: list[Row] = [(name, "tenant", "41") for name in ("Secret", "Secret 2")]
        stores.append(SqliteGraphStore(graph_file(tmp_path, [*rows, *labels, *tenants, *_around(rows)])))
        return ScopedStore(stores[-1], [read_condition(_HIDING)])

    yield open_
    for store in stores:
        await store.close()


async def test_what_is_hidden_cannot_be_found(opened: Opened) -> None:
    store = await opened([("Alien", "directed_by", "Ridley Scott")])

    assert await store.entities_named(["secret", "secret 2"]) == [[], []]
    assert await store.entities_like(["secrat"]) == [[]]
    assert await store.entities_by_short_name(["secret"]) == [[]]
    assert await store.relations() == ("directed_by",)
    [[alien]] = await store.entities_named(["alien"])
    assert alien.degree == 1
    assert await store.steps_after([(alien.entity, ())]) == [frozenset({"directed_by"})]
    assert "Hidden" not in (await store.schema()).kinds
    [back] = await store.walk([(alien.entity, ("directed_by", "^directed_by"))], WalkRule("walk"))
    assert back.reached == ()
    assert "Secret" not in {entity.name for entity in await store.sample_entities(100)}


# Laws

_SCOPES = {
    "films": (film_graph, ["Film.year = 1985", "Film.year = 1700", 'Person.name = "Person 3"']),
    "shop": (shop_graph, ['Customer.city = "Oslo"', "Product.active = true", "Product.stock = 7"]),
}


def _is_visible(node: Node, conditions: list[ScopeCondition]) -> bool:
    return all(one.kind not in node.kinds or node.properties.get(one.key) == one.value for one in conditions)


def _visible_part(graph: PropertyGraph, conditions: list[ScopeCondition]) -> PropertyGraph:
    nodes = tuple(node for node in graph.nodes if _is_visible(node, conditions))
    kept = {node.id for node in nodes}
    return PropertyGraph(nodes, tuple(one for one in graph.relationships if {one.source, one.target} <= kept))


class _Part:
    """Hold a graph file, and a scoped store over it, with the visible part as the reference."""

    def __init__(
        self, folder: Path, name: str, texts: list[str], runner: asyncio.Runner, is_fixed: bool = True
    ) -> None:
        conditions = list(map(read_condition, texts))
        self.whole = _SCOPES[name][0]()
        self.visible = _visible_part(self.whole, conditions)
        self.run = runner.run
        file = folder / f"{name}{len(list(folder.iterdir()))}.sqlite"
        write_graph_file(self.whole, file)
        self.base = SqliteGraphStore(file)
        self.store = ScopedStore(self.base, conditions, is_fixed)
        alone = folder / f"{file.stem} alone.sqlite"
        write_graph_file(self.visible, alone)
        self.alone = SqliteGraphStore(alone)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[_Part]]:
    folder = tmp_path_factory.mktemp("parts")
    with asyncio.Runner() as runner:
        found = [
            _Part(folder, name, texts, runner)
            for name, (_, each) in _SCOPES.items()
            for texts in ([each[0]], [each[1]], [each[2]], each[:1] + each[2:])
        ]
        found.append(_Part(folder, "films", _SCOPES["films"][1][:1], runner, is_fixed=False))
        yield found
        for part in found:
            runner.run(part.base.close())
            runner.run(part.alone.close())


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_plans_return_what_they_return_on_the_visible_part_alone(parts: list[_Part], data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(parts))
    # Plans may name what only the whole graph has.
    plan = data.draw(random_plans(part.whole, part.run(part.base.schema())))
    try:
        check_plan(plan, part.run(part.base.schema()))
        expected = evaluate(plan, part.visible)
        found = part.run(part.store.run(plan, 3_000))
    except (OverflowError, PlanLimitError):
        return
    except InvalidInputError:
        # The whole graph may hold texts where the visible part has nothing to add up.
        assert _is_refused(plan, part, part.store) == _is_refused(plan, part, part.alone)
        return
    assert comparable(found.rows) == comparable(expected.rows)


def _is_refused(plan: Plan, part: _Part, store: GraphStore) -> bool:
    try:
        check_plan(plan, part.run(store.schema()))
    except InvalidInputError:
        return True
    return False


def _counts(schema: GraphSchema) -> dict[str, Any]:
    kinds = {
        name: (kind.count, {k: (p.count, p.samples) for k, p in kind.properties.items()})
        for name, kind in schema.kinds.items()
    }
    types = {
        name: (one.count, one.ends, {k: p.count for k, p in one.properties.items()})
        for name, one in schema.relationships.items()
    }
    return {"kinds": kinds, "types": types}


def test_the_schema_is_that_of_the_visible_part_alone(parts: list[_Part]) -> None:
    for part in parts:
        found, alone = (_counts(part.run(store.schema())) for store in (part.store, part.alone))
        assert found["types"] == alone["types"]
        assert found["kinds"].keys() == alone["kinds"].keys()
        for name, (count, properties) in found["kinds"].items():
            other_count, others = alone["kinds"][name]
            assert (count, {key: one[0] for key, one in properties.items()}) == (
                other_count,
                {key: one[0] for key, one in others.items()},
            )
            stored = [node.properties for node in part.visible.nodes if name in node.kinds]
            for key, (_, samples) in properties.items():
                assert set(samples) <= {node.get(key) for node in stored}


def test_names_steps_and_walks_are_those_of_the_visible_part_alone(parts: list[_Part]) -> None:
    rules = [WalkRule(mode, exclude) for mode in ("trail", "walk") for exclude in (True, False)]
    for part in (parts[0], parts[3], parts[-1]):  # the import chooses other names for a part of the shop
        names = sorted({str(node.properties.get("title") or node.properties["name"]) for node in part.whole.nodes})
        visible = {str(node.properties.get("title") or node.properties["name"]) for node in part.visible.nodes}
        found, alone = (part.run(store.entities_named(names)) for store in (part.store, part.alone))
        assert list(map(without_keys, found)) == list(map(without_keys, alone))
        assert {match.name for one in found for match in one} == visible
        for similar in (part.run(part.store.entities_like(names)), part.run(part.store.entities_by_short_name(names))):
            assert {match.name for one in similar for match in one} <= visible

        topics, others = ([match.entity for one in named for match in one] for named in (found, alone))
        steps = [f"{mark}{relation}" for relation in part.run(part.base.relations()) for mark in ("", "^")]
        for path in ((), *((one,) for one in steps), *((one, two) for one in steps for two in steps)):
            starts, other_starts = ([(entity, path) for entity in entities[::5]] for entities in (topics, others))
            assert part.run(part.store.steps_after(starts)) == part.run(part.alone.steps_after(other_starts))
            for rule in rules if path else []:
                walks = zip(
                    part.run(part.store.walk(starts, rule)), part.run(part.alone.walk(other_starts, rule)), strict=True
                )
                for one, other in walks:
                    ends = [[end.entity.name for end in walk.reached] for walk in (one, other)]
                    assert sorted(ends[0]) == sorted(ends[1])
                    assert all(
                        {*_names(end)} <= visible and len(end.reasoning_path) == len(path) for end in one.reached
                    )


def _names(end: PathEnd) -> list[str]:
    return [name for fact in end.reasoning_path for name in (fact.subject, fact.object)]


# Conditions


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Document.tenant = 42", ScopeCondition("Document", "tenant", 42)),
        ('Odd kind.with.dots="a = b"', ScopeCondition("Odd kind.with", "dots", "a = b")),
        ("D.is_public=true", ScopeCondition("D", "is_public", True)),
        ("D.x = -0.5", ScopeCondition("D", "x", -0.5)),
    ],
)
def test_conditions_are_read_and_written(text: str, condition: ScopeCondition) -> None:
    assert read_condition(text) == condition == read_condition(str(condition))


@pytest.mark.parametrize(
    "text",
    ["", "tenant = 42", "Document.tenant", "Document. = 42", ".tenant = 42", "D.t = x", "D.t = [1]", "D.t = null"],
)
def test_a_malformed_condition_is_explained(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"such as Document\.tenant = 42"):
        read_condition(text)


@pytest.mark.parametrize(
    "text", ["Movie.year = 1985", "Film.tenant = 42", 'Film.year = "1985"', f"Film.year = {2**70}"]
)
async def test_a_scope_that_does_not_fit_the_graph_shows_nothing(parts: list[_Part], text: str) -> None:
    store = ScopedStore(parts[0].base, [read_condition(text)])
    for call in (store.schema, store.check, store.relations):
        with pytest.raises(ForbiddenError, match="does not fit this graph"):
            await call()
    with pytest.raises(ForbiddenError):
        await store.entities_named(["Film 1"])


async def test_versions_of_parts_differ(parts: list[_Part]) -> None:
    stores: list[GraphStore] = [
        parts[0].base,
        *(ScopedStore(parts[0].base, [ScopeCondition("Film", "year", year)]) for year in (1, 2)),
    ]
    assert len({await store.version() for store in stores}) == 3
