"""Answer questions by query plans: predict plans, run them, and estimate how far to trust the best one."""

import asyncio
import logging
import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from graph.plan.algebra import Plan
from graph.plan.directions import refuse_impossible_relationships
from graph.plan.schema import GraphSchema
from graph.store import GraphStore
from language.english.english import english
from language.question import Question
from language.values import QuestionValue
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.accounting.unread import unread_words, unused_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.judging.plan_readings import PlanReading, RanPlan, judge
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.name_links import NameLinks
from services.retriever.plans.names.stored_texts import build_value_index
from services.retriever.plans.names.value_index import ValueIndex
from services.retriever.plans.predictor.plan_confidence import MUCH_LESS, PlanCalibration
from services.retriever.plans.predictor.quiet_values import without_operators
from services.retriever.plans.predictor.search import PlanPredictor, PredictedActions
from services.retriever.plans.rewriting.ages import as_ages
from services.retriever.plans.rewriting.asked_kind import asked_kinds
from services.retriever.plans.rewriting.calendar_groups import by_period
from services.retriever.plans.rewriting.compared_nodes import as_compared
from services.retriever.plans.rewriting.counted_kind import counted_kinds, counting_once
from services.retriever.plans.rewriting.differences import as_asked
from services.retriever.plans.rewriting.multiplicity import aggregating_once, without_unasked_joins
from services.retriever.plans.rewriting.negated_names import negating_relationships
from services.retriever.plans.rewriting.ordinals import as_ranked
from services.retriever.plans.rewriting.same_nodes import as_same_node
from services.retriever.plans.rewriting.totals import as_total
from services.retriever.plans.rewriting.unsaid_kinds import reaching_all_kinds
from services.retriever.plans.running import run_for_answers
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import DeadlineExceededError, DependencyError, InvalidInputError, RefusedError
from shared.request_context import remaining_time, time_limit
from shared.tracing.tracer import traced

log = logging.getLogger(__name__)

BEAM = 5
PLAN_SECONDS = 2.0
"""Seconds for the plans of a question, which run side by side; people's plans are seldom slow."""
_PATIENCE_S = 1.0  # with a changed graph, before questions are read by what is known of the one before


@dataclass(frozen=True)
class _Prepared:
    version: str
    schema: GraphSchema
    view: GraphView
    elements: SchemaElements
    numbers: dict[int, int]
    values: ValueIndex
    names: NameLinks
    predictor: PlanPredictor


class Planner:
    """Read questions as plans over one graph; instances are safe for concurrent use in one event loop."""

    def __init__(
        self,
        store: GraphStore,
        predictor_for: Callable[[SchemaElements], PlanPredictor],
        calibration: PlanCalibration | None = None,
        ranking: PlanCalibration | None = None,
        plan_seconds: float = PLAN_SECONDS,
        known_words: Container[str] | None = None,
        vectors: WordVectors | None = None,
    ) -> None:
        """Read questions by the predictor that `predictor_for` makes for the schema of the graph.

        Without `ranking`, the most probable reading with a result comes first. Plans may run for `plan_seconds`.
        Lower-case words that are not among the `known_words` may be misspelt names. With `vectors` of words, plans that
        rest on names alone are doubted if nothing else in the question is like them.
        """
        self._store = store
        self._plan_seconds = plan_seconds
        self._known_words = known_words
        self._vectors = vectors
        self._predictor_for = predictor_for
        self._calibration = calibration or PlanCalibration()
        self._ranking = ranking
        self._prepared: _Prepared | None = None
        self._preparing: asyncio.Task[_Prepared] | None = None

    async def read(self, question: str) -> list[PlanReading]:
        """Return the readings of a question that give different results, best first.

        Without `ranking`, empty results come last, since people seldom ask for what is not there. Raises
        DependencyError if the graph store does not respond, and DeadlineExceededError if the plans take too long.
        """
        prepared, question = await self._prepare(), english(question).in_known_words
        with traced("link") as span:
            values = await self.values(question)
            span.set(values=len(values))
            span.set_contents(question=question, texts=", ".join(value.text for value in values))
        with traced("predict plans") as span:
            said = without_operators(question, values)
            found = await asyncio.to_thread(prepared.predictor.predict, said, values, BEAM)
            span.set(plans=len(found))
        with time_limit(remaining_time(3 * self._plan_seconds) / 3):  # the rest is for the evidence and the text
            readings, late = await self._judged(question, prepared, found, values)
        remaining_time(self._plan_seconds)  # raises if it was the request's own deadline that passed
        if late and not readings:
            raise DeadlineExceededError("the plans of the question take too long")
        likeliest_late = max((one.log_probability for one in late), default=-math.inf)
        return [replace(one, is_overtaken=one.features.best < math.exp(likeliest_late)) for one in readings]

    async def _judged(
        self,
        question: Question,
        prepared: _Prepared,
        found: Sequence[PredictedActions],
        values: Sequence[QuestionValue],
    ) -> tuple[list[PlanReading], list[PredictedActions]]:
        """Run plans, and return the readings that they are, best first, and the plans that took too long."""
        likely = _likely(question, found, values)
        others = [one for one in found if one not in likely]
        counted = counted_kinds(question, prepared.elements)
        asked = AskedQuestion(question, values, prepared.elements, prepared.view.schema, self._vectors)
        ran, late = await self._run_all(question, prepared, likely, values, counted)
        readings = await self._judge(asked, ran)
        if not others or late or any(_is_plausible(one) for one in readings):
            return readings, late
        more, late = await self._run_all(question, prepared, others, values, counted)
        return await self._judge(asked, [*ran, *more]), late

    async def _judge(self, asked: AskedQuestion, ran: Sequence[RanPlan]) -> list[PlanReading]:
        """Judge plans in another thread, since words may have to be encoded."""
        return await asyncio.to_thread(judge, asked, ran, self._calibration, self._ranking)

    async def values(self, question: str) -> list[QuestionValue]:
        """Return the values that a question states, with the properties that hold them."""
        prepared = await self._prepare()
        found = await prepared.names.complete(question, prepared.values.values(question))
        return prepared.values.by_parts(question, found)

    async def view(self) -> GraphView:
        """Return the graph as plans see it."""
        return (await self._prepare()).view

    async def asked_kinds(self, question: str) -> frozenset[str]:
        """Return the kinds of node that a question asks for; none if it names no kind."""
        return asked_kinds(english(question), (await self._prepare()).elements)

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

    async def _prepare(self) -> _Prepared:
        """Return what plans need of the graph; while a changed graph is read for long, what was read before."""
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

    async def _is_current(self, prepared: _Prepared) -> bool:
        """Return whether the graph has not changed; a store may go on with its old schema while it reads a new one."""
        schema = await self._store.schema()
        return prepared.version == await self._store.version() and (
            prepared.schema is schema or prepared.schema == schema
        )

    def _begin(self) -> "asyncio.Task[_Prepared]":
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._read_graph())
            self._preparing.add_done_callback(_note_failure)
        return self._preparing

    async def _read_graph(self) -> _Prepared:
        version, schema = await self._store.version(), await self._store.schema()
        view = await GraphView.of(self._store)
        elements = SchemaElements.of(view.schema)
        values = await build_value_index(view, elements)
        predictor = await asyncio.to_thread(self._predictor_for, elements)
        numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}
        names = NameLinks(view, elements, self._known_words)
        self._prepared = _Prepared(version, schema, view, elements, numbers, values, names, predictor)
        return self._prepared

    async def _run_all(
        self,
        question: str,
        prepared: _Prepared,
        found: Sequence[PredictedActions],
        values: Sequence[QuestionValue],
        counted: frozenset[str],
    ) -> tuple[list[RanPlan], list[PredictedActions]]:
        """Run plans side by side; return those that ran, and those that took too long."""
        with traced("execute") as span:
            outcomes = await asyncio.gather(*(self._run(question, prepared, one, values, counted) for one in found))
            span.set(plans=len(found))
        late = [one for one in outcomes if isinstance(one, PredictedActions)]
        return [one for one in outcomes if isinstance(one, RanPlan)], late

    async def _run(
        self,
        question: str,
        prepared: _Prepared,
        found: PredictedActions,
        values: Sequence[QuestionValue],
        counted: frozenset[str],
    ) -> RanPlan | PredictedActions | None:
        """Run a plan; return its prediction if it takes too long, and None if it does not run."""
        read = _as_meant(question, prepared, found, values, counted)
        plan = prepared.view.runnable(read)
        try:
            refuse_impossible_relationships(plan, prepared.view.schema)
            ran = await run_for_answers(self._store, plan, prepared.elements.name_keys)
            return RanPlan(found, read, ran.plan, ran.result, ran.tied)
        except DeadlineExceededError as error:
            log.info("a predicted plan takes too long: %s", error.detail)
            return found
        except (InvalidInputError, RefusedError) as error:
            log.info("a predicted plan does not run: %s", error.detail)
            return None


def _as_meant(
    question: str,
    prepared: _Prepared,
    found: PredictedActions,
    values: Sequence[QuestionValue],
    counted: frozenset[str],
) -> Plan:
    """Return the predicted plan, rewritten where the words of the question say more than its actions."""
    elements = prepared.elements
    assembled = assemble(found.actions, elements, QuestionConstants(values, prepared.numbers))
    negated = negating_relationships(assembled, elements.name_keys, question)
    same = as_same_node(as_compared(negated, values), question, elements)
    asked = as_ages(as_asked(counting_once(same, counted), question, values, elements), question, elements)
    total = as_total(asked, question, elements)
    ranked = as_ranked(by_period(total, question, elements.date_keys), question, values)
    return aggregating_once(_as_said(ranked, question, prepared, found, values), elements.name_keys)


def _as_said(
    plan: Plan, question: str, prepared: _Prepared, found: PredictedActions, values: Sequence[QuestionValue]
) -> Plan:
    """Return a plan without the kinds and the joins of which the question says nothing."""
    elements = prepared.elements
    reaching = reaching_all_kinds(plan, question, elements, prepared.view.schema)
    asked = without_unasked_joins(reaching, question, elements)
    if asked != plan and unread_words(question, found.actions, values, elements):
        return plan  # a word that is unread may be another name of a kind or a relationship
    return asked


def _likely(
    question: str, found: Sequence[PredictedActions], values: Sequence[QuestionValue]
) -> list[PredictedActions]:
    """Return the plans that are not much less probable than the best, or use more of the values of the question.

    The others run only if none of these is plausible.
    """
    if not found:
        return []
    least = found[0].log_probability + math.log(MUCH_LESS)
    unused = unused_values(question, found[0].actions, values)
    return [
        one for one in found if one.log_probability >= least or unused_values(question, one.actions, values) < unused
    ]


def _is_plausible(reading: PlanReading) -> bool:
    """Return whether a reading finds something, and leaves nothing unread that its answer depends on."""
    return not reading.features.is_empty and reading.completeness == 1.0


def _note_failure(reading: "asyncio.Task[_Prepared]") -> None:
    """Log a failure that nobody may wait for any more."""
    if not reading.cancelled() and (error := reading.exception()) is not None:
        log.info("the graph could not be read for plans: %s", error)
