import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from shared.errors import InvalidInputError, NotFoundError
from shared.graph import sqlite_names, sqlite_spellings, sqlite_walk
from shared.graph.sqlite import SqliteGraphStore
from shared.graph.store import Entity, GraphStore, Reached, Triple, WalkRule
from tests.fakes.graph import InMemoryGraph
from tests.unit.graph.building import Row, graph_file

_FILMS: list[Row] = [
    ("Alien", "directed_by", "Ridley Scott"),
    ("Alien", "starred_actors", "Sigourney Weaver"),
    ("Aliens", "directed_by", "James Cameron"),
    ("Aliens", "starred_actors", "Sigourney Weaver"),
    ("Ridley Scott", "alias", "Sir Ridley"),
]

_Opened = Callable[[list[Row]], SqliteGraphStore]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[_Opened]:
    """Opens a store over given rows, and closes it after the test."""
    stores: list[SqliteGraphStore] = []

    def open_(rows: list[Row]) -> SqliteGraphStore:
        stores.append(SqliteGraphStore(graph_file(tmp_path, rows)))
        return stores[-1]

    yield open_
    for store in stores:
        await store.close()


def _entity(name: str) -> Entity:
    return Entity(name, name)


def _as_protocol(store: GraphStore) -> GraphStore:
    return store


async def test_relations_are_sorted_and_alias_is_none_of_them(opened: _Opened) -> None:
    assert await _as_protocol(opened(_FILMS)).relations() == ("directed_by", "starred_actors")


async def test_walks_back_and_forth_with_a_reasoning_path_in_the_graphs_direction(opened: _Opened) -> None:
    path = ("starred_actors", "^starred_actors")

    [walk] = await opened(_FILMS).walk([(_entity("Alien"), path)], WalkRule())

    facts = (
        Triple("Alien", "starred_actors", "Sigourney Weaver"),
        Triple("Aliens", "starred_actors", "Sigourney Weaver"),
    )
    assert walk.reached == (Reached(_entity("Aliens"), facts),)
    assert (walk.topic, walk.relation_path, walk.truncated) == (_entity("Alien"), path, False)


@pytest.mark.parametrize(
    ("rule", "ends"),
    [
        (WalkRule("trail", exclude_topic=True), ["Aliens"]),
        (WalkRule("trail", exclude_topic=False), ["Aliens"]),
        (WalkRule("walk", exclude_topic=True), ["Aliens"]),
        (WalkRule("walk", exclude_topic=False), ["Alien", "Aliens"]),
    ],
)
async def test_the_walk_rule_decides_whether_the_way_back_counts(
    opened: _Opened, rule: WalkRule, ends: list[str]
) -> None:
    [walk] = await opened(_FILMS).walk([(_entity("Alien"), ("starred_actors", "^starred_actors"))], rule)

    assert [reached.entity.name for reached in walk.reached] == ends


async def test_a_trail_may_pass_the_topic_in_the_middle(opened: _Opened) -> None:
    rows = [("a", "r", "b"), ("b", "s", "a"), ("a", "t", "c")]

    [walk] = await opened(rows).walk([(_entity("a"), ("r", "s", "t"))], WalkRule())

    assert [reached.entity.name for reached in walk.reached] == ["c"]


async def test_a_trail_takes_the_longer_way_where_the_first_would_repeat_a_triple(opened: _Opened) -> None:
    rows = [("a", "r", "hub"), ("b", "r", "hub"), ("a", "r", "other"), ("b", "r", "other")]

    [walk] = await opened(rows).walk([(_entity("a"), ("r", "^r", "r"))], WalkRule())

    assert [(r.entity.name, r.reasoning_path[0].object) for r in walk.reached] == [("other", "hub"), ("hub", "other")]


async def test_unknown_relations_and_topics_reach_nothing(opened: _Opened) -> None:
    starts = [(_entity("Alien"), ("unheard_of",)), (_entity("Nobody"), ("directed_by",)), (_entity("Alien"), ("",))]

    walks = await opened(_FILMS).walk(starts, WalkRule())

    assert [walk.reached for walk in walks] == [(), (), ()]


async def test_answers_come_in_the_order_of_the_file_and_truncation_is_told(opened: _Opened) -> None:
    store = opened([("a", "r", end) for end in ("z", "y", "x")])

    [cut] = await store.walk([(_entity("a"), ("r",))], WalkRule(), limit=2)
    [whole] = await store.walk([(_entity("a"), ("r",))], WalkRule(), limit=3)

    assert [reached.entity.name for reached in cut.reached] == ["z", "y"]
    assert (cut.truncated, whole.truncated) == (True, False)


async def test_no_answer_is_lost_behind_many_ways_to_another(opened: _Opened) -> None:
    crowd: list[Row] = [("a", "r", f"m{n}") for n in range(300)]
    ways: list[Row] = [(f"m{n}", "s", "common") for n in range(300)]
    store = opened([*crowd, *ways, ("m299", "s", "rare")])

    [walk] = await store.walk([(_entity("a"), ("r", "s"))], WalkRule(), limit=2)

    assert [reached.entity.name for reached in walk.reached] == ["common", "rare"]
    assert not walk.truncated


async def test_a_walk_through_a_hub_costs_its_triples_and_not_its_ways(opened: _Opened) -> None:
    # 2,000 x 2,000 x 2,000 ways, but 2,000 triples.
    store = opened([("hub", "r", f"n{number}") for number in range(2000)])

    [walk] = await store.walk([(_entity("hub"), ("r", "^r", "r", "^r", "r"))], WalkRule("walk"), limit=5000)

    assert len(walk.reached) == 2000


async def test_a_runaway_walk_is_stopped_and_does_not_spoil_those_before_it(tmp_path: Path) -> None:
    rows: list[Row] = [("hub", "r", f"n{number}") for number in range(300)] + [("a", "s", "b")]
    store = SqliteGraphStore(graph_file(tmp_path, rows), seconds_allowed=0.0)

    walks = await store.walk([(_entity("a"), ("s",)), (_entity("hub"), ("r", "^r") * 30)], WalkRule("walk"))
    await store.close()

    assert [reached.entity.name for reached in walks[0].reached] == ["b"]
    assert [walk.unfinished for walk in walks] == [False, True]
    assert walks[1].reached == ()


async def test_many_calls_at_once_get_their_own_answers(opened: _Opened) -> None:
    store = opened([(f"s{n}", "r", f"o{n}") for n in range(50)])

    async def ask(n: int) -> bool:
        [walk] = await store.walk([(_entity(f"s{n}"), ("r",))], WalkRule())
        return [reached.entity.name for reached in walk.reached] == [f"o{n}"]

    assert all(await asyncio.gather(*(ask(n % 50) for n in range(500))))


async def test_entities_named_ignores_case_and_accents_and_knows_aliases(opened: _Opened) -> None:
    store = opened([("Élan", "made_in", "France"), ("Lotus", "made", "Élan"), ("Élan", "alias", "Lotus Elan")])

    by_name, by_alias, nobody = await store.entities_named(["ELAN!", "lotus elan", "nobody"])

    assert [(m.entity.id, m.name, m.is_alias, m.distance, m.degree) for m in by_name] == [("Élan", "Élan", False, 0, 2)]
    assert [(m.entity.id, m.name, m.is_alias) for m in by_alias] == [("Élan", "Lotus Elan", True)]
    assert nobody == []


async def test_entities_named_puts_own_names_first_then_the_best_known_then_the_key(opened: _Opened) -> None:
    rows = [
        ("IT", "likes", "a"),
        ("It", "likes", "a"),
        ("it", "likes", "a"),
        ("it", "likes", "b"),
        ("Clown", "likes", "a"),
        ("Clown", "likes", "b"),
        ("Clown", "likes", "c"),
        ("Clown", "alias", "It!"),
    ]

    [matches] = await opened(rows).entities_named(["it"])

    assert [match.entity.id for match in matches] == ["it", "IT", "It", "Clown"]


async def test_of_a_name_that_very_many_bear_the_best_known_are_given(opened: _Opened) -> None:
    rows: list[Row] = [(f"Smith {n}", "alias", "Smith") for n in range(80)]
    rows += [(f"Smith {n}", "likes", f"thing {m}") for n in range(80) for m in range(n % 7 + 1)]

    [matches] = await opened([*rows, ("Smith", "likes", "thing 0")]).entities_named(["smith"])

    assert (len(matches), matches[0].entity.id) == (50, "Smith")
    assert [match.degree for match in matches[1:12]] == [7] * 11


async def test_names_of_the_same_letters_are_told_apart_by_their_blanks(opened: _Opened) -> None:
    store = opened([("Iceland", "r", "x"), ("Ice Land", "r", "x"), ("Ice-Land", "r", "y")])

    [one, two], [near] = await store.entities_named(["iceland", "ice land"]), await store.entities_like(["iceland"])

    assert [match.name for match in one] == ["Iceland"]
    assert [match.name for match in two] == ["Ice Land", "Ice-Land"]
    assert [(match.name, match.distance) for match in near] == [("Ice Land", 1), ("Ice-Land", 1)]


async def test_a_triple_from_an_entity_to_itself_counts_once_in_its_degree(opened: _Opened) -> None:
    [[match]] = await opened([("a", "r", "a"), ("a", "r", "b")]).entities_named(["a"])

    assert match.degree == 2


async def test_an_alias_of_an_alias_spelt_like_the_name_is_one_match(opened: _Opened) -> None:
    [matches] = await opened([("Spider-Man", "r", "x"), ("Spider-Man", "alias", "spider man")]).entities_named(
        ["Spider Man"]
    )

    assert [(match.name, match.is_alias) for match in matches] == [("Spider-Man", False)]


@pytest.mark.parametrize(
    ("asked", "name", "distance"),
    [
        ("Sigourny Weaver", "Sigourney Weaver", 1),  # a letter too few
        ("Sigourney Weawer", "Sigourney Weaver", 1),  # a wrong letter
        ("Sigourney Waever", "Sigourney Weaver", 1),  # two letters swapped
        ("Sigourneyy Weaver", "Sigourney Weaver", 1),  # a letter too many
        ("igourney Weaver", "Sigourney Weaver", 1),  # the first letter missing
        ("Sogourny Weaver", "Sigourney Weaver", 2),  # two errors in one word
        ("Sigourny Wever", "Sigourney Weaver", 2),  # one error in each of two words
        ("newzealand", "New Zealand", 1),  # a blank too few
        ("ice land", "Iceland", 1),  # a blank too many
        ("ne wzealand", "New Zealand", 1),  # a blank in the wrong place
        ("abishek bachan", "Abhishek Bachchan", 2),  # as it sounds
        ("kristef", "Christeph", 1),
        ("sri ridley", "Sir Ridley", 1),  # a short word that its neighbour makes recognisable
        ("si ridley", "", 0),  # two letters are too few to be sure of
        ("Sigurn Wever", "", 0),  # three errors
        ("1995", "", 0),  # another number is another thing
        ("sigourney weaver", "", 0),  # exact
    ],
)
async def test_entities_like_finds_misspelt_names(opened: _Opened, asked: str, name: str, distance: int) -> None:
    rows = [*_FILMS, ("Alien", "shown_in", "New Zealand"), ("Alien", "shown_in", "Iceland"), ("Alien", "in", "1994")]
    rows += [("Alien", "seen_by", name) for name in ("Abhishek Bachchan", "Christeph")]

    [matches] = await opened(rows).entities_like([asked])

    assert [(match.name, match.distance) for match in matches] == ([(name, distance)] if name else [])


async def test_entities_like_finds_aliases_and_answers_name_by_name(opened: _Opened) -> None:
    alias, nothing, film = await opened(_FILMS).entities_like(["Sir Ridlay", "", "Alein"])

    assert [(match.entity.name, match.name, match.is_alias) for match in alias] == [
        ("Ridley Scott", "Sir Ridley", True)
    ]
    assert nothing == []
    assert [match.name for match in film] == ["Alien"]


async def test_entities_like_leaves_out_entities_that_bear_the_name_exactly(opened: _Opened) -> None:
    rows = [("Color", "r", "x"), ("Color", "alias", "Colour"), ("Colors", "r", "x")]

    [matches] = await opened(rows).entities_like(["color"])

    assert [match.name for match in matches] == ["Colors"]


async def test_entities_like_gives_a_handful_closest_first(opened: _Opened) -> None:
    letters = "abcdefgh"
    rows = [(f"{letter}ouses", "r", "x") for letter in letters]

    [matches] = await opened(rows).entities_like(["houses"])

    assert len(matches) == 5
    assert {match.distance for match in matches} == {1}


async def test_entities_like_finds_misspelt_short_names(opened: _Opened) -> None:
    rows = [*_FILMS, ("Aliens", "seen_by", "Weever"), ("Alien: Covenant", "directed_by", "Ridley Scott")]
    store, reference = opened(rows), InMemoryGraph([row for row in rows if row[1] != "alias"])
    asked = ["weavver", "wever", "skott", "scott", "alein"]

    found = await store.entities_like(asked)

    assert found == await reference.entities_like(asked)
    assert [[(match.name, match.distance, match.is_short) for match in matches] for matches in found] == [
        [("Weever", 1, False), ("Sigourney Weaver", 1, True)],
        [("Weever", 1, False), ("Sigourney Weaver", 1, True)],
        [("Ridley Scott", 1, True)],
        [],
        [("Alien", 1, False), ("Alien: Covenant", 1, True)],
    ]


async def test_entities_like_agrees_with_the_reference_for_single_typing_errors(opened: _Opened) -> None:
    names = ["Casablanca", "Metropolis", "Blade Runner", "Борис Годунов", "北京大学东门", "Ghost World"]
    rows = [(name, "r", "x") for name in names]
    store, reference = opened(rows), InMemoryGraph(rows)
    typed = [f"{name[:i]}{name[i + 1 :]}" for name in names for i in range(len(name))]

    assert await store.entities_like(typed) == await reference.entities_like(typed)


async def test_entities_for_short_are_those_of_a_surname_or_a_title_without_subtitle(opened: _Opened) -> None:
    rows = [("Aliens", "seen_by", name) for name in ("Zoe Weaver", "Amy Weaver")]
    rows += [*_FILMS, ("Aliens", "written_by", "Tony Scott"), ("Alien: Covenant", "directed_by", "Ridley Scott")]
    store, reference = opened(rows), InMemoryGraph([row for row in rows if row[1] != "alias"])
    asked = ["scott", "Weaver", "alien", "ridley scott", "ridley", ""]

    found = await store.entities_for_short(asked)

    assert found == await reference.entities_for_short(asked)
    assert [[match.name for match in matches] for matches in found] == [
        ["Ridley Scott", "Tony Scott"],
        ["Sigourney Weaver", "Amy Weaver", "Zoe Weaver"],
        ["Alien: Covenant"],
        [],
        [],
        [],
    ]
    assert all(match.is_short for matches in found for match in matches)


@pytest.mark.parametrize(("bearers", "found"), [(8, [8, 7, 6, 5, 4, 3, 2, 1]), (9, [])])
async def test_what_very_many_go_by_for_short_is_an_ordinary_word(
    opened: _Opened, bearers: int, found: list[int]
) -> None:
    rows: list[Row] = [(f"{'abcdefghi'[n]}a Airport", "likes", f"{m}") for n in range(bearers) for m in range(n + 1)]

    [matches] = await opened(rows).entities_for_short(["airport"])

    assert [match.degree for match in matches] == found


async def test_odd_input_finds_nothing(opened: _Opened) -> None:
    store = opened(_FILMS)
    odd = ["", "\0\0\0\0", "\ud800\ud800\ud800\ud800", "'; DROP TABLE names; --", "%", "x" * 10_000, "💥" * 5]

    assert await store.entities_named(odd) == [[]] * len(odd)
    assert await store.entities_like(odd) == [[]] * len(odd)
    assert await store.entities_for_short(odd) == [[]] * len(odd)
    assert [w.reached for w in await store.walk([(_entity(o), ("directed_by",)) for o in odd], WalkRule())] == [()] * 7


async def test_no_names_and_no_starts_give_nothing(opened: _Opened) -> None:
    store = opened(_FILMS)

    assert await store.entities_named([]) == []
    assert await store.entities_like([]) == []
    assert await store.entities_for_short([]) == []
    assert await store.walk([], WalkRule()) == []


def test_a_missing_graph_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist; import one with `kgqa import FILE --graph films`"):
        SqliteGraphStore(tmp_path / "films.sqlite")


def test_another_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "films.sqlite"
    other.write_text("not a graph")
    with pytest.raises(InvalidInputError, match="not a graph file"):
        SqliteGraphStore(other)

    other.write_text("")
    with pytest.raises(InvalidInputError, match="not a graph file"):
        SqliteGraphStore(other)

    with pytest.raises(InvalidInputError, match="not a graph file"):
        SqliteGraphStore(tmp_path)


def test_a_graph_of_another_layout_is_refused(tmp_path: Path) -> None:
    file = graph_file(tmp_path, _FILMS)
    connection = sqlite3.connect(file)
    connection.execute("UPDATE meta SET value = '0' WHERE key = 'layout'")
    connection.commit()
    connection.close()

    with pytest.raises(InvalidInputError, match="layout 0, this version reads layout 3; import the graph again"):
        SqliteGraphStore(file)


async def test_opening_and_reading_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "odd name?#%"
    folder.mkdir()
    file = graph_file(folder, _FILMS)
    file.chmod(0o444)
    folder.chmod(0o555)
    store = SqliteGraphStore(file)

    assert await store.entities_named(["alien"])
    await store.close()

    assert sorted(path.name for path in folder.iterdir()) == ["facts.sqlite", "facts.tsv"]
    folder.chmod(0o755)


def test_no_query_scans_a_table(tmp_path: Path) -> None:
    connection = sqlite3.connect(graph_file(tmp_path, _FILMS))
    queries = [sqlite_walk._FORWARDS, sqlite_walk._BACKWARDS, sqlite_names._BEARERS, sqlite_names._WORDS]
    queries.append(sqlite_spellings._FIRST_FROM)

    for query in queries:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", ("[]", 1)[: query.count("?")])
        steps = [detail for *_, detail in plan]
        assert not [step for step in steps if "SCAN" in step and "VIRTUAL TABLE" not in step], steps
        assert not [step for step in steps if "TEMP B-TREE" in step], steps
    connection.close()


async def test_a_walk_in_portions_keeps_the_order_and_stops_at_its_limit(
    opened: _Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_walk, "_FIRST_PORTION", 1)
    monkeypatch.setattr(sqlite_walk, "_MOST_STATES", 5)
    store = opened([row for n in range(8) for row in (("a", "r", f"m{n}"), (f"m{n}", "s", f"e{7 - n}"))])

    [cut] = await store.walk([(_entity("a"), ("r", "s"))], WalkRule(), limit=2)
    [whole] = await store.walk([(_entity("a"), ("r", "s"))], WalkRule())

    assert [reached.entity.name for reached in cut.reached] == ["e7", "e6"]
    assert (cut.truncated, whole.unfinished) == (True, True)


async def test_too_many_partial_paths_leave_a_walk_unfinished(opened: _Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_walk, "_MOST_STATES", 2)
    store = opened([("a", "r", f"m{n}") for n in range(3)])

    [walk] = await store.walk([(_entity("a"), ("r", "r"))], WalkRule())

    assert walk.unfinished
    assert walk.reached == ()
