"""Test what every graph store must do.

A test module runs these tests with `from tests.graph_contract import *` and a fixture `opened`, which opens a store
over the given rows.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comparison,
    Constant,
    Filter,
    Function,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
)
from graph.store import Entity, GraphStore, NameMatch, PathWalk, RelationPath, WalkRule
from shared.errors import InvalidInputError, PlanLimitError
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph
from tests.unit.graph.building import Row

FILMS: list[Row] = [
    ("Alien", "directed_by", "Ridley Scott"),
    ("Alien", "starred_actors", "Sigourney Weaver"),
    ("Aliens", "directed_by", "James Cameron"),
    ("Aliens", "starred_actors", "Sigourney Weaver"),
    ("Ridley Scott", "alias", "Sir Ridley"),
]

Opened = Callable[[list[Row]], Awaitable[GraphStore]]


async def named(store: GraphStore, name: str) -> Entity:
    """Return the entity with this name, whatever the keys of the store are."""
    [matches] = await store.entities_named([name])
    return matches[0].entity if matches else Entity("no such key", name)


async def walk(
    store: GraphStore, starts: Sequence[tuple[str, RelationPath]], rule: WalkRule, limit: int = 1000
) -> list[PathWalk]:
    """Walk from the entities with these names."""
    return await store.walk([(await named(store, name), path) for name, path in starts], rule, limit)


def without_keys(matches: list[NameMatch]) -> list[tuple[str, str, bool, int, int, bool]]:
    """Return the matches without the keys of the store."""
    return [(m.entity.name, m.name, m.is_alias, m.distance, m.degree, m.is_short) for m in matches]


async def test_a_plan_counts_filters_and_orders(opened: Opened) -> None:
    store = await opened(FILMS)
    directed = RelationshipPattern("film", "director", ("directed_by",))
    match = Match((NodePattern("film"), NodePattern("director")), (directed,))
    is_long = Comparison(">", Call(Function.SIZE, (Property("film", "name"),)), Constant(5))

    names = await store.run(Plan((match, Project((Column("name", Property("director", "name")),)))))
    count = await store.run(Plan((match, Filter(is_long), Group((), (Aggregate("n", AggregateFunction.COUNT),)))))

    assert (names.columns, names.rows) == (("name",), (("James Cameron",), ("Ridley Scott",)))
    assert count.rows == ((1,),)


async def test_a_plan_returns_nodes_in_the_order_of_the_graph(opened: Opened) -> None:
    store = await opened(FILMS)
    alien = await named(store, "Alien")

    result = await store.run(Plan((Match((NodePattern("film", ids=(alien.id,)),)),)))

    [[film]] = result.rows
    assert (film.id, film.name) == (alien.id, "Alien")


async def test_a_plan_that_names_an_unknown_relation_is_rejected_with_a_hint(opened: Opened) -> None:
    store = await opened(FILMS)
    link = RelationshipPattern("film", "director", ("directed_bye",))

    with pytest.raises(InvalidInputError, match="unknown relationship type 'directed_bye'; did you mean 'directed_by'"):
        await store.run(Plan((Match((NodePattern("film"), NodePattern("director")), (link,)),)))


async def test_a_plan_with_too_many_rows_has_no_partial_result(opened: Opened) -> None:
    with pytest.raises(PlanLimitError, match="more than 2 rows"):
        await (await opened(FILMS)).run(Plan((Match((NodePattern("n"),)),)), max_rows=2)


async def test_relations_are_sorted_and_exclude_alias(opened: Opened) -> None:
    assert await (await opened(FILMS)).relations() == ("directed_by", "starred_actors")


async def test_walks_back_and_forth_with_a_reasoning_path_in_the_graphs_direction(opened: Opened) -> None:
    path = ("starred_actors", "^starred_actors")

    [found] = await walk(await opened(FILMS), [("Alien", path)], WalkRule())

    facts = (
        Triple("Alien", "starred_actors", "Sigourney Weaver"),
        Triple("Aliens", "starred_actors", "Sigourney Weaver"),
    )
    assert [(reached.entity.name, reached.reasoning_path) for reached in found.reached] == [("Aliens", facts)]
    assert (found.topic.name, found.relation_path, found.truncated) == ("Alien", path, False)


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
    opened: Opened, rule: WalkRule, ends: list[str]
) -> None:
    [found] = await walk(await opened(FILMS), [("Alien", ("starred_actors", "^starred_actors"))], rule)

    assert [reached.entity.name for reached in found.reached] == ends


async def test_a_trail_may_pass_the_topic_in_the_middle(opened: Opened) -> None:
    rows = [("a", "r", "b"), ("b", "s", "a"), ("a", "t", "c")]

    [found] = await walk(await opened(rows), [("a", ("r", "s", "t"))], WalkRule())

    assert [reached.entity.name for reached in found.reached] == ["c"]


async def test_a_trail_takes_the_longer_way_where_the_first_would_repeat_a_triple(opened: Opened) -> None:
    rows = [("a", "r", "hub"), ("b", "r", "hub"), ("a", "r", "other"), ("b", "r", "other")]

    [found] = await walk(await opened(rows), [("a", ("r", "^r", "r"))], WalkRule())

    assert [(r.entity.name, r.reasoning_path[0].object) for r in found.reached] == [("other", "hub"), ("hub", "other")]


async def test_unknown_relations_and_topics_reach_nothing(opened: Opened) -> None:
    starts = [("Alien", ("unheard_of",)), ("Nobody", ("directed_by",)), ("Alien", ("",))]

    walks = await walk(await opened(FILMS), starts, WalkRule())

    assert [walk.reached for walk in walks] == [(), (), ()]


async def test_answers_keep_the_order_of_the_file_and_truncation_is_reported(opened: Opened) -> None:
    store = await opened([("a", "r", end) for end in ("z", "y", "x")])

    [cut] = await walk(store, [("a", ("r",))], WalkRule(), limit=2)
    [whole] = await walk(store, [("a", ("r",))], WalkRule(), limit=3)

    assert [reached.entity.name for reached in cut.reached] == ["z", "y"]
    assert (cut.truncated, whole.truncated) == (True, False)


async def test_many_walks_to_one_answer_do_not_hide_another(opened: Opened) -> None:
    crowd: list[Row] = [("a", "r", f"m{n}") for n in range(300)]
    ways: list[Row] = [(f"m{n}", "s", "common") for n in range(300)]
    store = await opened([*crowd, *ways, ("m299", "s", "rare")])

    [found] = await walk(store, [("a", ("r", "s"))], WalkRule(), limit=2)

    assert [reached.entity.name for reached in found.reached] == ["common", "rare"]
    assert not found.truncated


async def test_a_walk_through_a_hub_costs_its_triples_and_not_its_walks(opened: Opened) -> None:
    # 2,000 triples, but 2,000 x 2,000 x 2,000 walks.
    store = await opened([("hub", "r", f"n{number}") for number in range(2000)])

    [found] = await walk(store, [("hub", ("r", "^r", "r", "^r", "r"))], WalkRule("walk"), limit=5000)

    assert len(found.reached) == 2000


async def test_concurrent_calls_get_their_own_answers(opened: Opened) -> None:
    store = await opened([(f"s{n}", "r", f"o{n}") for n in range(50)])

    async def ask(n: int) -> bool:
        [found] = await walk(store, [(f"s{n}", ("r",))], WalkRule())
        return [reached.entity.name for reached in found.reached] == [f"o{n}"]

    assert all(await asyncio.gather(*(ask(n % 50) for n in range(500))))


async def test_entities_named_ignores_case_and_accents_and_finds_aliases(opened: Opened) -> None:
    store = await opened([("Élan", "made_in", "France"), ("Lotus", "made", "Élan"), ("Élan", "alias", "Lotus Elan")])

    by_name, by_alias, nobody = await store.entities_named(["ELAN!", "lotus elan", "nobody"])

    assert [(m.entity.name, m.name, m.is_alias, m.distance, m.degree) for m in by_name] == [
        ("Élan", "Élan", False, 0, 2)
    ]
    assert [(m.entity.name, m.name, m.is_alias) for m in by_alias] == [("Élan", "Lotus Elan", True)]
    assert nobody == []


async def test_entities_named_sorts_by_own_name_then_degree_then_key(opened: Opened) -> None:
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

    [matches] = await (await opened(rows)).entities_named(["it"])

    assert [match.entity.name for match in matches] == ["it", "IT", "It", "Clown"]


async def test_a_very_common_name_gives_the_entities_with_the_highest_degrees(opened: Opened) -> None:
    rows: list[Row] = [(f"Smith {n}", "alias", "Smith") for n in range(80)]
    rows += [(f"Smith {n}", "likes", f"thing {m}") for n in range(80) for m in range(n % 7 + 1)]

    [matches] = await (await opened([*rows, ("Smith", "likes", "thing 0")])).entities_named(["smith"])

    assert (len(matches), matches[0].entity.name) == (50, "Smith")
    assert [match.degree for match in matches[1:12]] == [7] * 11


async def test_names_with_the_same_letters_differ_by_their_spaces(opened: Opened) -> None:
    store = await opened([("Iceland", "r", "x"), ("Ice Land", "r", "x"), ("Ice-Land", "r", "y")])

    [one, two], [near] = await store.entities_named(["iceland", "ice land"]), await store.entities_like(["iceland"])

    assert [match.name for match in one] == ["Iceland"]
    assert [match.name for match in two] == ["Ice Land", "Ice-Land"]
    assert [(match.name, match.distance) for match in near] == [("Ice Land", 1), ("Ice-Land", 1)]


async def test_a_triple_from_an_entity_to_itself_counts_once_in_its_degree(opened: Opened) -> None:
    [[match]] = await (await opened([("a", "r", "a"), ("a", "r", "b")])).entities_named(["a"])

    assert match.degree == 2


async def test_an_alias_that_normalizes_to_the_name_is_one_match(opened: Opened) -> None:
    [matches] = await (await opened([("Spider-Man", "r", "x"), ("Spider-Man", "alias", "spider man")])).entities_named(
        ["Spider Man"]
    )

    assert [(match.name, match.is_alias) for match in matches] == [("Spider-Man", False)]


@pytest.mark.parametrize(
    ("asked", "name", "distance"),
    [
        ("Sigourny Weaver", "Sigourney Weaver", 1),  # a missing letter
        ("Sigourney Weawer", "Sigourney Weaver", 1),  # a wrong letter
        ("Sigourney Waever", "Sigourney Weaver", 1),  # two swapped letters
        ("Sigourneyy Weaver", "Sigourney Weaver", 1),  # an extra letter
        ("igourney Weaver", "Sigourney Weaver", 1),  # the first letter is missing
        ("Sogourny Weaver", "Sigourney Weaver", 2),  # two errors in one word
        ("Sigourny Wever", "Sigourney Weaver", 2),  # one error in each of two words
        ("newzealand", "New Zealand", 1),  # a missing space
        ("ice land", "Iceland", 1),  # an extra space
        ("ne wzealand", "New Zealand", 1),  # a space in the wrong place
        ("abishek bachan", "Abhishek Bachchan", 2),  # spelled as it sounds
        ("kristef", "Christeph", 1),
        ("sri ridley", "Sir Ridley", 1),  # a short word that its neighbour makes recognisable
        ("si ridley", "", 0),  # two letters are too few to correct
        ("Sigurn Wever", "", 0),  # three errors
        ("1995", "", 0),  # a different number is a different thing
        ("sigourney weaver", "", 0),  # exact
    ],
)
async def test_entities_like_finds_misspelled_names(opened: Opened, asked: str, name: str, distance: int) -> None:
    rows = [*FILMS, ("Alien", "shown_in", "New Zealand"), ("Alien", "shown_in", "Iceland"), ("Alien", "in", "1994")]
    rows += [("Alien", "seen_by", name) for name in ("Abhishek Bachchan", "Christeph")]

    [matches] = await (await opened(rows)).entities_like([asked])

    assert [(match.name, match.distance) for match in matches] == ([(name, distance)] if name else [])


async def test_entities_like_finds_aliases_and_answers_each_name(opened: Opened) -> None:
    alias, nothing, film = await (await opened(FILMS)).entities_like(["Sir Ridlay", "", "Alein"])

    assert [(match.entity.name, match.name, match.is_alias) for match in alias] == [
        ("Ridley Scott", "Sir Ridley", True)
    ]
    assert nothing == []
    assert [match.name for match in film] == ["Alien"]


async def test_entities_like_excludes_entities_with_exactly_this_name(opened: Opened) -> None:
    rows = [("Color", "r", "x"), ("Color", "alias", "Colour"), ("Colors", "r", "x")]

    [matches] = await (await opened(rows)).entities_like(["color"])

    assert [match.name for match in matches] == ["Colors"]


async def test_entities_like_returns_at_most_five_matches(opened: Opened) -> None:
    letters = "abcdefgh"
    rows = [(f"{letter}ouses", "r", "x") for letter in letters]

    [matches] = await (await opened(rows)).entities_like(["houses"])

    assert len(matches) == 5
    assert {match.distance for match in matches} == {1}


async def test_entities_like_finds_misspelled_short_names(opened: Opened) -> None:
    rows = [*FILMS, ("Aliens", "seen_by", "Weever"), ("Alien: Covenant", "directed_by", "Ridley Scott")]
    store, reference = await opened(rows), InMemoryGraph([row for row in rows if row[1] != "alias"])
    asked = ["weavver", "wever", "skott", "scott", "alein"]

    found = await store.entities_like(asked)

    assert list(map(without_keys, found)) == list(map(without_keys, await reference.entities_like(asked)))
    assert [[(match.name, match.distance, match.is_short) for match in matches] for matches in found] == [
        [("Weever", 1, False), ("Sigourney Weaver", 1, True)],
        [("Weever", 1, False), ("Sigourney Weaver", 1, True)],
        [("Ridley Scott", 1, True)],
        [],
        [("Alien", 1, False), ("Alien: Covenant", 1, True)],
    ]


async def test_entities_like_agrees_with_the_reference_for_single_typing_errors(opened: Opened) -> None:
    names = ["Casablanca", "Metropolis", "Blade Runner", "Борис Годунов", "北京大学东门", "Ghost World"]
    rows = [(name, "r", "x") for name in names]
    store, reference = await opened(rows), InMemoryGraph(rows)
    typed = [f"{name[:i]}{name[i + 1 :]}" for name in names for i in range(len(name))]

    found, expected = await store.entities_like(typed), await reference.entities_like(typed)
    assert list(map(without_keys, found)) == list(map(without_keys, expected))


async def test_entities_by_short_name_match_a_surname_or_a_title_without_subtitle(opened: Opened) -> None:
    rows = [("Aliens", "seen_by", name) for name in ("Zoe Weaver", "Amy Weaver")]
    rows += [*FILMS, ("Aliens", "written_by", "Tony Scott"), ("Alien: Covenant", "directed_by", "Ridley Scott")]
    store, reference = await opened(rows), InMemoryGraph([row for row in rows if row[1] != "alias"])
    asked = ["scott", "Weaver", "alien", "ridley scott", "ridley", ""]

    found = await store.entities_by_short_name(asked)

    assert list(map(without_keys, found)) == list(map(without_keys, await reference.entities_by_short_name(asked)))
    assert [[match.name for match in matches] for matches in found] == [
        ["Ridley Scott", "Tony Scott"],
        ["Sigourney Weaver", "Amy Weaver", "Zoe Weaver"],
        ["Alien: Covenant"],
        [],
        [],
        [],
    ]
    assert all(match.is_short for matches in found for match in matches)


@pytest.mark.parametrize(("entities", "found"), [(8, [8, 7, 6, 5, 4, 3, 2, 1]), (9, [])])
async def test_a_short_name_of_too_many_entities_finds_none(opened: Opened, entities: int, found: list[int]) -> None:
    rows: list[Row] = [(f"{'abcdefghi'[n]}a Airport", "likes", f"{m}") for n in range(entities) for m in range(n + 1)]

    [matches] = await (await opened(rows)).entities_by_short_name(["airport"])

    assert [match.degree for match in matches] == found


async def test_odd_input_finds_nothing(opened: Opened) -> None:
    store = await opened(FILMS)
    odd = ["", "\0\0\0\0", "\ud800\ud800\ud800\ud800", "'; DROP TABLE names; --", "%", "x" * 10_000, "💥" * 5]

    assert await store.entities_named(odd) == [[]] * len(odd)
    assert await store.entities_like(odd) == [[]] * len(odd)
    assert await store.entities_by_short_name(odd) == [[]] * len(odd)
    assert [w.reached for w in await walk(store, [(o, ("directed_by",)) for o in odd], WalkRule())] == [()] * 7


async def test_no_names_and_no_starts_give_nothing(opened: Opened) -> None:
    store = await opened(FILMS)

    assert await store.entities_named([]) == []
    assert await store.entities_like([]) == []
    assert await store.entities_by_short_name([]) == []
    assert await walk(store, [], WalkRule()) == []


async def test_a_graph_that_fits_its_settings_passes_the_check(opened: Opened) -> None:
    await (await opened(FILMS)).check()
