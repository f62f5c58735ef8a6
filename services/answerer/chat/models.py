"""Name the models that chat clients choose from: the default graph, and each graph with each strategy."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from contracts.base import GraphName, Strategy
from contracts.graphs import ServedGraphDescription
from shared.errors import NotFoundError
from shared.text import shown

MODEL = "kgqa"
"""The ID of the model that answers from the default graph."""
_GRAPH_NAME: TypeAdapter[str] = TypeAdapter(GraphName)


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The graph and the strategy that a model stands for; None for the default graph."""

    graph: str | None = None
    strategy: Strategy = Strategy.PLAN


def chosen_model(name: str) -> ChosenModel:
    """Return what `kgqa`, `kgqa:GRAPH`, or `kgqa:GRAPH:STRATEGY` stands for.

    Raises NotFoundError for any other name. Whether the graph exists is known only when it is asked.
    """
    first, *rest = name.split(":")
    try:
        if first == MODEL and len(rest) <= 2:
            graph = _GRAPH_NAME.validate_python(rest[0]) if rest else None
            return ChosenModel(graph, Strategy(rest[1]) if len(rest) == 2 else Strategy.PLAN)
    except (ValidationError, ValueError):
        pass
    raise NotFoundError(f"there is no model {shown(name)}; use {MODEL!r}, or another one that GET /v1/models lists")


def model_names(graphs: Sequence[ServedGraphDescription]) -> list[str]:
    """Return the models for some graphs, the default one first; a single graph needs only one.

    Example:
        >>> model_names([ServedGraphDescription(name=one, strategies=["plan", "auto"]) for one in ("films", "people")])
        ['kgqa', 'kgqa:films', 'kgqa:films:auto', 'kgqa:people', 'kgqa:people:auto']
    """
    if len(graphs) < 2:
        return [MODEL]
    names = [MODEL]
    for graph in graphs:
        names.append(f"{MODEL}:{graph.name}")
        names += [f"{MODEL}:{graph.name}:{one}" for one in graph.strategies if one is not Strategy.PLAN]
    return names
