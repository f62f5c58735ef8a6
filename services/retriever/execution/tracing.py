"""Trace rows of a result back to the facts that they follow from, stage by stage."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from contracts.answers import ReplyWarning
from graph.plan.algebra import Aggregate, AggregateFunction, Group, Plan, Step, Union, Variable
from graph.plan.schema import GraphSchema
from graph.plan.value_text import value_text
from graph.store import GraphStore
from services.retriever.execution.absence import absence_sentence
from services.retriever.execution.counts import Counted, described_count, different_values, noun_of_owners
from services.retriever.execution.emptiness import emptiness_sentence, empty_result_sentence
from services.retriever.execution.evidence_text import (
    aggregate_sentence,
    matches_sentence,
    missing_number_sentence,
    runner_up_sentence,
    tie_text,
)
from services.retriever.execution.facts import Owner, facts_of, kind_of, missing_of, property_facts
from services.retriever.execution.groups import group_phrase
from services.retriever.execution.labels import column_labels
from services.retriever.execution.restriction import Target, restricted
from services.retriever.execution.runner_up import RunnerUp, read_runner_ups, runner_up_searches
from services.retriever.execution.stages import (
    Role,
    Stage,
    TestedPattern,
    columns_of,
    extremes,
    optional_patterns,
    stages,
    tested_patterns,
    with_named_relationships,
)
from services.retriever.execution.support import MAX_FACTS, Support, few
from services.retriever.execution.witness_groups import Key, Places, Row, Witnesses, key_of
from services.retriever.execution.witnesses import (
    WitnessPlan,
    extremes_plan,
    matches_plan,
    witness_plan,
)

_MAX_ROWS = 10_000
_MAX_EXTREMES = 10
_TracedRows = Sequence[tuple[Target, Places]]


class Tracer:
    """Trace rows of a result back to facts."""

    def __init__(self, store: GraphStore, schema: GraphSchema, supports: list[Support]) -> None:
        """Add to `supports`, one for each row of the result."""
        self._store = store
        self._schema = schema
        self.supports = supports
        self.warnings: list[ReplyWarning] = []

    async def trace(self, plan_stages: Sequence[Stage], rows: _TracedRows, depth: int = 0) -> None:
        """Collect the support of rows that the last of some stages returns.

        Args:
            plan_stages: The stages of a plan, up to the one that returns the rows.
            rows: The rows, each with the places of the result's rows that depend on it.
            depth: The number of stages that follow.
        """
        stage = with_named_relationships(plan_stages[-1])
        by_key: dict[Key, Witnesses] = {}
        if rows:
            tested = tested_patterns(stage)
            plan = witness_plan(stage, [row for row, _ in rows], MAX_FACTS, tested)
            by_key = await self._witnesses(plan, rows)
            for extreme in extremes(stage):
                await self._put_extremes_first(stage, rows, (plan, by_key), tested, extreme)
        await self._trace_earlier(plan_stages, by_key, depth)
        if rows:
            self._add_facts(plan, by_key)
            await self._state_patterns(stage, rows, tested, plan, by_key)
            for target, places in rows:
                known = by_key.get(key_of(target, plan.keys), Witnesses(places))
                self._state_aggregates(plan_stages, stage, (target, places), plan, known, depth)
                if not known.rows and isinstance(stage.closing, Group) and not stage.closing.keys:
                    self._say(await emptiness_sentence(self._run, stage, self._schema), places)
        await self._state_runner_ups(plan_stages, stage, rows, by_key)

    async def emptiness(self, plan_stages: Sequence[Stage]) -> str:
        """State why a plan has no rows."""
        return await empty_result_sentence(self._run, plan_stages, self._schema)

    async def _witnesses(self, plan: WitnessPlan, rows: _TracedRows) -> dict[Key, Witnesses]:
        """Run a witness plan; return the witnesses by key, without keys that have none."""
        wanted: dict[Key, Witnesses] = {}
        for row, places in rows:
            wanted.setdefault(key_of(row, plan.keys), Witnesses(set())).places.update(places)
        for witness in await self._run(plan.plan):
            if (known := wanted.get(key_of(witness, plan.keys.values()))) is not None:
                known.rows.append(witness)
        if any(len(known.rows) == MAX_FACTS for known in wanted.values()):
            for counted in await self._run(plan.count):
                if (known := wanted.get(key_of(counted, plan.keys.values()))) is not None:
                    known.omitted = counted[plan.number] - len(known.rows)
                    known.distinct = {name: counted[column] for name, column in plan.distinct.items()}
                    known.valued = {name: counted[column] for name, column in plan.valued.items() if known.omitted}
        return {key: known for key, known in wanted.items() if known.rows}

    async def _put_extremes_first(
        self,
        stage: Stage,
        rows: _TracedRows,
        found: tuple[WitnessPlan, Mapping[Key, Witnesses]],
        tested: Sequence[TestedPattern],
        extreme: Aggregate,
    ) -> None:
        """Let witnesses that have a minimum or maximum be the first ones."""
        plan, by_key = found
        having = [(row, places) for row, places in rows if row.get(extreme.name) is not None]
        limit = max(1, _MAX_EXTREMES // len(extremes(stage)))
        search = extremes_plan(stage, [row for row, _ in having], limit, tested, extreme) if having else None
        if search is None:
            return
        witnesses = await self._witnesses(search, having)
        for row, _ in having:
            first = witnesses.get(key_of(row, search.keys))
            if first is not None and (known := by_key.get(key_of(row, plan.keys))) is not None:
                known.put_first(first.rows, sorted(known.rows[0]))

    async def _trace_earlier(self, plan_stages: Sequence[Stage], by_key: Mapping[Key, Witnesses], depth: int) -> None:
        """Trace the rows that a stage starts from: those of the stage before, or of the plans of a union."""
        if len(plan_stages) > 1:
            earlier = plan_stages[:-1]
            await self.trace(earlier, self._incoming(columns_of(earlier[-1]), by_key), depth + 1)
            return
        plans = [plan for step in plan_stages[0].steps if isinstance(step, Union) for plan in step.plans]
        for earlier in map(stages, plans):
            incoming = self._incoming(columns_of(earlier[-1]), by_key)
            returned = await self._returned_by(earlier[-1].all_steps, incoming) if incoming else []
            await self.trace(earlier, returned, depth + 1)

    async def _returned_by(self, steps: tuple[Step, ...], rows: _TracedRows) -> list[tuple[Target, Places]]:
        """Return the rows that one of the plans of a union returns."""
        names = sorted(rows[0][0])
        wanted = restricted(Stage(steps, ()), {name: Variable(name) for name in names}, [row for row, _ in rows])
        returned = {key_of(row, names) for row in await self._run(Plan(wanted))}
        return [(row, places) for row, places in rows if key_of(row, names) in returned]

    def _incoming(self, columns: Sequence[str], by_key: Mapping[Key, Witnesses]) -> list[tuple[Target, Places]]:
        """Return the distinct rows that witnesses start from, at most `MAX_FACTS` for each row of the result."""
        incoming: dict[Key, tuple[Target, Places]] = {}
        numbers = dict.fromkeys(range(len(self.supports)), 0)
        for known in by_key.values():
            for row in known.rows:
                target = {name: row.get(name) for name in columns}
                _, places = incoming.setdefault(key_of(target, columns), (target, set()))
                new = {place for place in known.places - places if numbers[place] < MAX_FACTS}
                for place in new:
                    numbers[place] += 1
                for place in known.places - places - new:
                    self.supports[place].omitted += 1
                places |= new
        return [(target, places) for target, places in incoming.values() if places]

    def _add_facts(self, plan: WitnessPlan, by_key: Mapping[Key, Witnesses]) -> None:
        for known in by_key.values():
            supports = [self.supports[place] for place in known.places]
            for row in known.rows:
                facts = facts_of(row, plan, self._schema.duration_keys)
                missing, kind = missing_of(row, plan, but=known.valued), kind_of(row)
                for support in supports:
                    support.add(facts)
                    support.add_missing(missing)
                    support.kind = support.kind or kind
            for support in supports:
                support.omitted += known.omitted if plan.has_facts else 0

    async def _state_patterns(
        self,
        stage: Stage,
        rows: _TracedRows,
        tested: Sequence[TestedPattern],
        plan: WitnessPlan,
        by_key: Mapping[Key, Witnesses],
    ) -> None:
        """State which of the tested patterns match, and which do not."""
        for optional in optional_patterns(stage):
            self._state_absence(optional, by_key, partial(_has_none, optional.own))
        for pattern, holds, number in zip(tested, plan.holds, plan.numbers, strict=True):
            if pattern.role is not Role.HOLDS:
                self._state_absence(pattern, by_key, partial(_is_false, holds))
            if pattern.role is not Role.FAILS and any(row[holds] for known in by_key.values() for row in known.rows):
                matches = matches_plan(stage, [row for row, _ in rows], MAX_FACTS, pattern)
                self._add_facts(matches, await self._witnesses(matches, rows))
            if number is not None:
                self._state_numbers(pattern, by_key, number)

    def _state_numbers(self, pattern: TestedPattern, by_key: Mapping[Key, Witnesses], number: str) -> None:
        """State for each witness how many matches a pattern has; that it has none is stated otherwise."""
        for known in by_key.values():
            names = [
                (row[number], [value_text(row[name]) for name in sorted(pattern.of_row) if row[name] is not None])
                for row in known.rows
                if row[number]
            ]
            sentences = [matches_sentence(pattern.match, found, owners) for found, owners in names if owners]
            for sentence in few(list(dict.fromkeys(sentences))):
                self._say(sentence, known.places)

    def _state_absence(
        self, pattern: TestedPattern, by_key: Mapping[Key, Witnesses], is_absent: Callable[[Row], bool]
    ) -> None:
        """State for each witness with `is_absent` that a pattern does not match."""
        for known in by_key.values():
            absent = [
                row for row in known.rows if is_absent(row) and all(row[name] is not None for name in pattern.of_row)
            ]
            sentences = [
                absence_sentence(pattern.match, {name: row[name] for name in pattern.of_row}, self._schema)
                for row in absent
            ]
            for sentence in few(list(dict.fromkeys(filter(None, sentences)))):
                self._say(sentence, known.places)

    def _say(self, sentence: str | None, places: Places) -> None:
        for place in places if sentence else ():
            self.supports[place].sentences[str(sentence)] = None

    def _state_aggregates(
        self,
        plan_stages: Sequence[Stage],
        stage: Stage,
        traced: tuple[Target, Places],
        plan: WitnessPlan,
        known: Witnesses,
        depth: int,
    ) -> None:
        if not isinstance(stage.closing, Group):
            return
        target, places = traced
        labels = column_labels(plan_stages[:-1])
        keys = [(key, target[key.name]) for key in stage.closing.keys if key.name in target]
        group = group_phrase(keys, labels)
        distinct = known.distinct or different_values(known.rows, list(plan.distinct))
        counted = Counted(known.rows, distinct, not known.omitted)
        for aggregate in stage.closing.aggregates:
            value = target.get(aggregate.name)
            if aggregate.name in target and aggregate.function is not AggregateFunction.COUNT:
                sentence = aggregate_sentence(aggregate, value, labels, group)
                for place in places if sentence else ():
                    self.supports[place].add_aggregate(str(sentence), depth)
            elif isinstance(value, int):
                count = described_count(stage, aggregate, value, counted, plan.column_of(aggregate.value))
                for place in places:
                    row = key_of(target, sorted(target))
                    self.supports[place].add_count(replace(count, group=group), depth, id(stage), row)
        self._state_missing_values(stage, places, plan, known)

    def _state_missing_values(self, stage: Stage, places: Places, plan: WitnessPlan, known: Witnesses) -> None:
        """State how many witnesses do not have an aggregated property, if not all of them are known."""
        total = len(known.rows) + known.omitted
        for fact in plan.properties:
            if missing := total - known.valued.get(fact.column, total):
                noun = noun_of_owners(stage, fact.read, known.distinct, total)
                self._say(missing_number_sentence(fact.read.key, missing, total, noun), places)

    async def _state_runner_ups(
        self, plan_stages: Sequence[Stage], stage: Stage, rows: _TracedRows, by_key: Mapping[Key, Witnesses]
    ) -> None:
        """State which rows follow sorts with a limit, and warn if they tie with the last row."""
        searches = runner_up_searches(stage, partial(column_labels, plan_stages))
        for search in searches:
            runner_ups = read_runner_ups(search, await self._run(search.plan))
            witnesses = [(row, known.places) for known in by_key.values() for row in known.rows]
            for one in runner_ups:
                if search is searches[-1]:
                    self._state_runner_up(one, rows if search.is_closed else witnesses)
            if tie := next((one for one in runner_ups if one.is_tie), None):
                warning = ReplyWarning(kind="tie", text=tie_text(tie))
                self.warnings += [warning] if warning not in self.warnings else []

    def _state_runner_up(self, found: RunnerUp, rows: _TracedRows) -> None:
        """State the runner-up for the rows that follow from the last row within the limit."""
        facts = [
            fact
            for owner, key, value in found.properties
            for fact in property_facts(Owner((owner,)), key, value, self._schema.duration_keys)
        ]
        for row, places in rows:
            shared = sorted(row.keys() & found.last.keys())
            if shared and key_of(row, shared) == key_of(found.last, shared):
                self._say(runner_up_sentence(found), places)
                for place in places:
                    self.supports[place].add(facts)

    async def _run(self, plan: Plan) -> list[Row]:
        result = await self._store.run(plan, _MAX_ROWS)
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def _has_none(names: Iterable[str], row: Row) -> bool:
    return all(row[name] is None for name in names)


def _is_false(column: str, row: Row) -> bool:
    return not row[column]
