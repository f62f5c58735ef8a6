from pathlib import Path

import pytest

from evaluation.gold_answers import with_gold_answers
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from question_sets.records import QuestionRecord
from shared.errors import InvalidInputError
from tests.support.property_graphs import film_graph, write_graph_file


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file, 5.0)


_PER_YEAR = "MATCH (f:Film) RETURN f.year AS year, count(f) AS films"


async def _rows(store: GraphStore, **fields: object) -> tuple[tuple[str | None, ...], ...] | None:
    [found] = await with_gold_answers(store, [QuestionRecord.model_validate({"question": "q", **fields})])
    return found.rows


async def test_a_query_that_aggregates_for_each_key_gives_a_gold_table(store: GraphStore) -> None:
    years = sorted({str(node.properties["year"]) for node in film_graph().nodes if "Film" in node.kinds})
    table = await _rows(store, cypher=_PER_YEAR)

    assert table is not None
    assert sorted(row[0] or "" for row in table) == years
    assert sum(int(row[1] or 0) for row in table) == 20
    assert await _rows(store, cypher=_PER_YEAR, answers=years) == table


@pytest.mark.parametrize(
    "fields",
    [
        {"cypher": "MATCH (f:Film) RETURN f.title, f.year"},
        {"cypher": f"{_PER_YEAR} ORDER BY films DESC LIMIT 3"},
        {"cypher": _PER_YEAR, "answers": ["1980"]},
        {"cypher": "MATCH (f:Movie) RETURN f.year AS year, count(f) AS films", "answers": ["1980"]},
    ],
)
async def test_other_queries_give_no_table(store: GraphStore, fields: dict[str, object]) -> None:
    assert await _rows(store, **fields) is None


async def test_a_given_table_stays(store: GraphStore) -> None:
    assert await _rows(store, cypher=_PER_YEAR, rows=[["1980", 3]]) == (("1980", "3"),)


async def _answers(store: GraphStore, **fields: object) -> tuple[str, ...]:
    record = QuestionRecord.model_validate({"question": "q", **fields})
    [found] = await with_gold_answers(store, [record])
    return found.answers


async def test_a_query_gives_the_answers_of_its_first_column(store: GraphStore) -> None:
    titles = {node.properties["title"] for node in film_graph().nodes if "Film" in node.kinds}

    assert await _answers(store, cypher="MATCH (f:Film) RETURN count(f) AS n") == ("20",)
    assert set(await _answers(store, cypher="MATCH (f:Film) RETURN f, f.rating")) == titles


async def test_all_that_tie_for_the_first_place_are_answers(store: GraphStore) -> None:
    query = "MATCH (f:Film) RETURN f.title ORDER BY f.year DESC LIMIT {}"

    assert set(await _answers(store, cypher=query.format(1))) == {"Film 11"}
    assert set(await _answers(store, cypher=query.format(1).replace("DESC", "ASC"))) == {"Film 0", "Film 12"}
    assert len(await _answers(store, cypher=query.format(2).replace("DESC", "ASC"))) == 2


async def test_given_answers_stay(store: GraphStore) -> None:
    assert await _answers(store, answers=["19"], cypher="MATCH (f:Film) RETURN count(f) AS n") == ("19",)
    assert await _answers(store, answers=[]) == ()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("MATCH (f:Movie) RETURN f", "question 1: its query does not run.*Movie"),
        ("MATCH (", "question 1: its query does not run: cannot read"),
        ("MATCH (n)-[*]->(m) RETURN m", "question 1: .*give its answers"),
    ],
)
async def test_a_query_that_does_not_run_is_an_error(store: GraphStore, query: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        await _answers(store, cypher=query)


async def test_an_unknown_property_is_missing_in_a_query_and_an_error_in_a_plan(
    store: GraphStore, caplog: pytest.LogCaptureFixture
) -> None:
    films = {"op": "match", "nodes": [{"variable": "f", "kinds": ["Film"]}]}
    column = {"name": "x", "value": {"op": "property", "variable": "f", "key": "titel"}}
    plan = {"steps": [films, {"op": "project", "columns": [column]}]}

    assert await _answers(store, cypher="MATCH (f:Film) WHERE f.titel IS NULL RETURN count(f) AS n") == ("20",)
    assert "question 1: read as missing: unknown property 'titel'; did you mean 'title'?" in caplog.text
    with pytest.raises(InvalidInputError, match=r"question 1: .*unknown property 'titel'"):
        await _answers(store, plan=plan)
