"""Read RDF lists and containers as the facts about their items."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ingestion.rdf_terms import FIRST, RDF, REST

if TYPE_CHECKING:
    from ingestion.blank_nodes import Fact

_FIRST, _REST = f"<{FIRST}>", f"<{REST}>"
_MEMBER = re.compile(rf"<{re.escape(RDF)}_[1-9]\d*>")

_Facts = Mapping[str, "Mapping[Fact, None]"]


def item_facts(out: _Facts, into: _Facts) -> Iterator[tuple["Fact", list["Fact"], list[str]]]:
    """Yield each fact whose object is a list, the facts about its items, and the blank nodes that the list takes.

    `out` and `into` hold the facts of which each node is the subject or the object. The lists that others contain come
    after these, so that their items become items of the outer list.
    """
    found = list(out)
    for node in found:
        if not node.startswith("_:"):
            continue
        cells = _cells(node, out)
        for fact in [fact for fact in into.get(node, ()) if fact.relation != _REST] if cells else ():
            items = [item for cell in cells for item in _items(cell, out)]
            yield fact, [_of_item(fact, item) for item in items], cells


def _cells(node: str, out: _Facts) -> list[str]:
    """Return the blank nodes of a list or container, or nothing if it is none."""
    if out[node] and all(_MEMBER.fullmatch(fact.relation) for fact in out[node]):
        return [node]
    cells: list[str] = []
    while True:
        relations = [fact.relation for fact in out.get(node, ())]
        if _FIRST not in relations or not {_FIRST, _REST}.issuperset(relations) or relations.count(_REST) > 1:
            return []
        if node in cells:
            return []
        cells.append(node)
        rest = next((fact.object for fact in out[node] if fact.relation == _REST), None)
        if rest is None:
            return cells
        node = rest


def _items(cell: str, out: _Facts) -> "list[Fact]":
    items = [fact for fact in out[cell] if fact.relation != _REST]
    return sorted(items, key=lambda fact: int(number[1]) if (number := re.search(r"_(\d+)>$", fact.relation)) else 0)


def _of_item(fact: "Fact", item: "Fact") -> "Fact":
    """Return the fact about one item."""
    return type(fact)(fact.subject, fact.relation, fact.relation_name, item.object, item.type)
