"""Name relations whose keys are IRIs."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from urllib.parse import unquote

from graph.store import INVERSE
from ingestion.source_lines import field_problem

_IRI = re.compile(r"<[^<>]+>")


def relation_names(keys: Collection[str], labels: Mapping[str, str] | None = None) -> list[str]:
    """Return a distinct name for each key: its label, or the local part of an IRI, or the whole IRI.

    A label or a local part is a name if no other key has it: `<http://e.org/p#directed%20by>` -> `directed by`.
    """
    iris = {key: key[1:-1] for key in keys if _IRI.fullmatch(key)}
    local_parts = {key: _local_part(iris[key]) if key in iris else key for key in keys}
    labels = _usable_labels(labels or {}, local_parts)
    uses = Counter(part for key, part in local_parts.items() if key not in labels)

    def name(key: str) -> str:
        if key in labels:
            return labels[key]
        if uses[local_parts[key]] == 1 and not local_parts[key].startswith(INVERSE):
            return local_parts[key]
        iri = iris.get(key, key)
        return key if iri in local_parts else iri

    return [name(key) for key in keys]


def _usable_labels(labels: Mapping[str, str], local_parts: Mapping[str, str]) -> dict[str, str]:
    """Return the labels that are names: those that no other key has, neither as its label nor as its local part."""
    candidates = {key: labels[key] for key in local_parts if key in labels}
    uses = Counter(candidates.values())
    owners = Counter(local_parts.values())
    return {
        key: label
        for key, label in candidates.items()
        if uses[label] == 1
        and owners[label] == (local_parts[key] == label)
        and field_problem("relation", label) is None
    }


def _local_part(iri: str) -> str:
    """Return the last part of an IRI, decoded unless that gives no valid name."""
    last = re.split(r"[/#]", iri)[-1] or iri
    decoded = " ".join(unquote(last).split())
    return last if field_problem("relation", decoded) else decoded
