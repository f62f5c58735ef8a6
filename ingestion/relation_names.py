"""Name relations whose keys are IRIs."""

import re
from collections import Counter
from collections.abc import Collection
from urllib.parse import unquote

from graph.store import INVERSE
from ingestion.source_lines import field_problem

_IRI = re.compile(r"<[^<>]+>")


def relation_names(keys: Collection[str]) -> list[str]:
    """Shorten IRIs whose local part is unique: `<http://e.org/p#directed%20by>` -> `directed by`."""
    iris = {key: key[1:-1] for key in keys if _IRI.fullmatch(key)}
    local_parts = {key: _local_part(iris[key]) if key in iris else key for key in keys}
    uses = Counter(local_parts.values())

    def name(key: str) -> str:
        if uses[local_parts[key]] == 1 and not local_parts[key].startswith(INVERSE):
            return local_parts[key]
        iri = iris.get(key, key)
        return key if iri in local_parts else iri

    return [name(key) for key in keys]


def _local_part(iri: str) -> str:
    """Return the last part of an IRI, decoded unless that gives no valid name."""
    last = re.split(r"[/#]", iri)[-1] or iri
    decoded = " ".join(unquote(last).split())
    return last if field_problem("relation", decoded) else decoded
