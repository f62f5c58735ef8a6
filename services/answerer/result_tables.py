"""Word the rows of a plan's result: which of them comes first, or what the graph lists."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.retrieve import RetrieveResponse
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Comparison,
    Constant,
    CountMatches,
    Expression,
    Group,
    ListOf,
    Match,
    Or,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    Variable,
)
from graph.plan.checks import read_plan
from graph.plan.functions import SECONDS
from graph.plan.traversal import variables_of, walk
from graph.plan.value_text import value_text
from language.english.morphology import counted, is_plural
from language.english.relation_words import in_words
from services.answerer.answer_sentences import common_noun
from services.answerer.owned_values import gives_owners, owned_values_sentence
from services.answerer.superlatives import ORDINALS, Chosen, Measure, shared_superlative, superlative
from texts.verbalise.spoken import said, said_text, with_preposition
from texts.verbalise.template import join_names

_MAX_ROWS = 10
_AGGREGATES = {AggregateFunction.SUM: "total", AggregateFunction.MIN: "lowest", AggregateFunction.MAX: "highest"}
_OF_DURATIONS = {**_AGGREGATES, AggregateFunction.MIN: "shortest", AggregateFunction.MAX: "longest"}
_TIE = "tie"
_COUNT, _ROW = "count", "row"


def rows_sentence(retrieved: RetrieveResponse) -> str:
    """State the rows of a result with several columns; of more than ten, the first ones.

    A row that an order and a limit chose is stated with what makes it the first, and so are rows that tie with it.
    Values that belong to the nodes beside them are stated once each, with all of these.

    Example:
        >>> rows_sentence(response)
        'Cliff Stage has the second highest capacity: 6000.'
    """
    table = _table(retrieved)
    if (chosen := table.chosen) is not None:
        if len(table.rows) == 1:
            return table.superlative(chosen)
        if chosen.is_shared:
            return table.tie(chosen)
        if chosen.offset == 0:
            return table.top(chosen)
    if table.has_owners:
        noun = "" if table.noun == _ROW else table.noun
        return owned_values_sentence(noun, [(table.value_text(row), value_text(row[1])) for row in table.rows])
    listed = table.listed([*map(table.row_text, table.rows[:_MAX_ROWS])])
    return f"The graph lists {counted(len(table.rows), table.noun)}: {listed}."


@dataclass(frozen=True, slots=True)
class _Column:
    """Hold a column: its name, whether it is a number of seconds, and what it counts."""

    name: str
    is_time: bool = False
    noun: str = ""
    is_duration: bool = False

    def said(self, value: Any) -> tuple[str, str]:
        if isinstance(value, list):
            return in_words(self.name), ", ".join(self.said(one)[1] for one in value)
        return with_preposition(*said(self.name, value, self.is_time, self.is_duration))


@dataclass(frozen=True, slots=True)
class _Table:
    columns: Sequence[_Column]
    rows: Sequence[Sequence[Any]]
    noun: str
    has_entities: bool
    chosen: Chosen | None
    has_owners: bool = False

    def listed(self, shown: Sequence[str]) -> str:
        """Join the texts of the first rows, and count the others."""
        rest = [f"{len(self.rows) - _MAX_ROWS} more"] if len(self.rows) > _MAX_ROWS else []
        return join_names([*shown, *rest], bare=[*map(_name, self.rows[:_MAX_ROWS])])

    def superlative(self, chosen: Chosen) -> str:
        """Write `Glass Harbour has the most musicians: 3.`"""
        [row] = self.rows
        behind = f" ({', '.join(others)})" if (others := list(self._cells(row, chosen.column))) else ""
        noun = "" if self.has_entities else self.noun
        return f"{superlative(_name(row), noun, self._measure(chosen), chosen)}{behind}."

    def tie(self, chosen: Chosen) -> str:
        """Write `Glass Harbour and Low Tide tie for the most musicians: 3.`"""
        shown = []
        for row in self.rows[:_MAX_ROWS]:
            others = ", ".join(self._cells(row, chosen.column))
            shown.append(f"{_name(row)} ({others})" if others else _name(row))
        return f"{shared_superlative(self.listed(shown), self._measure(chosen), chosen)}."

    def top(self, chosen: Chosen) -> str:
        """Write `The 2 stages with the highest capacity are Lighthouse Stage (12000) and Cliff Stage (6000).`"""
        shown = []
        for row in self.rows[:_MAX_ROWS]:
            cells = [self.columns[chosen.column].said(row[chosen.column])[1], *self._cells(row, chosen.column)]
            shown.append(f"{_name(row)} ({', '.join(cells)})")
        what = f"The {counted(len(self.rows), self.noun)} with {self._measure(chosen).most(chosen)}"
        return f"{what} are {self.listed(shown)}."

    def value_text(self, row: Sequence[Any]) -> str | None:
        """Return the value in the first column in words; None if it is missing."""
        return None if row[0] is None else self.columns[0].said(row[0])[1]

    def row_text(self, row: Sequence[Any]) -> str:
        return f"{_name(row)} ({', '.join(self._cells(row))})"

    def _measure(self, chosen: Chosen) -> Measure:
        column, value = self.columns[chosen.column], self.rows[0][chosen.column]
        label, text = column.said(value)
        return Measure(label, value, text, column.noun, column.is_time, column.is_duration)

    def _cells(self, row: Sequence[Any], but: int = 0) -> Iterator[str]:
        for place, (column, value) in enumerate(zip(self.columns, row, strict=True)):
            if place in (0, but):
                continue
            label, text = column.said(value)
            yield counted(value, column.noun) if column.noun and isinstance(value, int) else f"{label}: {text}"


def _table(retrieved: RetrieveResponse) -> _Table:
    steps = retrieved.plan.steps if retrieved.plan is not None else []
    plan = read_plan({"steps": steps}) if steps else Plan(())
    values = _values_of(plan)
    columns = [_column(name, values.get(name), plan, retrieved.durations) for name in retrieved.columns]
    noun = common_noun(retrieved.answers) or columns[0].said(retrieved.rows[0][0])[0]
    noun = noun if noun and not is_plural(noun) else _ROW
    has_entities = all(one.id is not None for one in retrieved.answers)
    chosen = _chosen(plan, values, retrieved)
    return _Table(columns, retrieved.rows, noun, has_entities, chosen, gives_owners(plan))


def _values_of(plan: Plan) -> dict[str, Expression | Aggregate]:
    """Return what the columns of a plan hold, by name; a column that repeats an aggregate holds the aggregate."""
    found: dict[str, Expression | Aggregate] = {}
    for step in plan.steps:
        match step:
            case Group(keys=keys, aggregates=aggregates):
                found |= {one.name: one.value for one in keys} | {one.name: one for one in aggregates}
            case Project(columns=columns):
                found |= {one.name: _resolved(one.value, found) for one in columns}
    return found


def _resolved(value: Expression, found: dict[str, Expression | Aggregate]) -> Expression | Aggregate:
    return found.get(value.name, value) if isinstance(value, Variable) else value


def _column(name: str, value: Expression | Aggregate | None, plan: Plan, durations: Collection[str]) -> _Column:
    match value:
        case Property(key=key):
            return _Column(name, is_duration=key in durations)
        case Aggregate(function=function, value=Property(key=key)) if key in durations and function in _OF_DURATIONS:
            return _Column(f"{_OF_DURATIONS[function]}_{name.removeprefix(f'{function}_')}", is_duration=True)
        case Aggregate(function=AggregateFunction.COUNT):
            return _Column(name, noun=_counted_noun(value.value, plan) if name.startswith(_COUNT) else "")
        case Aggregate(function=function, value=inner):
            is_time = isinstance(inner, Call) and inner.function in SECONDS
            return _Column(f"{_AGGREGATES.get(function, function)}_{name.removeprefix(f'{function}_')}", is_time)
        case Call(function=function):
            return _Column(name, is_time=function in SECONDS)
        case CountMatches(match=pattern) if name.startswith(_COUNT):
            return _Column(name, noun=_only_noun([node.variable for node in pattern.nodes], plan))
    return _Column(name)


def _counted_noun(value: Expression | None, plan: Plan) -> str:
    """Return what a group counts: a variable, or the only one of its pattern that is not a key."""
    if isinstance(value, Variable):
        return _noun(value.name)
    variables = [node.variable for step in plan.steps if isinstance(step, Match) for node in step.nodes]
    return _only_noun(variables, plan) if value is None else ""


def _only_noun(variables: Sequence[str], plan: Plan) -> str:
    """Return the noun of the only variable that no column of the result shows; nothing if there are several."""
    keys = {
        one.value.name
        for step in plan.steps
        if isinstance(step, Group | Project)
        for one in (step.keys if isinstance(step, Group) else step.columns)
        if isinstance(one.value, Variable)
    }
    others = [one for one in dict.fromkeys(variables) if one not in keys]
    return _noun(others[0]) if len(others) == 1 else ""


def _noun(variable: str) -> str:
    """Return what a variable stands for; a node of any kind has no noun."""
    noun = in_words(variable.rstrip("0123456789_"))
    return "" if noun == "node" else noun


def _chosen(plan: Plan, values: dict[str, Expression | Aggregate], retrieved: RetrieveResponse) -> Chosen | None:
    """Return by what the rows were chosen; None unless one key orders them, its column is shown, and a limit cuts."""
    orders = [step for step in plan.steps if isinstance(step, Order)]
    slices = [step for step in plan.steps if isinstance(step, Slice)]
    if len(orders) != 1 or len(slices) != 1 or len(orders[0].keys) != 1 or slices[0].per:
        return None
    [key], cut = orders[0].keys, slices[0]
    wanted, shown = _resolved(key.value, values), values.get(retrieved.columns[0])
    if not isinstance(wanted, Aggregate) and variables_of(wanted) != variables_of(shown):
        return None  # what orders the rows belongs to something else than they show
    place = next((at for at, name in enumerate(retrieved.columns) if at and values.get(name) == wanted), None)
    is_whole = cut.limit > 0 and cut.offset < len(ORDINALS)
    if place is None or not is_whole or any(row[place] is None for row in retrieved.rows):
        return None
    is_tied = any(one.kind == _TIE for one in retrieved.warnings)
    is_shared = cut.limit == 1 and len(retrieved.rows) > 1
    return Chosen(place, key.descending, cut.offset, _is_of_two(plan), is_tied, is_shared)


def _is_of_two(plan: Plan) -> bool:
    """Return whether a plan chooses from two names."""
    for part in walk(plan):
        match part:
            case ListOf(items=[Constant(), Constant()]) | Or(conditions=[Comparison(), Comparison()]):
                return True
    return False


def _name(row: Sequence[Any]) -> str:
    return ", ".join(map(value_text, row[0])) if isinstance(row[0], list) else said_text(value_text(row[0]))
