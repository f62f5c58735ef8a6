"""Hold the retrievers over the parts of a graph that are visible within scopes."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from contracts.meaning_file import NOTHING_SAID, MeaningFile
from graph.store import GraphStore
from services.retriever.replies.retrieval import Retrieval
from services.retriever.scopes.described_store import described_store
from services.retriever.serving.wiring import LoadedModels, assemble_strategies, with_models
from services.retriever.trusted.questions import TrustedQuestions
from shared.scope_conditions import read_condition

_MAX_PARTS = 64
_NOT_WITHIN_SCOPE = "it cannot keep to the scope of your API key"


@dataclass(frozen=True, slots=True)
class GraphPart:
    """A graph, or what is visible of it within a scope, and what answers requests about it."""

    store: GraphStore
    retrieval: Retrieval


class ScopedParts:
    """Assemble a retriever of its own for each scope, so that scopes share models, but neither caches nor names.

    The parts that were used last are kept.
    """

    def __init__(
        self, store: GraphStore, models: LoadedModels, trusted: Path, said: MeaningFile = NOTHING_SAID
    ) -> None:
        """Show parts of the graph in `store`; `trusted` is the file with its trusted questions.

        A scope may name what the owner hides, so `store` must not hide what is `said` to be hidden.
        """
        self._store = store
        self._models = models
        self._trusted = trusted
        self._said = said
        self._parts: OrderedDict[tuple[str, ...], GraphPart] = OrderedDict()

    def within(self, scope: tuple[str, ...]) -> GraphPart:
        """Return the part within a scope; raise InvalidInputError if one of its conditions is malformed."""
        part = self._parts.pop(scope, None) or self._assembled(scope)
        self._parts[scope] = part
        if len(self._parts) > _MAX_PARTS:
            self._parts.popitem(last=False)
        return part

    async def close(self) -> None:
        """Stop reading the parts."""
        await asyncio.gather(*(part.store.close() for part in self._parts.values()))

    def _assembled(self, scope: tuple[str, ...]) -> GraphPart:
        store = described_store(self._store, self._said, [read_condition(text) for text in scope])
        assembled = with_models(store, self._models, trusted=TrustedQuestions(store, self._trusted))
        strategies = assemble_strategies(store, assembled, _NOT_WITHIN_SCOPE, _NOT_WITHIN_SCOPE)
        return GraphPart(store, Retrieval(strategies, store=store))
