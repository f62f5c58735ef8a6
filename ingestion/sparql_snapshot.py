"""Copy the triples of a SPARQL endpoint to a file of N-Triples, in pages, so that an interrupted copy goes on."""

import base64
import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shared.errors import DependencyError, InvalidInputError

USER, PASSWORD, TOKEN = "KGQA_SPARQL_USER", "KGQA_SPARQL_PASSWORD", "KGQA_SPARQL_TOKEN"
"""Environment variables with the credentials of the endpoint."""

_PAGE, _SMALLEST_PAGE = 10_000, 100
_SECONDS = 120.0
_RESULTS = "application/sparql-results+json"


class Endpoint(NamedTuple):
    """Identify the triples to copy: all of an endpoint's default graph, or those of a named graph."""

    url: str
    graph: str | None = None

    @property
    def pattern(self) -> str:
        """Return the pattern that matches the triples."""
        triple = "?s ?p ?o"
        return f"{{ GRAPH <{self.graph}> {{ {triple} }} }}" if self.graph else f"{{ {triple} }}"


def copy_endpoint(
    endpoint: Endpoint, file: Path, progress: Callable[[int, int], None] | None = None, page: int = _PAGE
) -> int:
    """Write all triples to a file, after those that an earlier copy wrote, and return their number.

    Pages that the endpoint does not answer in time are asked for again, half as large. Raises InvalidInputError if the
    endpoint refuses the query or its triples changed meanwhile, and DependencyError if it does not answer; the same
    call then goes on.
    """
    _check(endpoint)
    done = _begin(endpoint, file)
    total = _count(endpoint)
    with file.open("ab") as written:
        # More triples than there were would be read for ever if some are added all the time.
        while done <= total and (lines := _page(endpoint, done, page)):
            written.write(b"".join(lines))
            written.flush()
            done += len(lines)
            if progress:
                progress(done, max(total, done))
    if done != total or _count(endpoint) != total:
        file.unlink()
        raise InvalidInputError(f"the triples of {endpoint.url} changed while they were read; import them again")
    return done


def _check(endpoint: Endpoint) -> None:
    if urllib.parse.urlsplit(endpoint.url).scheme not in ("http", "https"):
        raise InvalidInputError(f"{endpoint.url} is not the URL of a SPARQL endpoint; begin it with https://")
    if endpoint.graph and any(character in endpoint.graph for character in '<>"{}|^`\\ \n'):
        raise InvalidInputError(f"{endpoint.graph!r} is not an IRI, and so not the name of a graph; correct it")


def _begin(endpoint: Endpoint, file: Path) -> int:
    """Prepare the file, and return the number of triples in it that are copied already."""
    header = b"# " + json.dumps(list(endpoint)).encode() + b"\n"
    known = 0
    if file.is_file():
        with file.open("r+b") as earlier:
            if earlier.readline() == header:
                end = len(header)
                for line in earlier:
                    if not line.endswith(b"\n"):
                        break
                    end += len(line)
                    known += 1
                earlier.truncate(end)  # the rest of a line that was not written in full
                return known
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)  # as graph files
    file.write_bytes(header)
    return known


def _count(endpoint: Endpoint) -> int:
    rows = _select(endpoint, f"SELECT (COUNT(*) AS ?n) WHERE {endpoint.pattern}")
    return int(rows[0][0].split('"')[1])


def _page(endpoint: Endpoint, done: int, size: int) -> list[bytes]:
    """Return the next triples as lines; an endpoint may give fewer than it is asked for."""
    while True:
        query = f"SELECT ?s ?p ?o WHERE {endpoint.pattern} ORDER BY ?s ?p ?o LIMIT {size} OFFSET {done}"
        try:
            return [f"{' '.join(row)} .\n".encode() for row in _select(endpoint, query)]
        except DependencyError:
            if size <= _SMALLEST_PAGE:
                raise
            size //= 2


def _select(endpoint: Endpoint, query: str) -> list[list[str]]:
    """Return the rows of a query, whose terms are written as in N-Triples."""
    from pyoxigraph import QueryResultsFormat, QuerySolutions, parse_query_results

    body = urllib.parse.urlencode({"query": query}).encode()
    request = urllib.request.Request(endpoint.url, body, {"Accept": _RESULTS, **_credentials()})  # noqa: S310 (checked)
    resume = "when it answers again, the same command goes on"
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 (checked)
            found = parse_query_results(response.read(), format=QueryResultsFormat.JSON)
            return [[str(term) for term in row] for row in found] if isinstance(found, QuerySolutions) else []
    except urllib.error.HTTPError as error:
        if error.code < http.client.INTERNAL_SERVER_ERROR:
            advice = f"check the URL, and {USER} and {PASSWORD} or {TOKEN}"
            raise InvalidInputError(f"{endpoint.url} refuses the query with {error.code}; {advice}") from error
        raise DependencyError(f"{endpoint.url} fails with {error.code}; {resume}", "the endpoint fails") from error
    except SyntaxError as error:
        raise InvalidInputError(f"{endpoint.url} does not answer as a SPARQL endpoint: {error}; check it") from error
    except (OSError, http.client.HTTPException) as error:
        raise DependencyError(f"{endpoint.url} does not answer ({error}); {resume}", "no answer") from error


def _credentials() -> dict[str, str]:
    if token := os.environ.get(TOKEN):
        return {"Authorization": f"Bearer {token}"}
    if user := os.environ.get(USER):
        pair = f"{user}:{os.environ.get(PASSWORD, '')}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    return {}
