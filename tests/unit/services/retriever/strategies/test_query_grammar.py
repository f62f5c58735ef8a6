"""The grammar of queries has the names of the schema, and leaves room for everything that people write between them."""

from pathlib import Path

import pytest

from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from graph.sqlite.store import SqliteGraphStore
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.pruned_schema import identifier
from services.retriever.strategies.query_grammar import query_grammar
from tests.support.gbnf import matches
from tests.support.guard_queries import HARMLESS
from tests.support.property_graphs import film_graph, write_graph_file
from training.cypher.pairs import made_up
from training.planning.own_questions import OwnQuestions

# They have comments, other line ends, clauses in lower case, needless backticks, or CALL.
_UNUSUAL = 10


@pytest.fixture
async def view(tmp_path: Path) -> GraphView:
    write_graph_file(film_graph(), tmp_path / "graph.sqlite")
    return await GraphView.of(SqliteGraphStore(tmp_path / "graph.sqlite", 5.0))


async def test_all_queries_that_the_model_learns_follow_the_grammar(view: GraphView) -> None:
    grammar = query_grammar(view.schema)

    queries = [one.query for one in made_up(await OwnQuestions.of(view, {}, 1), view, 200, 1)]

    assert [query for query in queries if not matches(grammar, query)] == []


async def test_nearly_all_harmless_queries_follow_the_grammar(view: GraphView) -> None:
    grammar = query_grammar(view.schema)

    assert sum(not matches(grammar, query) for query in HARMLESS) <= _UNUSUAL
    assert matches(grammar, "NONE")


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (f:Movie) RETURN f",
        "MATCH (f:Film)<-[:PLAYED]-(p) RETURN p",
        "MATCH (f:Film {name: 'x'}) WHERE f.naem = 1 RETURN f",
        "MATCH (f:Film {naem: 1}) RETURN f",
        "CREATE (f:Film)",
        "Sure! MATCH (f:Film) RETURN f",
        "MATCH (f:Film) RETURN f;",
        "",
    ],
)
async def test_other_names_and_clauses_do_not_follow_the_grammar(view: GraphView, query: str) -> None:
    assert not matches(query_grammar(view.schema), query)


def test_names_are_written_as_in_the_prompt() -> None:
    odd = 'naïve "kind` \\ \n\b'
    schema = GraphSchema(kinds={odd: KindSchema(1, {})}, relationships={"a-b": RelationshipSchema(1, frozenset())})

    assert matches(query_grammar(schema), f"MATCH (x:{identifier(odd)})-[:{identifier('a-b')}]->(y) RETURN y")


def test_a_grammar_that_is_too_long_is_not_sent() -> None:
    assert query_grammar(GraphSchema({f"Kind{number}": KindSchema(1, {}) for number in range(2_000)}, {})) is None


def test_without_properties_any_key_may_be_written() -> None:
    assert matches(query_grammar(GraphSchema(kinds={}, relationships={})), "MATCH (x:Any) RETURN x.any")
