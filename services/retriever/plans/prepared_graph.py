"""Prepare what plans need of a graph, and prepare it again when the graph has changed."""

import asyncio
import logging
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from contracts.confirmed_questions import ConfirmedQuestion
from graph.plan.schema import GraphSchema
from graph.store import Entity, GraphStore
from language.english.english import english
from language.question import Question
from language.values import QuestionValue
from services.retriever.linking.meant_nodes import nodes_with_ids
from services.retriever.plans.names.misspelt_words import MisspeltWords
from services.retriever.plans.names.name_links import NameLinks
from services.retriever.plans.names.stored_texts import build_value_index
from services.retriever.plans.names.value_index import ValueIndex
from services.retriever.plans.predictor.confirmed import KnownPlan
from services.retriever.plans.predictor.quiet_values import without_operators
from services.retriever.plans.predictor.search import PlanPredictor
from services.retriever.plans.predictor.stored_actions import read_actions
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import DependencyError

log = logging.getLogger(__name__)

_PATIENCE_S = 1.0  # with a changed graph, before questions are read by what is known of the one before


@dataclass(frozen=True)
class PreparedGraph:
    """Hold what plans need of a graph.

    Attributes:
        version: The version of the graph.
        stored_schema: The schema of the store.
        view: The graph as plans see it.
        elements: The elements of its schema.
        numbers: The numbers of properties, by the identity of their schemas.
        values: Finds the values of questions.
        names: Finds further names in questions.
        misspelt: Finds words of questions that are no names, and misspelt.
        predictor: Predicts plans over the schema.
    """

    version: str
    stored_schema: GraphSchema
    view: GraphView
    elements: SchemaElements
    numbers: dict[int, int]
    values: ValueIndex
    names: NameLinks
    misspelt: MisspeltWords
    predictor: PlanPredictor

    async def values_of(self, question: Question) -> list[QuestionValue]:
        """Return the values that a question states, with the properties that hold them.

        Raises DependencyError if the graph store does not respond.
        """
        found = await self.names.complete(question, self.values.values(question))
        return await self.names.with_meant(question, self.values.by_parts(question, found))

    async def kinds_among(self, question: Question) -> frozenset[str]:
        """Return the kinds of the only nodes that a question asks about; none if it asks about all.

        Raises DependencyError if the graph store does not respond.
        """
        if not question.among:
            return frozenset()
        nodes = await nodes_with_ids(self.view.store, question.among)
        inferred = await self.view.kinds_of([Entity(one.id, one.name) for one in nodes.values()])
        return frozenset((*inferred.values(), *(kind for one in nodes.values() for kind in one.kinds)))

    async def known_plans(self, confirmed: Sequence[ConfirmedQuestion]) -> list[KnownPlan]:
        """Return confirmed questions with their values and plans, without those that the graph lacks something for."""
        known = []
        for one in confirmed:
            question = english(one.question).in_known_words
            values = await self.values_of(question)
            actions = read_actions(one.actions, values, self.elements)
            if actions is not None:
                known.append(KnownPlan(without_operators(question, values), tuple(values), actions))
        return known


class GraphPreparation:
    """Prepare one graph when it is first needed; instances are safe for concurrent use in one event loop."""

    def __init__(
        self,
        store: GraphStore,
        predictor_for: Callable[[SchemaElements], PlanPredictor],
        known_words: Container[str] | None,
        confirmed: Sequence[ConfirmedQuestion] = (),
    ) -> None:
        """Prepare the graph of a store; see `Planner` for the arguments."""
        self._store = store
        self._predictor_for = predictor_for
        self._known_words = known_words
        self._confirmed = confirmed
        self._prepared: PreparedGraph | None = None
        self._preparing: asyncio.Task[PreparedGraph] | None = None

    async def current(self) -> PreparedGraph:
        """Return what plans need of the graph; while a changed graph is read for long, what was read before.

        Raises DependencyError if the graph store does not respond.
        """
        before = self._prepared
        if before is not None and await self._is_current(before):
            return before
        reading = self._begin()
        if before is not None:
            await asyncio.wait({reading}, timeout=_PATIENCE_S)
            if not reading.done():
                return before
        # A request that is cancelled does not cancel what others wait for as well.
        return await asyncio.shield(reading)

    async def ready(self) -> bool:
        """Return whether the graph has been read; begin to read it otherwise.

        Raises:
            DependencyError: The graph is being read, or its store does not respond.
        """
        if self._prepared is None:
            reading = self._begin()
            await asyncio.wait({reading}, timeout=0.0)
            if not reading.done():
                said = "the schema and the values of the graph are being read"
                raise DependencyError(said, said)
            reading.result()
        return True

    async def _is_current(self, prepared: PreparedGraph) -> bool:
        """Return whether the graph has not changed; a store may go on with its old schema while it reads a new one."""
        schema = await self._store.schema()
        return prepared.version == await self._store.version() and (
            prepared.stored_schema is schema or prepared.stored_schema == schema
        )

    def _begin(self) -> "asyncio.Task[PreparedGraph]":
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._read_graph())
            self._preparing.add_done_callback(_note_failure)
        return self._preparing

    async def _read_graph(self) -> PreparedGraph:
        version, schema = await self._store.version(), await self._store.schema()
        view = await GraphView.of(self._store)
        elements = SchemaElements.of(view.schema)
        values = await build_value_index(view, elements)
        predictor = await asyncio.to_thread(self._predictor_for, elements)
        numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}
        names = NameLinks(view, elements, self._known_words)
        misspelt = MisspeltWords(elements, values, self._known_words)
        prepared = PreparedGraph(version, schema, view, elements, numbers, values, names, misspelt, predictor)
        if self._confirmed:
            await self._remember(prepared)
        self._prepared = prepared
        return prepared

    async def _remember(self, prepared: PreparedGraph) -> None:
        """Let the predictor know the plans of confirmed questions, except those that the graph lacks something for."""
        known = await prepared.known_plans(self._confirmed)
        if left_out := len(self._confirmed) - len(known):
            log.warning("confirmed questions are left out, because the graph lacks what they name: %s", left_out)
        await asyncio.to_thread(prepared.predictor.remember, known)


def _note_failure(reading: "asyncio.Task[PreparedGraph]") -> None:
    """Log a failure that nobody may wait for any more."""
    if not reading.cancelled() and (error := reading.exception()) is not None:
        log.info("the graph could not be read for plans: %s", error)
