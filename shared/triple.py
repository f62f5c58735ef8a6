"""Define the triple that graph stores return, services exchange, and knowledge formats render."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, StringConstraints

# Pydantic rejects lone surrogates, which cannot be encoded, only in fields with a length constraint.
Name = Annotated[str, StringConstraints(min_length=1)]


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact in the direction in which the graph stores it."""

    # A plain dataclass is cheap for stores to create. Pydantic validates it wherever a contract contains one.
    __pydantic_config__ = ConfigDict(extra="forbid", revalidate_instances="always")

    subject: Name
    relation: Name
    object: Name


def entity_names(triples: Iterable[Triple]) -> list[str]:
    """Return the distinct subjects and objects of `triples`, in order of first appearance."""
    return list(dict.fromkeys(name for triple in triples for name in (triple.subject, triple.object)))
