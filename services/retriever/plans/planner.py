"""Answer questions by query plans: predict plans, run them, and estimate how far to trust the best one."""

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import replace

from contracts.confirmed_questions import ConfirmedQuestion
from graph.plan.directions import refuse_impossible_relationships
from graph.store import GraphStore
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.accounting.unread import unused_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.judging.plan_readings import PlanReading, RanPlan, judge
from services.retriever.plans.judging.registry import DOUBTS
from services.retriever.plans.names.asked_kind import asked_kinds
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.meant_in_plans import with_meant_nodes_only, with_nodes_among
from services.retriever.plans.predictor.confirmed import KnownPlan
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.search import PlanPredictor, PredictedActions
from services.retriever.plans.prepared_graph import GraphPreparation, PreparedGraph
from services.retriever.plans.rewriting.registry import REWRITES, rewritten
from services.retriever.plans.running import run_for_answers
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import DeadlineExceededError, InvalidInputError, RefusedError
from shared.request_context import remaining_time, time_limit
from shared.tracing.tracer import traced

log = logging.getLogger(__name__)

BEAM = 5
_LEAST_SHARE = 0.03  # of the probability of the best plan, for a plan to run beside it and be judged
PLAN_SECONDS = 2.0
"""Seconds for the plans of a question, which run side by side; people's plans are seldom slow."""


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
        without: Collection[str] = (),
        confirmed: Sequence[ConfirmedQuestion] = (),
    ) -> None:
        """Read questions by the predictor that `predictor_for` makes for the schema of the graph.

        Without `ranking`, the most probable reading with a result comes first. Plans may run for `plan_seconds`.
        Lower-case words that are not among the `known_words` may be misspelt names. The rules `without` which questions
        are read are given by their names. The plans of `confirmed` questions are proposed for questions that are read
        alike.

        Raises:
            InvalidInputError: There is no rule with one of these names.
        """
        self._store = store
        self._plan_seconds = plan_seconds
        self._calibration = calibration or PlanCalibration()
        self._ranking = ranking
        self._without = _known_rules(without)
        self._graphs = GraphPreparation(store, predictor_for, known_words, confirmed)

    async def read(self, question: Question) -> list[PlanReading]:
        """Return the readings of a question that give different results, best first.

        Without `ranking`, empty results come last, since people seldom ask for what is not there. Raises
        DependencyError if the graph store does not respond, and DeadlineExceededError if the plans take too long.
        """
        graph = await self._graphs.current()
        asked = await self._asked(question.in_known_words, graph)
        # Another thread respells, because the first unknown word loads a dictionary.
        if respelled := await asyncio.to_thread(graph.misspelt.respelled, asked.question, asked.values):
            asked = await self._asked(asked.question.with_words(respelled), graph)
        found = await self._predicted(asked, graph)
        with time_limit(remaining_time(3 * self._plan_seconds) / 3):  # the rest is for the evidence and the text
            readings, late = await self._judged(asked, graph, found)
        remaining_time(self._plan_seconds)  # raises if it was the request's own deadline that passed
        if late and not readings:
            raise DeadlineExceededError("the plans of the question take too long")
        return _marked(readings, late, respelled)

    async def _asked(self, question: Question, graph: PreparedGraph) -> AskedQuestion:
        with traced("link") as span:
            values = await graph.values_of(question)
            span.set(values=len(values))
            span.set_contents(question=question.text, texts=", ".join(value.text for value in values))
        kinds = await graph.kinds_among(question)
        return AskedQuestion(question, values, graph.elements, graph.view.schema, kinds)

    async def _predicted(self, asked: AskedQuestion, graph: PreparedGraph) -> list[PredictedActions]:
        with traced("predict plans") as span:
            said = asked.without_operators_in_names
            found = await asyncio.to_thread(graph.predictor.predict, said, asked.values, BEAM)
            span.set(plans=len(found))
        return found

    async def _judged(
        self, asked: AskedQuestion, graph: PreparedGraph, found: Sequence[PredictedActions]
    ) -> tuple[list[PlanReading], list[PredictedActions]]:
        """Run plans, and return the readings that they are, best first, and the plans that took too long.

        Unlikely plans run only if none of the likely ones is plausible.
        """
        likely = _likely(asked, found)
        unlikely = [one for one in found if one not in likely]
        ran: list[RanPlan] = []
        readings: list[PlanReading] = []
        late: list[PredictedActions] = []
        for batch in (likely, unlikely):
            if batch and not late and not any(map(_is_plausible, readings)):
                more, late = await self._run_all(asked, graph, batch)
                ran += more
                # Another thread judges, because results may have thousands of rows.
                readings = await asyncio.to_thread(self._readings, asked, ran)
        return readings, late

    def _readings(self, asked: AskedQuestion, ran: Sequence[RanPlan]) -> list[PlanReading]:
        return judge(asked, ran, self._calibration, self._ranking, self._without)

    async def _run_all(
        self, asked: AskedQuestion, graph: PreparedGraph, found: Sequence[PredictedActions]
    ) -> tuple[list[RanPlan], list[PredictedActions]]:
        """Run plans side by side; return those that ran, and those that took too long."""
        with traced("execute") as span:
            outcomes = await asyncio.gather(*(self._run(asked, graph, one) for one in found))
            span.set(plans=len(found))
        late = [one for one in outcomes if isinstance(one, PredictedActions)]
        return [one for one in outcomes if isinstance(one, RanPlan)], late

    async def _run(
        self, asked: AskedQuestion, graph: PreparedGraph, found: PredictedActions
    ) -> RanPlan | PredictedActions | None:
        """Run a plan; return its prediction if it takes too long, and None if it does not run."""
        try:
            predicted = assemble(found.actions, graph.elements, QuestionConstants(asked.values, graph.numbers))
            read = rewritten(predicted, asked, found.actions, self._without)
            kept = with_meant_nodes_only(read, asked.question, graph.elements.name_keys)
            plan = graph.view.runnable(with_nodes_among(kept, asked.question.among, asked.kinds_among))
            refuse_impossible_relationships(plan, graph.view.schema)
            ran = await run_for_answers(self._store, plan, graph.elements.name_keys)
        except DeadlineExceededError as error:
            log.info("a predicted plan takes too long: %s", error.detail)
            return found
        except (InvalidInputError, RefusedError) as error:
            log.info("a predicted plan does not run: %s", error.detail)
            return None
        return RanPlan(found, read, ran.plan, ran.result, ran.tied)

    async def known_plans(self, confirmed: Sequence[ConfirmedQuestion]) -> list[KnownPlan]:
        """Return confirmed questions as predictors know them, without those that the graph lacks something for.

        Raises:
            DependencyError: The graph store does not respond.
        """
        return await (await self._graphs.current()).known_plans(confirmed)

    async def remember(self, known: Sequence[KnownPlan]) -> None:
        """Propose these plans, and no others of confirmed questions, until the graph changes.

        Raises:
            DependencyError: The graph store does not respond.
        """
        await asyncio.to_thread((await self._graphs.current()).predictor.remember, known)

    async def values(self, question: Question) -> list[QuestionValue]:
        """Return the values that a question states, with the properties that hold them."""
        return await (await self._graphs.current()).values_of(question)

    async def view(self) -> GraphView:
        """Return the graph as plans see it."""
        return (await self._graphs.current()).view

    async def asked_kinds(self, question: Question) -> frozenset[str]:
        """Return the kinds of node that a question asks for; none if it names no kind."""
        return asked_kinds(question, (await self._graphs.current()).elements)

    async def ready(self) -> bool:
        """Return whether the graph has been read; begin to read it otherwise.

        Raises:
            DependencyError: The graph is being read, or its store does not respond.
        """
        return await self._graphs.ready()


def _known_rules(names: Collection[str]) -> frozenset[str]:
    """Return the names of rules; raise InvalidInputError if one of them is unknown."""
    known = [one.name for one in (*REWRITES, *DOUBTS)]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InvalidInputError(f"no rule is called {unknown[0]!r}; the rules are {', '.join(known)}")
    return frozenset(names)


def _likely(asked: AskedQuestion, found: Sequence[PredictedActions]) -> list[PredictedActions]:
    """Return plans not much less probable than the best, those that use more values, and those that were confirmed."""
    if not found:
        return []
    least = found[0].log_probability + math.log(_LEAST_SHARE)
    unused = [unused_values(asked.question, one.actions, asked.values) for one in found]
    return [
        one
        for one, left in zip(found, unused, strict=True)
        if one.log_probability >= least or left < unused[0] or one.confirmed
    ]


def _is_plausible(reading: PlanReading) -> bool:
    """Return whether a reading finds something, and leaves nothing unread that its answer depends on."""
    return not reading.features.is_empty and reading.completeness == 1.0


def _marked(
    readings: Sequence[PlanReading], late: Sequence[PredictedActions], respelled: Mapping[str, str]
) -> list[PlanReading]:
    """Mark the readings that are less probable than a plan that took too long, and note which words were misspelt."""
    likeliest = max((one.log_probability for one in late), default=-math.inf)
    return [replace(one, is_overtaken=one.features.best < math.exp(likeliest), respelled=respelled) for one in readings]
