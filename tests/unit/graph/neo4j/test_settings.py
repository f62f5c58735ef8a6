import pytest

from graph.neo4j.settings import Neo4jSettings
from graph.opening import require_own_databases
from shared.errors import InvalidInputError
from shared.settings import load_settings


def test_lists_of_properties() -> None:
    settings = Neo4jSettings(hide=" Person.ssn , salary,,a.b.c", names="Movie.title, Person.name")
    assert settings.hidden_properties == [("Person", "ssn"), (None, "salary"), ("a.b", "c")]
    assert settings.chosen_names == {"Movie": "title", "Person": "name"}
    assert Neo4jSettings(name_property="title, name,").name_properties == ["title", "name"]
    assert Neo4jSettings(names="Movie.title").name_properties == []
    assert Neo4jSettings().hidden_properties == []


@pytest.mark.parametrize(
    ("variable", "text", "problem"),
    [
        ("KGQA_NEO4J_HIDE", ".ssn", "such as Person.ssn,salary"),
        ("KGQA_NEO4J_HIDE", "salary,Person. ", "such as Person.ssn,salary"),
        ("KGQA_NEO4J_NAMES", "title", "such as Person.name,Movie.title"),
        ("KGQA_NEO4J_NAMES", "Movie.", "such as Person.name,Movie.title"),
        ("KGQA_NEO4J_NAMES", "Movie.title,Movie.name", "a label occurs twice"),
        ("KGQA_NEO4J_DATABASE", "films=neo4j,hr", "such as films=neo4j,people=hr"),
        ("KGQA_NEO4J_DATABASE", "films=", "such as films=neo4j,people=hr"),
        ("KGQA_NEO4J_DATABASE", "films=a,films=b", "such as films=neo4j,people=hr"),
    ],
)
def test_a_malformed_list_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, text: str, problem: str) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(InvalidInputError, match=f"{variable} is invalid: expected .*{problem}"):
        load_settings(Neo4jSettings)


def test_several_graphs_have_databases_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Neo4jSettings(database="hr").of_graph("films").database == "hr"
    several = Neo4jSettings(database=" films=neo4j, people = hr")
    assert [several.of_graph(graph).database for graph in ("films", "people")] == ["neo4j", "hr"]
    with pytest.raises(InvalidInputError, match="no database for the graph 'books'"):
        several.of_graph("books")

    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    require_own_databases(["films"])
    with pytest.raises(InvalidInputError, match="films=DATABASE,people=DATABASE"):
        require_own_databases(["films", "people"])
    monkeypatch.setenv("KGQA_NEO4J_DATABASE", "films=neo4j,people=hr")
    require_own_databases(["films", "people"])
