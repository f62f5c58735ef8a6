"""Know what the caller of the current request may see: which graphs, and which part of them."""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass

from shared.errors import UnknownGraphError
from shared.suggestions import did_you_mean

_MAX_LISTED = 10


@dataclass(frozen=True, slots=True)
class Access:
    """The graphs, and the part of them, that a caller may see.

    Attributes:
        graphs: The names of the graphs, the default one first; None for all graphs.
        scope: The conditions that limit what is visible of each graph, such as `Document.tenant = 42`.
    """

    graphs: tuple[str, ...] | None = None
    scope: tuple[str, ...] = ()

    def may_see(self, graph: str | None) -> bool:
        """Return whether a graph is among those that the caller may see; None is the default of the deployment."""
        return self.graphs is None or graph in self.graphs

    def graph(self, requested: str | None) -> str | None:
        """Return the graph that a request is about; None is the default of the deployment.

        Raises UnknownGraphError for a graph that the caller may not see, whether it exists or not.
        """
        if self.graphs is None:
            return requested
        if requested is None:
            return self.graphs[0]
        if requested not in self.graphs:
            raise unknown_graph(requested, self.graphs)
        return requested


def unknown_graph(requested: str, visible: Iterable[str] = ()) -> UnknownGraphError:
    """Return the error for a graph that does not exist; one that the caller may not see looks the same.

    The message lists the graphs that are `visible` to the caller, and suggests one of them, since not everybody who
    reads it calls the HTTP API.
    """
    names = sorted(visible)
    more = f", and {len(names) - _MAX_LISTED:,} more" if len(names) > _MAX_LISTED else ""
    listed = (
        f"these you may: {', '.join(names[:_MAX_LISTED])}{more}" if names else "GET /graphs lists those that you may"
    )
    return UnknownGraphError(
        f"there is no graph {requested!r} that you may ask{did_you_mean(requested, names) or ';'} {listed}"
    )


EVERYTHING = Access()
"""The access of callers if nobody needs a key, or if their key has no restriction."""

current_access: ContextVar[Access | None] = ContextVar("current_access", default=None)
"""The access of the caller of the current request; None if no key was checked."""

current_caller: ContextVar[str | None] = ContextVar("current_caller", default=None)
"""The name of the key of the current request; None if no key was checked."""
