import threading
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Comparison,
    Constant,
    Exists,
    Group,
    Match,
    NodePattern,
    Not,
    Plan,
    Property,
    RelationshipPattern,
)
from graph.plan.checks import check_plan
from graph.plan.traversal import walk
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.sqlite_writer import GraphWriter
from services.retriever.plans.schema import inferred_kinds, kind_groups
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.inferred_kinds import infer_kinds
from services.retriever.plans.schema.kind_names import KindName, name_kind
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.own_questions import OwnQuestions


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[GraphStore]:
    file = tmp_path / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for number in range(30):
            film = f"Film No {number}"
            writer.add_triple(film, "directed_by", f"Director {number % 7}")
            writer.add_triple(film, "written_by", f"Writer {number % 9}")
            writer.add_triple(film, "has_genre", ("Drama", "Comedy", "Horror")[number % 3])
            writer.add_triple(film, "release_year", str(1980 + number))
        writer.finish()
    store = SqliteGraphStore(file, 5.0)
    yield store
    await store.close()


async def test_entities_with_the_same_relations_are_of_one_kind(store: GraphStore) -> None:
    found = await infer_kinds(store)

    [(film, genre)] = found.schema.relationships["has_genre"].ends
    assert (film, genre) == ("Film", "Genre")
    assert {source for source, _ in found.schema.relationships["directed_by"].ends} == {film}
    assert set(found.schema.kinds[film].properties) == {"release_year", "name"}
    assert "release_year" not in found.schema.relationships


async def test_the_event_loop_serves_others_while_kinds_are_inferred(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()

    def named(steps: Sequence[str], taken: Collection[str]) -> KindName:
        threads.add(threading.current_thread())
        return name_kind(steps, taken)

    monkeypatch.setattr(inferred_kinds, "name_kind", named)
    await infer_kinds(store)

    assert threads and threading.current_thread() not in threads


@pytest.mark.parametrize(("many", "kinds"), [(7, 7), (5, 6)])
async def test_the_rarest_of_many_kinds_join_others_and_no_relation_is_lost(
    many: int, kinds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind_groups, "_MANY", many)
    with closing(GraphWriter(tmp_path / "rare.sqlite")) as writer:
        for number in range(30):
            writer.add_triple(f"Film {number}", "directed_by", f"Director {number % 7}")
            writer.add_triple(f"Film {number}", "has_genre", ("Drama", "Comedy", "Horror")[number % 3])
        for number in range(20):
            writer.add_triple(f"Town {number}", "is_in", f"Country {number % 15}")
        writer.add_triple("Song", "has_genre", "Drama")
        for relation in ("played_by", "sold_by", "held_by"):
            writer.add_triple("Song", relation, "Band")  # these share no step with the others
        writer.finish()
    store = SqliteGraphStore(tmp_path / "rare.sqlite", 5.0)
    found = await infer_kinds(store)
    await store.close()

    assert len(found.schema.kinds) == kinds
    assert set(found.schema.relationships) == {"directed_by", "has_genre", "is_in", "played_by", "sold_by", "held_by"}


async def _count(store: GraphStore, match: Match) -> object:
    view = await GraphView.of(store)
    counted = Plan((match, Group((), (Aggregate("n", AggregateFunction.COUNT),))))
    plan = view.runnable(counted)
    assert all(not part.kinds for part in walk(plan) if isinstance(part, NodePattern))
    return (await store.run(plan)).rows[0][0]


async def test_a_kind_stands_for_the_entities_that_can_take_its_steps(store: GraphStore) -> None:
    assert await _count(store, Match((NodePattern("x", ("Film",)),))) == 30
    assert await _count(store, Match((NodePattern("x", ("Genre",)),))) == 3


async def test_a_relationship_already_says_what_kind_its_ends_are(store: GraphStore) -> None:
    link = RelationshipPattern("x", "y", ("has_genre",))
    match = Match((NodePattern("x", ("Film",)), NodePattern("y", ("Genre",))), (link,))

    assert await _count(store, match) == 30
    assert (await GraphView.of(store)).runnable(Plan((match,))) == Plan(
        (Match((NodePattern("x"), NodePattern("y")), (link,)),)
    )


async def test_kinds_inside_conditions_are_replaced(store: GraphStore) -> None:
    inner = Match(
        (NodePattern("x", ("Film",)), NodePattern("g", ("Genre",))),
        (RelationshipPattern("x", "g", ("has_genre",)),),
        Comparison("=", Property("g", "name"), Constant("Drama")),
    )
    match = Match((NodePattern("x", ("Film",)),), where=Not(Exists(inner)))

    assert await _count(store, match) == 20


async def test_a_graph_with_kinds_is_seen_as_it_is(tmp_path: Path) -> None:
    write_graph_file(film_graph(), tmp_path / "films.sqlite")
    store = SqliteGraphStore(tmp_path / "films.sqlite", 5.0)
    view = await GraphView.of(store)
    plan = Plan((Match((NodePattern("x", ("Film",)),)),))

    assert view.schema == await store.schema()
    assert view.runnable(plan) == plan
    await store.close()


async def test_entities_are_asked_for_their_kinds(store: GraphStore) -> None:
    view = await GraphView.of(store)
    [[drama], [film]] = await store.entities_named(["Drama", "Film No 3"])

    assert await view.kinds_of([drama.entity, film.entity]) == {drama.entity.id: "Genre", film.entity.id: "Film"}


async def test_questions_about_a_graph_without_kinds_have_plans_that_run(store: GraphStore) -> None:
    view = await GraphView.of(store)

    questions = list((await OwnQuestions.of(view, {}, 1)).questions(200, 1))

    assert len(questions) == 200
    for one in questions[:60]:
        check_plan(one.plan, view.schema)
        await store.run(view.runnable(one.plan))


async def test_the_same_seed_gives_the_same_questions(store: GraphStore) -> None:
    view = await GraphView.of(store)
    first, again = [list((await OwnQuestions.of(view, {}, 3)).questions(50, 3)) for _ in range(2)]

    assert first == again


async def test_a_node_whose_relation_other_kinds_have_as_well_is_still_one_of_its_kind(tmp_path: Path) -> None:
    file = tmp_path / "mixed.sqlite"
    with closing(GraphWriter(file)) as writer:
        for number in range(30):
            for kind, own in (("Ticket", "has_priority"), ("Project", "delivers_product")):
                writer.add_triple(f"{kind} {number}", "has_status", ("open", "done")[number % 2])
                writer.add_triple(f"{kind} {number}", "handled_by", f"Person {number % 7}")
                writer.add_triple(f"{kind} {number}", own, f"{own} {number % 3}")
        writer.finish()
    store = SqliteGraphStore(file, 5.0)
    found = await infer_kinds(store)
    [ticket] = [kind for kind, steps in found.steps.items() if "has_priority" in steps]
    [status] = {target for _, target in found.schema.relationships["has_status"].ends}
    nodes = (NodePattern("t", (ticket,)), NodePattern("s", (status,)))

    assert await _count(store, Match(nodes, (RelationshipPattern("t", "s", ("has_status",)),))) == 30
    await store.close()
