"""Write a query plan on one line, for people."""

import json
from collections.abc import Sequence
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Column,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    FieldOf,
    Filter,
    Group,
    HasKind,
    IsMissing,
    ListOf,
    MapOf,
    Match,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    Quantifier,
    RelationshipPattern,
    RelationshipType,
    ShortestPaths,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from graph.plan.values import to_json

_STEP = " → "
_BY_ID = " (by id)"
_WORDS = {"starts_with": "starts with", "ends_with": "ends with", "!=": "≠", "<=": "≤", ">=": "≥"}


def readable(plan: Plan) -> str:
    """Write a plan as its steps, joined by arrows.

    Example:
        >>> borders = RelationshipPattern("c", "g", ("borders",), "both")
        >>> germany = Comparison("=", Property("g", "name"), Constant("Germany"))
        >>> match = Match((NodePattern("c", ("Country",)), NodePattern("g")), (borders,), germany)
        >>> readable(Plan((match, Group((), (Aggregate("n", AggregateFunction.COUNT),)))))
        'match c:Country -borders- g where g.name = "Germany" → count as n'
    """
    return _STEP.join(map(_step, plan.steps))


def readable_expression(expression: Expression) -> str:
    """Write an expression on one line."""
    return _expression(expression, is_inner=False)


def _step(step: Step) -> str:
    match step:
        case Match():
            return f"{'optionally match' if step.optional else 'match'} {_pattern(step)}"
        case Filter():
            return f"keep {_expression(step.condition)}"
        case Project():
            return f"{'distinct ' if step.distinct else ''}{_columns(step.columns)}"
        case Group():
            aggregates = ", ".join(map(_aggregate, step.aggregates)) or "distinct"
            return f"{aggregates} per {_columns(step.keys)}" if step.keys else aggregates
        case Order():
            return f"sort by {', '.join(map(_sort_key, step.keys))}"
        case Slice():
            skipped = f", after the first {step.offset}" if step.offset else ""
            return f"first {step.limit}{skipped}{' per ' + ', '.join(step.per) if step.per else ''}"
        case Unnest():
            return f"each {step.name} in {_expression(step.items)}"
        case Union():
            name = "union" if step.distinct else "concatenation"
            return f"{name} of ({') and ('.join(map(readable, step.plans))})"
        case ShortestPaths():
            return _paths(step)


def _paths(step: ShortestPaths) -> str:
    through = f" through {'|'.join(step.kinds)}" if step.kinds else ""
    where = f" where {_expression(step.where, is_inner=False)}" if step.where is not None else ""
    types = "|".join(step.types) or "any"
    found = f"{step.limit} shortest paths {step.source} -{types}*1..{step.max_length}- {step.target}"
    return f"{found}{through}{where}"


def _pattern(match: Match) -> str:
    """Write the relationships with their ends, and the nodes that have none; kinds come with the first mention."""
    kinds = {
        node.variable: "".join(f":{kind}" for kind in node.kinds) + _BY_ID * (node.ids is not None)
        for node in match.nodes
    }

    def node(variable: str) -> str:
        return variable + kinds.pop(variable, "")

    parts = [f"{node(link.source)} {_arrow(link)} {node(link.target)}" for link in match.relationships]
    parts += [name + kinds[name] for name in list(kinds)]
    where = f" where {_expression(match.where, is_inner=False)}" if match.where is not None else ""
    return ", ".join(parts) + where


def _arrow(link: RelationshipPattern) -> str:
    name = "|".join(link.types) or "any"
    if link.variable:
        name = f"{link.variable}:{name}"
    return f"-{name}->" if link.direction == "out" else f"-{name}-"


def _columns(columns: Sequence[Column]) -> str:
    return ", ".join(
        text if (text := _expression(column.value)) == column.name else f"{text} as {column.name}" for column in columns
    )


def _aggregate(aggregate: Aggregate) -> str:
    if aggregate.value is None:
        return f"{aggregate.function} as {aggregate.name}"
    distinct = "distinct " if aggregate.distinct else ""
    return f"{aggregate.function}({distinct}{_expression(aggregate.value, is_inner=False)}) as {aggregate.name}"


def _sort_key(key: SortKey) -> str:
    first = ", missing first" if key.missing_first else ""
    return f"{_expression(key.value)}{' descending' if key.descending else ''}{first}"


def _expression(expression: Expression, is_inner: bool = True) -> str:
    """Write an expression; an inner one with an operator is in parentheses."""
    text = _operator(expression)
    if text is not None:
        return f"({text})" if is_inner else text
    match expression:
        case Constant():
            return _constant(expression.value)
        case Property():
            return f"{expression.variable}.{expression.key}"
        case RelationshipType():
            return f"type({expression.variable})"
        case Call():
            return f"{expression.function}({_list(expression.arguments)})"
        case ListOf():
            return f"[{_list(expression.items)}]"
        case MapOf():
            return (
                f"{{{', '.join(f'{one.name}: {_expression(one.value, is_inner=False)}' for one in expression.fields)}}}"
            )
        case FieldOf():
            return f"{_expression(expression.map)}.{expression.key}"
        case Comprehension():
            value = "" if expression.value is None else f"{_expression(expression.value)} for "
            where = (
                "" if expression.condition is None else f" where {_expression(expression.condition, is_inner=False)}"
            )
            return f"[{value}{expression.name} in {_expression(expression.items)}{where}]"
        case Quantifier():
            condition = _expression(expression.condition, is_inner=False)
            return f"{expression.quantifier}({expression.name} in {_expression(expression.items)} where {condition})"
        case CollectMatches():
            return f"[{_expression(expression.value)} for {_pattern(expression.match)}]"
        case CountMatches():
            return f"count({_pattern(expression.match)})"
        case Exists():
            return f"exists({_pattern(expression.match)})"
        case Variable():
            return expression.name
    raise TypeError(f"not an expression: {expression!r}")


def _operator(expression: Expression) -> str | None:
    match expression:
        case Comparison():
            operator = _WORDS.get(expression.operator, expression.operator)
            case = " (ignoring case)" if expression.ignore_case else ""
            return f"{_expression(expression.left)} {operator} {_expression(expression.right)}{case}"
        case Arithmetic():
            return f"{_expression(expression.left)} {expression.operator} {_expression(expression.right)}"
        case Case():
            branches = [f"{_expression(one.value)} if {_expression(one.condition)}" for one in expression.branches]
            otherwise = [f"else {_expression(expression.otherwise)}"] if expression.otherwise is not None else []
            return ", ".join((*branches, *otherwise))
        case Not():
            return f"not {_expression(expression.condition)}"
        case And():
            return " and ".join(map(_expression, expression.conditions))
        case Or():
            return " or ".join(map(_expression, expression.conditions))
        case IsMissing():
            return f"{_expression(expression.value)} is missing"
        case HasKind():
            return f"{expression.variable} is a {expression.kind}"
    return None


def _list(expressions: Sequence[Expression]) -> str:
    return ", ".join(_expression(one, is_inner=False) for one in expressions)


def _constant(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_constant, value))}]"
    written = to_json(value)
    return next(iter(written.values())) if isinstance(written, dict) else json.dumps(written, ensure_ascii=False)
