"""Serve a SPARQL endpoint from memory."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from pyoxigraph import Literal, NamedNode, Quad, QueryResultsFormat, QuerySolutions, Store

TRIPLES = 25


class SparqlServer(ThreadingHTTPServer):
    """Answer queries from a store; `failures` holds the statuses of some replies by their numbers, which start at 1."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = Store()
        self.queries: list[str] = []
        self.credentials: list[str | None] = []
        self.failures: dict[int, int] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/query"


class _Handler(BaseHTTPRequestHandler):
    server: SparqlServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        [query] = parse_qs(body)["query"]
        self.server.queries.append(query)
        self.server.credentials.append(self.headers["Authorization"])
        if status := self.server.failures.pop(len(self.server.queries), 0):
            self.send_error(status)
            return
        found = self.server.store.query(query)
        assert isinstance(found, QuerySolutions)
        content = found.serialize(format=QueryResultsFormat.JSON) or b""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def sparql_server() -> Iterator[SparqlServer]:
    """Serve 25 triples in the default graph, and one in the graph `http://e.org/g`."""
    with SparqlServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for number in range(TRIPLES):
            subject, relation = NamedNode(f"http://e.org/n{number}"), NamedNode("http://e.org/size")
            running.store.add(Quad(subject, relation, Literal(number)))
        graph = NamedNode("http://e.org/g")
        running.store.add(Quad(NamedNode("http://e.org/a"), NamedNode("http://e.org/p"), Literal("x\ny"), graph))
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()
