"""Say what a path between two things leads through."""

from collections.abc import Sequence

from contracts.answers import Evidence
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef
from language.english.morphology import counted
from texts.verbalise.template import join_names

HUB = 100
"""The fewest relationships of a hub, which connects so much that a path through it says little."""


def described_path(item: Evidence, nodes: Sequence[NodeRef], degrees: Sequence[int]) -> Evidence:
    """Say in the evidence of a path what it leads through, and which nodes of it are hubs."""
    first, *between, last = nodes
    names = [_named(node, degree) for node, degree in zip(between, degrees, strict=True)]
    how = f"are connected through {join_names(names)}" if names else "are directly connected"
    text = f"{value_text(first)} and {value_text(last)} {how}. {item.text}"
    return Evidence(triples=item.triples, text=text, summary=text, omitted=item.omitted)


def _named(node: NodeRef, degree: int) -> str:
    name = value_text(node)
    return f"{name} (a hub with {counted(degree, 'relationship')})" if degree >= HUB else name
