from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from ingestion.importer import import_files
from ingestion.sparql_snapshot import PASSWORD, TOKEN, USER, Endpoint, copy_endpoint
from shared.errors import DependencyError, InvalidInputError
from tests.fakes.sparql_server import TRIPLES, SparqlServer, sparql_server
from tests.support.imported_graphs import stored_graph


@pytest.fixture
def server() -> Iterator[SparqlServer]:
    with sparql_server() as running:
        yield running


def _pages(server: SparqlServer) -> list[str]:
    return [query.split("LIMIT ")[1] for query in server.queries if "LIMIT" in query]


def test_an_endpoint_is_copied_in_pages(tmp_path: Path, server: SparqlServer) -> None:
    seen: list[tuple[int, int]] = []

    assert copy_endpoint(Endpoint(server.url), tmp_path / "f.nt", lambda *one: seen.append(one), 10) == TRIPLES

    assert _pages(server) == ["10 OFFSET 0", "10 OFFSET 10", "10 OFFSET 20", "10 OFFSET 25"]
    assert seen == [(10, TRIPLES), (20, TRIPLES), (25, TRIPLES)]
    import_files([tmp_path / "f.nt"], tmp_path / "graph.sqlite")
    assert stored_graph(tmp_path / "graph.sqlite").nodes["http://e.org/n7"].properties == {"size": 7}


def test_a_named_graph_is_copied(tmp_path: Path, server: SparqlServer) -> None:
    assert copy_endpoint(Endpoint(server.url, "http://e.org/g"), tmp_path / "f.nt") == 1

    assert (tmp_path / "f.nt").read_text().splitlines()[1] == '<http://e.org/a> <http://e.org/p> "x\\ny" .'


def test_an_interrupted_copy_goes_on(tmp_path: Path, server: SparqlServer) -> None:
    file = tmp_path / "f.nt"
    server.failures = {4: 503}
    with pytest.raises(DependencyError, match="fails with 503; when it answers again, the same command goes on"):
        copy_endpoint(Endpoint(server.url), file, page=10)
    with file.open("ab") as cut:
        cut.write(b"<http://e.org/n")
    server.queries.clear()

    assert copy_endpoint(Endpoint(server.url), file, page=10) == TRIPLES

    assert _pages(server) == ["10 OFFSET 20", "10 OFFSET 25"]
    assert len(set(file.read_text().splitlines())) == TRIPLES + 1


def test_another_endpoint_begins_anew(tmp_path: Path, server: SparqlServer) -> None:
    copy_endpoint(Endpoint(server.url), tmp_path / "f.nt")

    assert copy_endpoint(Endpoint(server.url, "http://e.org/g"), tmp_path / "f.nt") == 1


def test_a_page_that_fails_is_asked_for_in_smaller_ones(tmp_path: Path, server: SparqlServer) -> None:
    server.failures = {2: 504, 3: 500}

    assert copy_endpoint(Endpoint(server.url), tmp_path / "f.nt", page=1000) == TRIPLES

    assert _pages(server)[:3] == ["1000 OFFSET 0", "500 OFFSET 0", "250 OFFSET 0"]


def test_triples_that_change_meanwhile_are_refused(tmp_path: Path, server: SparqlServer) -> None:
    def add(done: int, _total: int) -> None:
        server.store.add(Quad(NamedNode("http://a.org/a"), NamedNode("http://e.org/p"), Literal(done)))

    with pytest.raises(InvalidInputError, match="changed while they were read"):
        copy_endpoint(Endpoint(server.url), tmp_path / "f.nt", add, 10)
    assert not (tmp_path / "f.nt").exists()


@pytest.mark.parametrize(
    ("variables", "header"),
    [
        ({USER: "ann", PASSWORD: "secret"}, "Basic YW5uOnNlY3JldA=="),
        ({TOKEN: "abc"}, "Bearer abc"),
        ({}, None),
    ],
)
def test_credentials_come_from_the_environment(
    tmp_path: Path, server: SparqlServer, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], header: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    copy_endpoint(Endpoint(server.url), tmp_path / "f.nt")

    assert set(server.credentials) == {header}


def test_what_is_no_endpoint_is_refused(tmp_path: Path, server: SparqlServer) -> None:
    server.failures = {1: 401}
    with pytest.raises(InvalidInputError, match=f"refuses the query with 401; check the URL, and {USER}"):
        copy_endpoint(Endpoint(server.url), tmp_path / "f.nt")
    with pytest.raises(InvalidInputError, match="is not the URL of a SPARQL endpoint"):
        copy_endpoint(Endpoint("file:///etc/passwd"), tmp_path / "f.nt")
    with pytest.raises(InvalidInputError, match="is not an IRI"):
        copy_endpoint(Endpoint(server.url, "http://e.org/g> { } "), tmp_path / "f.nt")
    with pytest.raises(DependencyError, match="does not answer"):
        copy_endpoint(Endpoint("http://127.0.0.1:1/query"), tmp_path / "f.nt")
