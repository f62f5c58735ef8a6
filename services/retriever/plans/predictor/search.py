"""Search for the most probable plans, action by action, among those that the schema allows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from contracts.confirmed_questions import LEAST_CONFIRMED
from graph.plan.values import ValueType
from language.marks import Mark
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.expectations import Expected
from services.retriever.plans.grammar.operand_types import COMPARED
from services.retriever.plans.grammar.transitions import MAX_ACTIONS, Accepted, State, legal_without_values
from services.retriever.plans.predictor.confirmed import ConfirmedPlans, KnownPlan, Proposal, Vector, vectors_of
from services.retriever.plans.predictor.model import PlanModel, PreparedSchema, Reading
from services.retriever.plans.predictor.plan_judge import PlanJudge, SchemaJudge
from services.retriever.plans.predictor.required_values import RequiredValues
from services.retriever.plans.schema.schema_elements import SchemaElements

_LONGEST_LIST = 12
_WIDER = 3  # times the width of a search for plans that use required values
_COST_OF_VALUE = 5.0  # minus the logarithm of the probability of the actions that name a value, roughly
_HOPELESS = 6.0  # minus the logarithm of the share of the best probability below which plans are given up
_CACHED = 20_000
_NEEDS_VALUE = (Op.IS, Op.ONE_OF)
_EQUALITIES = (Op.IS, Op.EQUAL, Op.ONE_OF)
_ENDS_PATTERN = (Op.GROUP, Op.SORT, Op.LIMIT, Op.RETURN, Op.RETURN_DISTINCT)


@dataclass(frozen=True, slots=True)
class PredictedActions:
    """Hold the actions of a finished plan.

    Attributes:
        actions: The actions.
        log_probability: The logarithm of their probability.
        weakest: That of the least probable one.
        judged: The judge's score of the plan, as `SchemaJudge.scores` gives it; None without a judge.
        confirmed: How alike a question is read whose plan, with other values, was confirmed, up to 1; 0 without one.
        asks_whether: Whether that question is answered by yes or no, and the words of this one may ask for it.
    """

    actions: tuple[Action, ...]
    log_probability: float
    weakest: float = 0.0
    judged: float | None = None
    confirmed: float = 0.0
    asks_whether: bool = False


class PlanPredictor(Protocol):
    """Predict plans over the schema of one graph; implementations are safe for concurrent use."""

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        """Return finished plans, the most probable first.

        Up to `width` plans are the most probable ones. If the first of them leaves stored values of the question
        unused, up to `width` more are the most probable ones among those that use all of these.

        Args:
            question: The question.
            values: The values that the question states; VALUE actions name them by number.
            width: The number of plans to keep while searching.
        """
        ...

    def remember(self, known: Sequence[KnownPlan]) -> None:
        """Propose the plans of confirmed questions for questions that are read alike, beside the most probable ones.

        Fewer than `LEAST_CONFIRMED` questions propose nothing.
        """
        ...


@dataclass(slots=True)
class _Beam:
    score: float
    weakest: float
    state: State
    actions: tuple[Action, ...]
    bound: tuple[int, ...]  # the element that each variable stands for
    used: int = 0  # the required values among the actions


class PlanSearch:
    """Find plans by beam search over one schema; an instance remembers which actions are legal in which state."""

    def __init__(self, model: PlanModel, schema: PreparedSchema, judge: SchemaJudge | None = None) -> None:
        """Search over a schema that the model has prepared, and let a judge, if there is one, score what is found."""
        self._model = model
        self._schema = schema
        self._judge = judge
        self._legal: dict[object, tuple[tuple[Action, ...], Accepted | None]] = {}
        self._confirmed: ConfirmedPlans | None = None
        self._vectors: dict[str, Vector] = {}  # of the confirmed questions that were known so far, by their texts

    def remember(self, known: Sequence[KnownPlan]) -> None:
        """Propose the plans of confirmed questions; see `PlanPredictor`."""
        read = self._model.read
        vectors = vectors_of(known, lambda one: read(one.question, one.values, self._schema), self._vectors)
        is_enough = len(known) >= LEAST_CONFIRMED
        self._confirmed = ConfirmedPlans(known, vectors, self._schema.elements) if is_enough else None

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int = 4) -> list[PredictedActions]:
        """Return up to `width` plans, and as many that use all stored values, the most probable first."""
        reading = self._model.read(question, values, self._schema)
        found = self._search(reading, values, width, None)
        required = RequiredValues(values, self._schema.elements)
        if found and required.missing(required.used(found[0].actions)):
            more = self._search(reading, values, _WIDER * width, required)[:width]
            found = sorted({one.actions: one for one in (*found, *more)}.values(), key=lambda one: -one.log_probability)
        if self._confirmed is not None:
            proposals = self._confirmed.proposals(question, reading, values)
            found = self._with_proposals(found, proposals, reading, values, question.says(Mark.NUMBER_OF))
        if self._judge is None:
            return found
        scores = self._judge.scores(question, values, [one.actions for one in found], reading)
        return [replace(one, judged=score) for one, score in zip(found, scores, strict=True)]

    def _with_proposals(
        self,
        found: Sequence[PredictedActions],
        proposals: Sequence[Proposal],
        reading: Reading,
        values: Sequence[QuestionValue],
        asks_number: bool,
    ) -> list[PredictedActions]:
        """Return the plans that were found and the proposed ones that are legal, the most probable first."""
        known = {one.actions: one for one in found}
        for actions, similarity, asks_whether in proposals:
            plan = known.get(actions) or self._scored(actions, reading, values)
            if plan is not None:
                known[actions] = replace(plan, confirmed=similarity, asks_whether=asks_whether and not asks_number)
        return sorted(known.values(), key=lambda one: -one.log_probability)

    def _scored(
        self, actions: Sequence[Action], reading: Reading, values: Sequence[QuestionValue]
    ) -> PredictedActions | None:
        """Return a plan with the probability that the search would give it; None if it could not be found."""
        prefixes = self._model.start(reading)
        beam = _Beam(0.0, 0.0, State(self._schema.elements), (), ())
        for action in actions:
            extended = self._extend([beam], prefixes.scores, values, reading, None)
            score = next((score for score, _, _, one in extended if one == action), None)
            if score is None:
                return None
            state, weakest = beam.state.after(action), min(beam.weakest, score - beam.score)
            if state.is_finished:
                return PredictedActions(tuple(actions), score, weakest)
            bound = _bound(beam, state, action, reading)
            beam = _Beam(score, weakest, state, (*beam.actions, action), bound)
            prefixes = self._model.extend(reading, prefixes, [0], [action], [bound])
        return None

    def _search(
        self, reading: Reading, values: Sequence[QuestionValue], width: int, required: RequiredValues | None
    ) -> list[PredictedActions]:
        """Return up to `width` plans that use all required values, the most probable first."""
        prefixes = self._model.start(reading)
        beams = [_Beam(0.0, 0.0, State(self._schema.elements), (), ())]
        finished: list[PredictedActions] = []
        for _ in range(MAX_ACTIONS):
            extended = self._extend(beams, prefixes.scores, values, reading, required)
            if required is None and extended:
                best = max([extended[0][0], *(one.log_probability for one in finished)])
                extended = [one for one in extended if one[0] >= best - _HOPELESS]
            beams, rows = [], []
            for score, row, beam, action in extended[: 2 * width]:
                state, weakest = beam.state.after(action), min(beam.weakest, score - beam.score)
                if state.is_finished:
                    finished.append(PredictedActions((*beam.actions, action), score, weakest))
                elif len(beams) < width:
                    bound = _bound(beam, state, action, reading)
                    used = required.used((action,), beam.used) if required else 0
                    beams.append(_Beam(score, weakest, state, (*beam.actions, action), bound, used))
                    rows.append(row)
            finished.sort(key=lambda found: -found.log_probability)
            finished = finished[:width]
            if not beams or (
                len(finished) == width and finished[-1].log_probability >= max(one.score for one in beams)
            ):
                break
            prefixes = self._model.extend(
                reading, prefixes, rows, [beam.actions[-1] for beam in beams], [beam.bound for beam in beams]
            )
        return finished

    def _extend(
        self,
        beams: Sequence[_Beam],
        scores: npt.NDArray[np.float32],
        values: Sequence[QuestionValue],
        reading: Reading,
        required: RequiredValues | None,
    ) -> list[tuple[float, int, _Beam, Action]]:
        """Return the legal extensions of all plans, the most probable first.

        Their probabilities do not depend on what is required.
        """
        found = []
        for row, beam in enumerate(beams):
            actions = self._actions(beam, values)
            if not actions:
                continue
            legal = scores[row, [reading.index(action) for action in actions]]
            logs = legal - _log_sum(legal)
            must_go_on = bool(required and beam.state.is_first_pattern and required.missing(beam.used))
            found += [
                (beam.score + float(log), row, beam, action)
                for log, action in zip(logs, actions, strict=True)
                if not (must_go_on and action.op in _ENDS_PATTERN)
            ]

        def cost(extended: tuple[float, int, _Beam, Action]) -> float:
            # A plan that lacks a required value must not crowd out others, since the actions for it are still ahead.
            score, _, beam, action = extended
            missing = required.missing(required.used((action,), beam.used)) if required else 0
            return _COST_OF_VALUE * missing - score

        return sorted(found, key=cost)

    def _actions(self, beam: _Beam, values: Sequence[QuestionValue]) -> list[Action]:
        legal, accepted = self._legal_after(beam.state, values)
        actions = [one for one in legal if not _is_redundant(beam, one)]
        if accepted is not None:
            return [*actions, *self._fitting(beam.state, beam.actions, accepted, values)]
        return [one for one in actions if one.op not in _NEEDS_VALUE or self._has_value(beam, one, values)]

    def _legal_after(self, state: State, values: Sequence[QuestionValue]) -> tuple[tuple[Action, ...], Accepted | None]:
        has_values, has_periods = bool(values), any(value.is_period for value in values)
        key = (state.key(), has_values, has_periods)
        if key not in self._legal:
            if len(self._legal) >= _CACHED:
                self._legal.clear()
            self._legal[key] = legal_without_values(state, has_values, has_periods)
        return self._legal[key]

    def _has_value(self, beam: _Beam, action: Action, values: Sequence[QuestionValue]) -> bool:
        """Return whether a value can follow an action; a plan that begins such an action could not be finished."""
        state = beam.state.after(action)
        _, accepted = self._legal_after(state, values)
        return accepted is None or bool(self._fitting(state, (*beam.actions, action), accepted, values))

    def _fitting(
        self, state: State, actions: tuple[Action, ...], accepted: Accepted, values: Sequence[QuestionValue]
    ) -> list[Action]:
        """Return the values that may follow.

        A value that must equal a property is one that the property has, or a text that the graph stores nowhere. Lists
        have their values in the order of the question, since other orders mean the same.
        """
        holders = self._equated(state, actions)
        last, equated = _last_listed(actions), _equated_values(actions)
        return [
            Action(Op.VALUE, number)
            for number, value in enumerate(values)
            if number > last
            and accepted.accepts(value.types, value.is_period)
            and not (holders and _is_elsewhere(value, holders))
            and not (value.stored and number in equated)
        ]

    def _equated(self, state: State, actions: tuple[Action, ...]) -> frozenset[int]:
        """Return the properties that the next value must equal; none if it need not be a value of these properties.

        A value that the graph stores elsewhere would give an empty result.
        """
        elements = self._schema.elements
        before = [action for action in actions[-_LONGEST_LIST:] if action.op is not Op.VALUE]
        if not before:
            return frozenset()
        match before[-1].op:
            case Op.IS:
                kinds = state.kinds[state.focus]
                named = ((kind, elements.name_properties[kind]) for kind in kinds if kind in elements.name_properties)
                return frozenset(elements.property_numbers[False, kind, key] for kind, key in named)
            case Op.EQUAL | Op.UNEQUAL | Op.ONE_OF if len(before) > 1 and before[-2].op is Op.PROPERTY:
                number = before[-2].number
                is_text = elements.properties[number].schema.content in (ValueType.STRING, ValueType.LIST)
                return frozenset((number,) if is_text else ())
        return frozenset()


def _is_redundant(beam: _Beam, action: Action) -> bool:
    """Return whether an action repeats a relationship, or compares a property of a node with itself."""
    state = beam.state
    if action.op is Op.VARIABLE and state.expected[-1] is Expected.NODE and state.follows(Op.SAME):
        return state.edge_to(action.number) in state.edges[:-1]
    return action.op is Op.PROPERTY and state.follows(*COMPARED) and beam.actions[-2:-1] == (action,)


def _equated_values(actions: Sequence[Action]) -> frozenset[int]:
    """Return the values that nodes of this stage equal already, if another one would have to equal the next value.

    People name a thing once for each of its roles, except in alternatives.
    """
    found: set[int] = set()
    operator, has_alternatives = None, False
    for action in actions:
        match action.op:
            case Op.OR:
                has_alternatives = True
            case Op.THEN:
                found.clear()
                has_alternatives = False
            case Op.VALUE if operator in _EQUALITIES:
                found.add(action.number)
        operator = operator if action.op is Op.VALUE else action.op
    return frozenset(found) if operator in _EQUALITIES and not has_alternatives else frozenset()


def _last_listed(actions: Sequence[Action]) -> int:
    """Return the number of the last value that the list at the end of a plan has so far; -1 if it has none yet."""
    if not actions or actions[-1].op is not Op.VALUE:
        return -1
    before = next((one.op for one in reversed(actions) if one.op is not Op.VALUE), None)
    return actions[-1].number if before is Op.ONE_OF else -1


def _is_elsewhere(value: QuestionValue, holders: frozenset[int]) -> bool:
    """Return whether a value is none of these properties: the graph stores it elsewhere, or it is a number or date."""
    if value.stored:
        return holders.isdisjoint(value.stored)
    return value.form not in (ValueForm.TEXT, ValueForm.QUOTED)


def _bound(beam: _Beam, state: State, action: Action, reading: Reading) -> tuple[int, ...]:
    missing = len(state.kinds) - len(beam.bound)
    element = reading.index.element(action)
    return (*beam.bound, *([element if element is not None else 0] * missing))


def _log_sum(scores: npt.NDArray[np.float32]) -> float:
    largest = float(scores.max())
    return largest + float(np.log(np.exp(scores - largest).sum()))


def plan_search(model: PlanModel, judge: PlanJudge | None = None) -> Callable[[SchemaElements], PlanSearch]:
    """Return a function that makes the search over a schema, whose plans a judge scores if there is one."""

    def search_over(elements: SchemaElements) -> PlanSearch:
        schema = model.prepare(elements)
        return PlanSearch(model, schema, None if judge is None else judge.over(model, schema))

    return search_over
