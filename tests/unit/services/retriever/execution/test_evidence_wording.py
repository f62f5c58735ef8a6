"""Test how evidence states aggregates, groups, and namesakes, on a graph of ships."""

from collections.abc import AsyncIterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from graph.plan.durations import DurationText
from graph.sqlite.store import SqliteGraphStore
from ingestion.sqlite_writer import GraphWriter
from tests.support.plan_json import (
    Json,
    ascending,
    both,
    call,
    compare,
    constant,
    count_matches,
    descending,
    group,
    is_missing,
    keep,
    limit,
    match,
    negated,
    order,
    project,
    read,
    variable,
)
from tests.unit.services.retriever.execution.evidence_replies import reply_to, texts_of_rows

SHIPS: dict[str, Json] = {
    "s1": {"name": "Aurora", "launched": date(1999, 5, 1), "active": True, "flags": ("ice class", "O'Neil")},
    "s2": {"name": "Boreas", "launched": date(2002, 5, 25), "active": False, "nickName": "Wind"},
    "s3": {"name": "Echo", "launched": date(2010, 1, 1), "active": True},
    "s4": {"name": "Echo", "launched": date(2011, 1, 1)},
    "t1": {"name": "Twin"},
    "t2": {"name": "Twin"},
}
VISITS = (("s1", "p1", 9), ("s1", "p1", 3), ("s1", "p2", 4), ("s2", "p1", 5), ("s3", "p2", 6))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for id_, properties in SHIPS.items():
            writer.add_node(id_, ["Ship"], properties)
        for id_, name in (("p1", "Oslo"), ("p2", "Rome")):
            writer.add_node(id_, ["Port"], {"name": name})
        for ship, port, nights in VISITS:
            writer.add_relationship(ship, "VISITS", port, {"nights": nights})
        for number in range(90):
            known = {} if number % 5 == 0 else {"score": number}
            hired = {"hired": date(2000 + number % 3, 1, 1)} if number >= 9 else {}
            writer.add_node(f"c{number}", ["Captain"], {"name": f"Captain {number:02}", **known, **hired})
        for number, took in enumerate(("P12D", "PT8H", "P1M")):
            writer.add_node(f"r{number}", ["Refit"], {"name": f"Refit {number}", "took": DurationText(took)})
        for number in range(3):
            writer.add_node(f"o{number}", ['Owner\'s "Co"'], {"name": f"Owner {number}"})
        writer.finish()
    return file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[SqliteGraphStore]:
    store = SqliteGraphStore(file)
    yield store
    await store.close()


async def texts(store: SqliteGraphStore, *steps: Json) -> list[str]:
    return texts_of_rows(await reply_to(store, *steps))


SHIP, CAPTAIN = match("s:Ship"), match("c:Captain")
OWNER: Json = {"op": "match", "nodes": [{"variable": "o", "kinds": ['Owner\'s "Co"']}], "relationships": []}
SCORE, LAUNCHED = read("c.score"), read("s.launched")
VISIT = match("s:Ship p:Port", "s -v:VISITS-> p")


class TestAggregates:
    async def test_nodes_with_a_minimum_and_a_maximum_are_shown(self, store: SqliteGraphStore) -> None:
        [text] = await texts(store, CAPTAIN, group(low=("min", SCORE), high=("max", SCORE), n=("count",)))

        assert text.startswith("The number of captains is 90. The lowest score is 1. The highest score is 89. ")
        assert "The score of Captain 01 is 1." in text
        assert "The score of Captain 89 is 89." in text
        assert "65 more matches are not listed." in text

    async def test_values_that_a_sum_has_come_first(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(store, CAPTAIN, group(x=("sum", SCORE)))

        [item] = reply.evidence
        assert len(item.triples) == 25
        assert item.text.startswith("The total score is 3240. The score of Captain 01 is 1.")
        assert item.text.endswith("65 more matches are not listed. The graph states no score for 18 of 90 captains.")

    async def test_a_group_without_a_key_is_named(self, store: SqliteGraphStore) -> None:
        year, hired = {"y": call("year", read("c.hired"))}, {"h": read("c.hired")}

        assert "The number of captains without a hired date is 9: Captain 00" in " ".join(
            await texts(store, CAPTAIN, group(by=year, n=("count",)))
        )
        assert "The average score without a value of hired is 4.43." in " ".join(
            await texts(store, CAPTAIN, group(by=hired, x=("average", SCORE)))
        )

    async def test_a_group_by_a_boolean_is_named(self, store: SqliteGraphStore) -> None:
        found = await texts(store, SHIP, group(by={"a": read("s.active")}, n=("count",)))

        assert any(text.startswith("The number of ships where active is true is 2.") for text in found)

    async def test_a_count_that_rows_are_sorted_by_is_stated(self, store: SqliteGraphStore) -> None:
        visits = count_matches(match("s p:Port", "s -VISITS-> p"))
        found = await texts(store, SHIP, order(descending(visits)), limit(2), project("s"))

        assert 'The number of "VISITS" relationships of Aurora is 3.' in found[0]
        assert 'The number of "VISITS" relationships of Boreas is 1.' in found[1]


class TestNamesakes:
    async def test_nodes_with_the_same_name_are_told_apart(self, store: SqliteGraphStore) -> None:
        [text] = await texts(store, SHIP, group(n=("count",)))

        assert text.startswith("The number of ships is 6: Aurora, Boreas, Echo (launched 2010-01-01), Echo (launched")
        assert text.endswith("Twin (1 of 2) and Twin (2 of 2).")

    async def test_facts_of_namesakes_are_not_merged(self, store: SqliteGraphStore) -> None:
        is_echo = keep(compare("=", read("s.name"), constant("Echo")))
        reply = await reply_to(store, SHIP, is_echo, group(first=("min", LAUNCHED), n=("count",)))

        [item] = reply.evidence
        assert [(fact.subject, fact.object) for fact in item.triples] == [
            ("Echo", "2010-01-01"),
            ("Echo", "2011-01-01"),
        ]

    async def test_several_relationships_between_two_nodes_are_counted(self, store: SqliteGraphStore) -> None:
        is_aurora = compare("=", read("s.name"), constant("Aurora"))
        reply = await reply_to(store, {**VISIT, "where": is_aurora}, group(n=("count",)))

        [item] = reply.evidence
        assert item.text.startswith("The number of relationships is 3. Aurora visits Oslo (2 times) and Rome.")
        assert [fact.object for fact in item.triples] == ["Oslo", "Oslo", "Rome"]


class TestEnglish:
    async def test_conditions_on_absent_nodes(self, store: SqliteGraphStore) -> None:
        conditions = both(
            compare("=", read("s.nickName"), constant("Sun and Moon")),
            compare(">", LAUNCHED, constant({"date": "2020-01-01"})),
            compare("=", read("s.active"), constant(False)),
        )
        is_long = compare(">", read("v.nights"), constant(80))

        [ships] = await texts(store, {**SHIP, "where": conditions}, group(n=("count",)))
        [visits] = await texts(store, {**VISIT, "where": is_long}, group(n=("count",)))

        assert ships.endswith(
            'a ship whose nick name is "Sun and Moon" and whose value of launched is after 2020-01-01 '
            "and that is not active."
        )
        assert visits.endswith("a ship visits a port, where the nights of the relationship are greater than 80.")

    async def test_lists_end_with_and(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(store, SHIP, keep(negated(is_missing(read("s.flags")))), project("s", f=read("s.flags")))

        [item] = reply.evidence
        assert item.text == "The flags of Aurora are ice class and O'Neil."
        assert item.triples[0].object == "ice class, O'Neil"

    async def test_a_name_is_not_stated_of_its_node(self, store: SqliteGraphStore) -> None:
        by_name = order(ascending(read("c.name")))
        [text] = await texts(store, CAPTAIN, by_name, limit(1), project("c"))

        assert text == "Next is Captain 01."

    async def test_the_first_of_texts(self, store: SqliteGraphStore) -> None:
        [text] = await texts(store, SHIP, group(x=("min", read("s.name"))))

        assert "The alphabetically first name is Aurora." in text

    async def test_a_kind_that_is_no_word_keeps_its_spelling(self, store: SqliteGraphStore) -> None:
        [text] = await texts(store, OWNER, group(n=("count",)))

        assert text.startswith('The number of entities of the kind Owner\'s "Co" is 3: Owner 0')

    async def test_a_count_of_values_names_the_property(self, store: SqliteGraphStore) -> None:
        [text] = await texts(store, VISIT, group(n=("count", read("s.flags"))))

        assert "The number of values of flags is 3." in text

    async def test_a_latest_date_has_the_same_name_everywhere(self, store: SqliteGraphStore) -> None:
        latest = group("p", last=("max", LAUNCHED))
        [text] = await texts(store, VISIT, latest, order(descending(variable("last"))), limit(1))

        assert text.startswith("The latest value of launched for Rome is 2010-01-01.")
        assert text.endswith("Next is Oslo, where the latest value of launched is 2002-05-25.")


class TestEmptyResults:
    async def test_the_condition_that_nothing_meets_is_stated(self, store: SqliteGraphStore) -> None:
        is_old = keep(compare("<", LAUNCHED, constant({"date": "1900-01-01"})))

        reply = await reply_to(store, SHIP, is_old, project("s"))

        assert (reply.rows, reply.row_evidence, reply.answer_type) == ([], [], "entities")
        assert [item.text for item in reply.evidence] == [
            "The graph does not have a ship whose value of launched is before 1900-01-01."
        ]

    async def test_a_condition_on_groups_is_stated(self, store: SqliteGraphStore) -> None:
        counted = group("p", n=("count",))
        reply = await reply_to(store, VISIT, counted, keep(compare(">", variable("n"), constant(50))), project("n"))

        assert [item.text for item in reply.evidence] == ["No row meets the condition n > 50."]
        assert reply.answer_type == "values"

    async def test_no_evidence_is_given_if_none_is_wanted(self, store: SqliteGraphStore) -> None:
        is_old = keep(compare("<", LAUNCHED, constant({"date": "1900-01-01"})))

        assert (await reply_to(store, SHIP, is_old, project("s"), max_evidence=0)).evidence == []


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("max", "The longest took is 1 month."),
        ("longest", "The longest took is 1 month."),
        ("min", "The shortest took is 8 hours."),
    ],
)
async def test_the_longest_of_durations(store: SqliteGraphStore, function: str, sentence: str) -> None:
    found = await texts(store, match("r:Refit"), group(took=(function, read("r.took"))))

    assert sentence in found[0]


async def test_several_extremes_that_are_not_among_the_first_facts(store: SqliteGraphStore) -> None:
    [text] = await texts(store, match("c:Captain"), group(high=("max", read("c.score")), low=("min", read("c.score"))))

    assert text.startswith("The highest score is 89. The lowest score is 1. ")
    assert "The score of Captain 89 is 89." in text
    assert "The score of Captain 01 is 1." in text


async def test_a_relationship_is_stated_with_its_properties(store: SqliteGraphStore) -> None:
    visit = {"source": "s", "target": "p", "types": ["VISITS"], "variable": "v"}
    nodes = [{"variable": "s", "kinds": ["Ship"]}, {"variable": "p", "kinds": ["Port"]}]
    long = compare(">", read("v.nights"), constant(8))
    seen = {"op": "match", "nodes": nodes, "relationships": [visit], "where": long}
    [text] = await texts(store, seen, project("s"))
    assert text == "Aurora visits Oslo (nights: 9)."
