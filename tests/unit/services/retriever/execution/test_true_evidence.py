"""Evidence is true, and concerns the row that it is given for, on a graph with properties, namesakes, and gaps."""

from collections.abc import AsyncIterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from contracts.plans import PlanRequest
from graph.plan.checks import read_plan
from graph.sqlite.store import SqliteGraphStore
from ingestion.sqlite_writer import GraphWriter
from services.retriever.execution.plans import run_plan
from tests.support.plan_json import (
    Json,
    ascending,
    both,
    compare,
    constant,
    count_matches,
    descending,
    either,
    exists,
    group,
    keep,
    limit,
    match,
    negated,
    order,
    project,
    read,
    union,
    variable,
)
from tests.unit.services.retriever.execution.evidence_replies import reply_to, texts_of_rows

COUNTRIES: dict[str, Json] = {
    "Germany": {"population": 83, "area": 357.5, "motto": "Unity", "eu": True, "founded": date(1871, 1, 18), "rank": 1},
    "France": {"population": 68, "area": 551.5, "motto": "Liberty", "eu": True, "rank": 1.0},
    "Switzerland": {"population": 9, "area": 41.0, "eu": False, "rank": True},
    "Austria": {"population": 9, "area": 83.0, "eu": True},
    "Japan": {"population": 125},
    "Malta": {},
}
BORDERS = {
    ("Germany", "France"): 448,
    ("Germany", "Switzerland"): 348,
    ("Germany", "Austria"): 817,
    ("France", "Switzerland"): 573,
    ("Austria", "Switzerland"): None,
}
CITIES = {"berlin": ("Berlin", "Germany"), "paris": ("Paris", "France"), "paris2": ("Paris", "Japan")}
LIVED = {("Alma", "berlin"): 2001, ("Alma", "paris"): 2012, ("Bo", "paris"): 2005, ("Cem", "paris"): None}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    with closing(GraphWriter(file)) as writer:
        for name, properties in COUNTRIES.items():
            writer.add_node(name, ["Country"], {"name": name, "continent": "Europe", **properties})
        for id_, (name, country) in CITIES.items():
            writer.add_node(id_, ["City"], {"name": name})
            writer.add_relationship(id_, "LOCATED_IN", country, {})
        for name in ("Alma", "Bo", "Cem"):
            writer.add_node(name, ["Person"], {"name": name})
        for number in range(40):
            writer.add_node(f"town{number}", ["Town"], {"name": f"Town {number:02}"})
            writer.add_relationship(f"town{number}", "PART_OF", "Malta", {})
        for (first, second), length in BORDERS.items():
            writer.add_relationship(first, "BORDERS", second, {"length": length} if length else {})
        for (person, city), since in LIVED.items():
            writer.add_relationship(person, "LIVED_IN", city, {"since": since} if since else {})
        writer.add_relationship("Germany", "HAS_CAPITAL", "berlin", {})
        writer.add_relationship("France", "HAS_CAPITAL", "paris", {})
        writer.finish()
    return file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[SqliteGraphStore]:
    store = SqliteGraphStore(file)
    yield store
    await store.close()


async def texts(store: SqliteGraphStore, *steps: Json) -> dict[Any, str]:
    """Return the texts by the first cell of each row."""
    reply = await reply_to(store, *steps)
    cells = [row[0].get("name") if isinstance(row[0], dict) else row[0] for row in reply.rows]
    return dict(zip(map(repr, cells), texts_of_rows(reply), strict=True))


COUNTRY = match("c:Country")
POPULATION = read("c.population")
NEIGHBOURS = match("c:Country d:Country", "c -r:BORDERS- d")
RESIDENTS = match("p:Person t:City", "p -l:LIVED_IN-> t")
IS_LARGE = compare(">", POPULATION, constant(60))
BORDERS_FRANCE = exists(match("c f:Country", "c -BORDERS- f", where=compare("=", read("f.name"), constant("France"))))
HAS_CAPITAL = exists(match("c k:City", "c -HAS_CAPITAL-> k"))
NO_CAPITAL = "No fact states that the capital of {} is a city."
NOT_FRANCE = "No fact states that {} borders the country France."


class TestPatternsInConditions:
    async def test_a_pattern_in_one_branch_is_not_claimed_for_rows_of_the_other(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, keep(either(negated(BORDERS_FRANCE), IS_LARGE)), project("c"))

        assert found["'Germany'"] == "The population of Germany is 83."
        assert found["'Austria'"] == NOT_FRANCE.format("Austria")

    async def test_an_absent_pattern_in_one_branch_is_not_stated(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, keep(either(BORDERS_FRANCE, IS_LARGE)), project("c"))

        assert found["'Japan'"] == "The population of Japan is 125."
        assert found["'Germany'"] == "Germany borders France. The population of Germany is 83."

    async def test_the_branch_of_an_or_that_is_false_is_not_stated(self, store: SqliteGraphStore) -> None:
        is_motto = compare("=", read("c.motto"), constant("Liberty"))
        is_outside = compare("=", read("c.eu"), constant(False))
        found = await texts(store, COUNTRY, keep(either(is_motto, both(is_outside, negated(IS_LARGE)))), project("c"))
        failed = await texts(store, COUNTRY, keep(negated(both(is_outside, IS_LARGE))), project("c"))

        assert found["'France'"] == "The motto of France is Liberty."
        assert "motto" not in found["'Switzerland'"]
        assert "population of Switzerland is 9" in found["'Switzerland'"]
        assert failed["'France'"] == "The eu of France is true."

    async def test_a_negated_conjunction_is_no_negation_of_each_pattern(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, keep(negated(both(BORDERS_FRANCE, IS_LARGE))), project("c"))

        assert found["'Switzerland'"] == "The population of Switzerland is 9."

    async def test_a_column_states_what_it_tells(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, project("c", alone=negated(BORDERS_FRANCE)))

        assert found["'Germany'"] == "Germany borders France."
        assert found["'Japan'"] == NOT_FRANCE.format("Japan")

    async def test_absence_is_stated_for_each_counted_row(self, store: SqliteGraphStore) -> None:
        condition = either(negated(HAS_CAPITAL), BORDERS_FRANCE)
        found = await texts(store, COUNTRY, keep(condition), group(n=("count",)))

        assert found["5"].startswith(
            "The number of countries is 5. Germany borders France. France borders Switzerland."
        )
        assert NO_CAPITAL.format("Austria") in found["5"]
        assert NO_CAPITAL.format("Germany") not in found["5"]

    @pytest.mark.parametrize("first", [project("c"), group("c", n=("count",))])
    async def test_patterns_in_later_stages_have_evidence(self, store: SqliteGraphStore, first: Json) -> None:
        with_capital = await texts(store, COUNTRY, first, keep(HAS_CAPITAL))
        without = await texts(store, COUNTRY, first, keep(negated(HAS_CAPITAL)))

        assert "The capital of Germany is Berlin." in with_capital["'Germany'"]
        assert NO_CAPITAL.format("Malta") in without["'Malta'"]

    async def test_a_pattern_that_is_sorted_by_has_evidence(self, store: SqliteGraphStore) -> None:
        by_number = order(descending(count_matches(match("c d", "c -BORDERS- d"))))
        found = await texts(store, COUNTRY, by_number, limit(1), project("c"))

        assert found["'Germany'"].startswith(
            "Germany borders France, Switzerland and Austria. "
            'The number of "BORDERS" relationships of Germany is 3. Switzerland has the same'
        )


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (compare("=", read("d.motto"), constant("X")), 'a country borders another country whose motto is "X".'),
        (compare("=", read("d.name"), constant("X")), "a country borders the country X."),
        (
            compare("=", read("r.length"), constant(7)),
            "a country borders another country, where the length of the relationship is 7.",
        ),
        (
            both(compare("=", read("d.name"), constant("X")), compare(">", POPULATION, constant(3))),
            "a country whose population is greater than 3 borders the country X.",
        ),
        (
            compare("<", POPULATION, read("d.area", as_stored=True)),
            None,
        ),
    ],
)
async def test_only_names_are_worded_as_names(store: SqliteGraphStore, where: Json, expected: str | None) -> None:
    [text] = (await texts(store, {**NEIGHBOURS, "where": where}, group(n=("count",)))).values()

    if expected:
        assert text == f"The number of countries is 0. No fact states that {expected}"
    else:
        assert "No fact" not in text


async def test_an_empty_result_is_not_explained_by_the_first_pattern_alone(store: SqliteGraphStore) -> None:
    same = keep(compare("=", read("c.motto"), read("c.continent")))

    [text] = (await texts(store, COUNTRY, same, group(mean=("average", read("c.area"))))).values()

    assert text == "There is no average area. The graph does not have a country whose motto is its continent."


OF_NEIGHBOUR = "No fact states that Japan borders a country"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (
            compare("<", read("d.founded"), constant({"date": "1900-01-01"})),
            " whose value of founded is before 1900-01-01.",
        ),
        (compare("in", read("d.name"), constant(["Peru", "Chile"])), ' whose name is "Peru" or "Chile".'),
        (
            compare("contains", read("d.motto"), constant("x"), ignore_case=True),
            ' whose motto contains "x" (ignoring case).',
        ),
        (
            either(compare("=", read("d.eu"), constant(True)), compare(">", read("d.population"), POPULATION)),
            ", where the eu of the country is true or the population of the country is greater than the population of",
        ),
        ({"op": "is_missing", "value": read("d.area")}, ", where no area of the country is known."),
    ],
)
async def test_conditions_of_absent_patterns_are_worded(store: SqliteGraphStore, where: Json, expected: str) -> None:
    found = await texts(store, COUNTRY, project("c", x=exists(match("c d:Country", "c -BORDERS- d", where=where))))

    assert found["'Japan'"].startswith(f"{OF_NEIGHBOUR}{expected}")


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        (("sum", POPULATION, True), "The total of the different values of population is 285."),
        (("max", read("c.founded")), "The latest value of founded is 1871-01-18."),
        (("min", read("c.name")), "The alphabetically first name is Austria."),
    ],
)
async def test_aggregates_are_worded(store: SqliteGraphStore, aggregate: tuple[Any, ...], expected: str) -> None:
    [text] = (await texts(store, COUNTRY, group(x=aggregate, y=("max", read("c.area"))))).values()

    assert expected in text


@pytest.mark.parametrize(
    ("steps", "noun"),
    [
        ((RESIDENTS, group(n=("count",))), "relationships is 4"),
        ((RESIDENTS, group(n=("count", variable("l")))), "relationships is 4"),
        ((RESIDENTS, group(n=("count", variable("p")))), "matches is 4"),
        ((RESIDENTS, group(n=("count", variable("p"), True))), "people is 3"),
        ((RESIDENTS, group(n=("count", variable("t"), True))), "cities is 2"),
        ((RESIDENTS, group(n=("count", read("l.since")))), "relationships is 3"),
        ((COUNTRY, group(n=("count", read("c.motto"), True))), "different mottoes is 2"),
        ((COUNTRY, group(n=("count", read("c.motto")))), "countries is 2"),
        ((COUNTRY, group(n=("count",))), "countries is 6: Germany, France, Switzerland, Austria, Japan and Malta."),
        ((RESIDENTS, project("p", distinct=True), group(n=("count",))), "people is 3"),
        ((union([COUNTRY, project("c")], [match("c:City"), project("c")]), group(n=("count",))), "entities is 9"),
        ((match("c:Town"), group(n=("count",))), "Town 09 and 30 more."),
        ((NEIGHBOURS, group("c", n=("count", variable("r"))), limit(1)), "relationships for Germany is 3"),
    ],
)
async def test_a_count_names_what_was_counted(store: SqliteGraphStore, steps: tuple[Json, ...], noun: str) -> None:
    found = await texts(store, *steps)

    assert noun in next(iter(found.values()))


async def test_several_counts_are_all_stated(store: SqliteGraphStore) -> None:
    counts = group(people=("count", variable("p"), True), cities=("count", variable("t"), True))

    [text] = (await texts(store, RESIDENTS, counts)).values()

    assert text.startswith("The number of people is 3. The number of cities is 2. ")


async def test_several_aggregates_are_all_stated(store: SqliteGraphStore) -> None:
    aggregates = group(n=("count",), low=("min", POPULATION), high=("max", POPULATION), size=("sum", read("c.area")))

    [text] = (await texts(store, COUNTRY, aggregates)).values()

    assert text.startswith(
        "The number of countries is 6. The lowest population is 9. The highest population is 125. "
        "The total area is 1033. "
    )


class TestUnions:
    async def test_rows_have_the_evidence_of_the_plans_that_return_them(self, store: SqliteGraphStore) -> None:
        in_eu = compare("=", read("c.eu"), constant(True))
        found = await texts(store, union([COUNTRY, keep(IS_LARGE), project("c")], [COUNTRY, keep(in_eu), project("c")]))

        assert found["'Germany'"] == "The population of Germany is 83. The eu of Germany is true."
        assert found["'Austria'"] == "The eu of Austria is true."
        assert found["'Japan'"] == "The population of Japan is 125."

    async def test_counts_belong_to_their_rows(self, store: SqliteGraphStore) -> None:
        found = await texts(store, union([COUNTRY, group(n=("count",))], [match("t:City"), group(n=("count",))]))

        assert found["3"] == (
            "The number of cities is 3: Berlin, Paris (located in France) and Paris (located in Japan)."
        )
        assert found["6"].startswith("The number of countries is 6: ")

    async def test_booleans_are_no_numbers(self, store: SqliteGraphStore) -> None:
        ranks = union([COUNTRY, project(x=read("c.rank"))], [COUNTRY, project(x=read("c.eu"))])
        found = await texts(store, COUNTRY, group(by={"x": read("c.rank")}, n=("count",)))
        in_union = await texts(store, ranks)

        assert found["True"] == "The rank of Switzerland is true."
        assert found["1"] == "The number of countries for 1 is 2. The rank of Germany and France is 1."
        assert "rank of Switzerland is true" in in_union["True"]
        assert "rank of Germany" not in in_union["True"]


class TestSortedRows:
    @pytest.mark.parametrize(
        ("steps", "expected"),
        [
            ((COUNTRY, order(descending(POPULATION)), limit(1), project("c")), "Germany, with a population of 83"),
            ((COUNTRY, order(descending(POPULATION)), project("c"), limit(1)), "Germany, with a population of 83"),
            ((COUNTRY, project("c", p=POPULATION), order(descending(variable("p"))), limit(1)), "a population of 83"),
            ((COUNTRY, order(descending(POPULATION)), limit(5), project("c")), "Malta, without a population"),
            (
                (COUNTRY, order(ascending(POPULATION, missing_first=True)), limit(1), project("c")),
                "Switzerland, with a population of 9",
            ),
            (
                (RESIDENTS, order(ascending(read("l.since"))), limit(1), project("p")),
                "the row with Bo and Paris (since 2005)",
            ),
            (
                (COUNTRY, order(descending(POPULATION)), keep(negated(IS_LARGE)), limit(2), project("c")),
                "",
            ),
            (
                (match("t:City c:Country", "t -LOCATED_IN-> c"), order(descending(POPULATION)), limit(1), project("t")),
                "Germany, with a population of 83",
            ),
        ],
    )
    async def test_the_runner_up_is_the_next_row(
        self, store: SqliteGraphStore, steps: tuple[Json, ...], expected: str
    ) -> None:
        text = list((await texts(store, *steps)).values())[-1]

        assert expected in text if expected else "Next" not in text

    async def test_each_group_has_its_own_runner_up(self, store: SqliteGraphStore) -> None:
        found = await texts(
            store,
            COUNTRY,
            keep(compare(">", POPULATION, constant(0))),
            project("c", e=read("c.eu"), p=POPULATION),
            order(descending(variable("p"))),
            limit(1, per=("e",)),
        )

        assert "Next is France, with a population of 68." in found["'Germany'"]
        assert "Next" not in found["'Switzerland'"]

    async def test_the_runner_up_is_not_stated_for_rows_before_the_last(self, store: SqliteGraphStore) -> None:
        plan = read_plan({"steps": [COUNTRY, order(descending(POPULATION)), limit(3), project("c")]})

        reply = await run_plan(store, PlanRequest(plan=plan, max_evidence=1))

        assert [item.text for item in reply.evidence] == ["The population of Japan is 125."]

    @pytest.mark.parametrize(
        "steps",
        [
            (COUNTRY, order(ascending(POPULATION)), limit(1), project("c")),
            (COUNTRY, order(descending(POPULATION)), limit(4), project("c")),
            (COUNTRY, order(ascending(POPULATION)), project("c"), limit(1)),
            (COUNTRY, order(ascending(POPULATION)), limit(4), limit(1), project("c")),
            (COUNTRY, order(ascending(read("c.continent")), ascending(POPULATION)), limit(1), project("c")),
            (COUNTRY, order(ascending(POPULATION), ascending(variable("c"))), limit(1), project("c")),
            (COUNTRY, order(ascending(POPULATION), ascending(read("c.name"))), limit(1), project("c")),
            (COUNTRY, project("c", p=POPULATION), order(ascending(variable("p"))), limit(1)),
            (NEIGHBOURS, group("c", n=("count",)), order(descending(variable("n"))), limit(1)),
            (NEIGHBOURS, group("c", n=("count",)), order(descending(variable("n"))), limit(1), project("c")),
            (NEIGHBOURS, group("c", n=("count",)), project("c", "n"), order(descending(variable("n"))), limit(1)),
            (COUNTRY, order(ascending(POPULATION)), limit(1), match("c k", "c -HAS_CAPITAL-> k"), project("k")),
            (COUNTRY, order(ascending(POPULATION)), limit(1, per=("c",)), limit(1), project("c")),
            (COUNTRY, project("c", x=read("c.continent")), order(ascending(POPULATION)), limit(1, per=("x",))),
            (union([COUNTRY, order(ascending(POPULATION)), limit(1), project("c")], [match("c:City"), project("c")]),),
        ],
    )
    async def test_a_limit_between_equal_rows_is_reported(
        self, store: SqliteGraphStore, steps: tuple[Json, ...]
    ) -> None:
        reply = await reply_to(store, *steps)

        assert [warning.kind for warning in reply.warnings] == ["tie"]

    async def test_a_limit_between_true_and_1_is_none(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(store, COUNTRY, order(ascending(read("c.rank"))), limit(1), project("c"))

        assert reply.warnings == []


class TestMissingValues:
    async def test_missing_properties_are_stated(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, project("c", m=read("c.motto")))

        assert found["'Japan'"] == "The graph states no motto for Japan."

    async def test_optional_patterns_without_a_match_are_stated(self, store: SqliteGraphStore) -> None:
        found = await texts(store, COUNTRY, match("c k", "c -HAS_CAPITAL-> k", optional=True), project("c", "k"))

        assert found["'Japan'"] == "No fact states the capital of Japan."
        assert found["'France'"] == "The capital of France is Paris."

    async def test_there_may_be_no_average(self, store: SqliteGraphStore) -> None:
        malta = keep(compare("=", read("c.name"), constant("Malta")))

        [text] = (await texts(store, COUNTRY, malta, group(x=("average", read("c.area")), n=("count",)))).values()

        assert (
            text == "The number of countries is 1: Malta. There is no average area. The graph states no area for Malta."
        )


class TestOmittedFacts:
    TOWNS = match("t:Town c:Country", "t -PART_OF-> c")

    async def test_each_row_is_traced_to_its_own_facts(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(store, self.TOWNS, project("t", distinct=True), project("t"), max_evidence=50)

        assert all(reply.row_evidence)

    async def test_matches_of_tested_patterns_are_counted_once(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(
            store, match("c:Country"), keep(exists(match("t:Town c", "t -PART_OF-> c"))), project("c")
        )

        [item] = reply.evidence
        assert (len(item.triples), item.omitted) == (25, 15)
        assert "15 more matches are not listed." in item.text

    async def test_a_match_that_states_nothing_is_not_omitted(self, store: SqliteGraphStore) -> None:
        reply = await reply_to(store, match("t:Town"), group(n=("count",)))

        [item] = reply.evidence
        assert item.omitted == 0
        assert "more match" not in item.text
