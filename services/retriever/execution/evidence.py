"""Collect the evidence for the rows of a plan's result."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.retriever.execution.evidence_text import (
    absence_sentence,
    aggregate_sentence,
    evidence_text,
    noun_of,
    runner_up_sentence,
    tie_text,
)
from services.retriever.execution.labels import aggregate_label
from services.retriever.execution.runner_up import RunnerUpSearch, read_runner_up, runner_up_search
from services.retriever.execution.stages import (
    Role,
    Stage,
    columns_of,
    patterns,
    stages,
    tested_patterns,
    with_named_relationships,
)
from services.retriever.execution.witnesses import Target, WitnessPlan, witness_plan
from shared.contracts import Evidence, ReplyWarning
from shared.errors import InvalidInputError
from shared.graph.store import GraphStore
from shared.plan.algebra import AggregateFunction, Group, Plan, Property, Union, Variable
from shared.plan.result import PlanResult
from shared.plan.values import NodeRef, RelationshipRef
from shared.triple import Triple
from shared.verbalise.values import value_text

log = logging.getLogger(__name__)

MAX_FACTS = 25
"""Maximum number of facts per row, and of rows of an earlier stage that are traced."""
_MAX_ROWS = 10_000
_Row = dict[str, Any]
_Places = set[int]
_Traced = Sequence[tuple[Target, _Places]]


@dataclass(slots=True)
class _Support:
    """What supports one row of the result.

    `facts` maps facts to whether they are properties, `counts` holds how many of what were counted, and `omitted` is
    the number of matches that are not listed. `kind` is stated if there is nothing else to state.
    """

    facts: dict[Triple, bool] = field(default_factory=dict)
    omitted: int = 0
    counts: dict[tuple[int, str], None] = field(default_factory=dict)
    kind: Triple | None = None
    sentences: dict[str, None] = field(default_factory=dict)

    def add(self, facts: Mapping[Triple, bool]) -> None:
        """Add facts, or count a match as omitted if they do not fit."""
        new = {fact: is_property for fact, is_property in facts.items() if fact not in self.facts}
        if len(self.facts) + len(new) > MAX_FACTS:
            self.omitted += 1
        else:
            self.facts |= new


@dataclass(frozen=True, slots=True)
class CollectedEvidence:
    """Hold the evidence for a result.

    Attributes:
        items: The evidence.
        of_rows: For each row, the indexes of its items; empty for rows beyond the limit.
        warnings: What the reader of the result should know, such as ties at a limit.
    """

    items: list[Evidence]
    of_rows: list[list[int]]
    warnings: list[ReplyWarning]


async def collect_evidence(store: GraphStore, plan: Plan, result: PlanResult, max_items: int) -> CollectedEvidence:
    """Find the facts behind the first `max_items` rows of a result, and state them as text.

    The evidence of a row lists the matches that the row follows from, the properties that the plan reads, what was
    counted, the patterns that must not match, and the runner-up of a sort with a limit.

    Raises:
        DependencyError: The graph store does not respond.
    """
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows[:max_items]]
    tracer = _Tracer(store, [_Support() for _ in rows])
    try:
        if rows:
            await tracer.trace(stages(plan), [(row, {place}) for place, row in enumerate(rows)])
    except InvalidInputError as error:
        log.info("the evidence is incomplete: %s", error.detail)
        text = "The evidence is incomplete, because it exceeds the limits of a plan."
        tracer.warnings.append(ReplyWarning(kind="incomplete_evidence", text=text))
    items: list[Evidence] = []
    of_rows: list[list[int]] = [[] for _ in result.rows]
    for place, support in enumerate(tracer.supports):
        relationships = [fact for fact, is_property in support.facts.items() if not is_property]
        properties = [fact for fact, is_property in support.facts.items() if is_property]
        if support.kind and not (support.facts or support.counts or support.sentences):
            properties.append(support.kind)
        # Several counts, such as those that an average is of, would need several sentences.
        count = next(iter(support.counts)) if len(support.counts) == 1 else None
        text = evidence_text(relationships, properties, support.omitted, count, list(support.sentences))
        if text:
            of_rows[place].append(len(items))
            items.append(Evidence(triples=relationships + properties, text=text, omitted=support.omitted))
    return CollectedEvidence(items, of_rows, tracer.warnings)


class _Tracer:
    """Trace rows of a result back to facts, stage by stage."""

    def __init__(self, store: GraphStore, supports: list[_Support]) -> None:
        """Add to `supports`, one for each row of the result."""
        self._store = store
        self.supports = supports
        self.warnings: list[ReplyWarning] = []

    async def trace(self, parts: Sequence[Stage], rows: _Traced) -> None:
        """Collect the support of rows that the last of some stages returns.

        Args:
            parts: The stages.
            rows: The rows, each with the places of the result's rows that depend on it.
        """
        stage, labels = with_named_relationships(parts[-1]), _labels(parts)
        targets = [row for row, _ in rows]
        plan = witness_plan(stage, targets, MAX_FACTS)
        witnesses = await self._witnesses(plan, rows)
        await self._trace_earlier(parts, stage, witnesses)
        self._add_facts(plan, witnesses)
        for pattern in tested_patterns(stage):
            matches = []
            if pattern.role is Role.HOLDS:
                tested = witness_plan(stage, targets, MAX_FACTS, pattern.match)
                matches = await self._witnesses(tested, rows)
                self._add_facts(tested, matches)
            for row, places in witnesses:
                if not any(places & found for _, found in matches):
                    self._say(absence_sentence(pattern.match, row), places)
        for target, places in rows:
            self._state_aggregates(stage, target, places, [row for row, found in witnesses if found & places], labels)
            if not any(found & places for _, found in witnesses):
                for match in patterns(stage)[:1]:
                    self._say(absence_sentence(match, {}), places)
        await self._state_runner_up(runner_up_search(stage, labels), rows)

    async def _witnesses(self, plan: WitnessPlan, rows: _Traced) -> list[tuple[_Row, _Places]]:
        """Run a witness plan; return each witness with the places of the result's rows that it supports."""
        places: dict[tuple[Any, ...], _Places] = {}
        for row, of_row in rows:
            places.setdefault(tuple(row.get(name) for name in plan.keys), set()).update(of_row)
        found = []
        numbers: dict[tuple[Any, ...], int] = {}
        for witness in await self._run(plan.plan):
            key = tuple(witness[column] for column in plan.keys.values())
            if key in places:
                found.append((witness, places[key]))
                numbers[key] = numbers.get(key, 0) + 1
        if any(number == MAX_FACTS for number in numbers.values()):
            for counted in await self._run(plan.count):
                key = tuple(counted[column] for column in plan.keys.values())
                for place in places.get(key, ()):
                    self.supports[place].omitted += counted[plan.number] - numbers.get(key, 0)
        return found

    async def _trace_earlier(self, parts: Sequence[Stage], stage: Stage, witnesses: _Traced) -> None:
        """Trace the rows that a stage starts from: those of the stage before, or of the plans of a union."""
        union = next((step for step in parts[0].steps if isinstance(step, Union)), None) if len(parts) == 1 else None
        for earlier in [stages(plan) for plan in union.plans] if union else [parts[:-1]] if len(parts) > 1 else []:
            incoming: dict[tuple[Any, ...], tuple[Target, _Places]] = {}
            for row, places in witnesses:
                target = {name: row.get(name) for name in columns_of(earlier[-1])}
                incoming.setdefault(tuple(target.values()), (target, set()))[1].update(places)
            if incoming:
                await self.trace(earlier, list(incoming.values())[:MAX_FACTS])

    def _add_facts(self, plan: WitnessPlan, witnesses: _Traced) -> None:
        for row, places in witnesses:
            facts, kind = _facts(row, plan), _kind(row)
            for place in places:
                self.supports[place].add(facts)
                self.supports[place].kind = self.supports[place].kind or kind

    def _say(self, sentence: str, places: _Places) -> None:
        for place in places:
            self.supports[place].sentences[sentence] = None

    def _state_aggregates(
        self, stage: Stage, target: Target, places: _Places, witnesses: Sequence[_Row], labels: Mapping[str, str]
    ) -> None:
        for aggregate in stage.closing.aggregates if isinstance(stage.closing, Group) else ():
            value = target.get(aggregate.name)
            if aggregate.function is AggregateFunction.COUNT and isinstance(value, int):
                noun = _counted_noun(stage, aggregate.value, witnesses)
                for place in places:
                    self.supports[place].counts[value, noun] = None
            elif (sentence := aggregate_sentence(aggregate, value, labels)) is not None:
                self._say(sentence, places)

    async def _state_runner_up(self, search: RunnerUpSearch | None, rows: _Traced) -> None:
        """State which row follows a sort with a limit, and warn if it ties with the last row."""
        found = read_runner_up(search, await self._run(search.plan)) if search else None
        if found is None:
            return
        last = max(place for _, places in rows for place in places)
        texts = [(owner, key, value_text(value)) for owner, key, value in found.properties]
        self.supports[last].add({Triple(owner, key, text): True for owner, key, text in texts if owner and text})
        self._say(runner_up_sentence(found), {last})
        if found.is_tie:
            self.warnings.append(ReplyWarning(kind="tie", text=tie_text(found)))

    async def _run(self, plan: Plan) -> list[_Row]:
        result = await self._store.run(plan, _MAX_ROWS)
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def _labels(parts: Sequence[Stage]) -> dict[str, str]:
    """Name the columns that hold aggregates."""
    labels: dict[str, str] = {}
    for stage in parts:
        if isinstance(stage.closing, Group):
            labels |= {one.name: aggregate_label(one, labels) for one in stage.closing.aggregates}
    return labels


def _facts(row: Mapping[str, Any], plan: WitnessPlan) -> dict[Triple, bool]:
    """Return the facts of a witness, with whether they are properties."""
    facts: dict[Triple, bool] = {}
    owners = {name: value_text(value) for name, value in row.items() if isinstance(value, NodeRef)}
    for link in plan.relationships:
        relationship, source, target = row[link.relationship], row[link.source], row[link.target]
        if not isinstance(relationship, RelationshipRef):
            continue  # an optional pattern that did not match
        if link.is_forward and not row[link.is_forward]:
            source, target = target, source
        facts[Triple(value_text(source), relationship.type, value_text(target))] = False
        owners[link.relationship] = f"{value_text(source)} {relationship.type} {value_text(target)}"
    for fact in plan.properties:
        value, owner = row[fact.column], owners.get(fact.read.variable)
        if value is not None and owner and (text := value_text(value)) and text != owner:
            facts[Triple(owner, fact.read.key, text)] = True
    return facts


def _kind(row: Mapping[str, Any]) -> Triple | None:
    """Return the kind of the first node in a row."""
    nodes = (value for value in row.values() if isinstance(value, NodeRef) and value.kinds)
    return next((Triple(value_text(node), "kind", node.kinds[0]) for node in nodes), None)


def _counted_noun(stage: Stage, value: object, witnesses: Sequence[_Row]) -> str:
    """Return the noun for what a stage counts: the nodes of `value`, or nodes that differ between the witnesses."""
    variables = [node.variable for match in patterns(stage) for node in match.nodes]
    match value:
        case Variable(name) | Property(name):
            variables.insert(0, name)
    nodes = {name: [row[name] for row in witnesses if isinstance(row.get(name), NodeRef)] for name in variables}
    differing = [found for found in nodes.values() if len(set(found)) > 1]
    chosen = next(iter(differing), next(filter(None, nodes.values()), []))
    return noun_of(chosen[0].kinds if chosen else ())
