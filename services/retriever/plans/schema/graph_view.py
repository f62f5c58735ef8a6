"""Show a graph as plans see it: with kinds, given or inferred."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.plan.algebra import Plan
from graph.plan.meaning import described
from graph.plan.schema import GraphSchema
from graph.store import Entity, GraphStore
from services.retriever.linking.tell_apart import kinds_of
from services.retriever.plans.schema.inferred_kinds import InferredKinds, infer_kinds


@dataclass(frozen=True)
class GraphView:
    """Hold the schema that predicted plans refer to; `inferred` if the graph has no kinds of its own."""

    store: GraphStore
    schema: GraphSchema
    inferred: InferredKinds | None = None

    @classmethod
    async def of(cls, store: GraphStore) -> "GraphView":
        """Read the schema of a graph, and infer kinds if it has none.

        Raises DependencyError if the graph store does not respond.
        """
        schema = await store.schema()
        if any(schema.kinds) or not schema.relationships:
            return cls(store, schema)
        inferred = await infer_kinds(store)
        return cls(store, described(inferred.schema, schema.meanings), inferred)

    def runnable(self, plan: Plan) -> Plan:
        """Return the plan that the store can run."""
        return plan if self.inferred is None else self.inferred.plain(plan)

    async def kinds_of(self, entities: Sequence[Entity]) -> dict[str, str]:
        """Return the kinds of entities, by their ids; entities without one are left out."""
        if self.inferred is None:
            return await kinds_of(self.store, {one.id for one in entities})
        return await self.inferred.kinds_of(self.store, entities)
