"""Write the expressions and patterns of a plan as Cypher."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    And,
    Arithmetic,
    Call,
    Case,
    CollectMatches,
    Comparison,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Function,
    HasKind,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Property,
    RelationshipPattern,
    RelationshipType,
    Variable,
)
from graph.plan.durations import DurationText
from graph.plan.functions import DATE_PARTS, TIME_PARTS
from graph.plan.schema import EpochUnit, GraphSchema, PropertySchema
from graph.plan.traversal import conjuncts
from graph.plan.values import ValueType
from services.retriever.strategies.pruned_schema import identifier

_OPERATORS = {
    "!=": "<>",
    "in": "IN",
    "contains": "CONTAINS",
    "starts_with": "STARTS WITH",
    "ends_with": "ENDS WITH",
    "matches": "=~",
}
_FUNCTIONS = {
    Function.LOWER: "toLower",
    Function.UPPER: "toUpper",
    Function.TRIM: "trim",
    Function.SIZE: "size",
    Function.ABS: "abs",
    Function.ROUND: "round",
    Function.FLOOR: "floor",
    Function.CEIL: "ceil",
    Function.TO_INTEGER: "toInteger",
    Function.TO_FLOAT: "toFloat",
    Function.TO_STRING: "toString",
    Function.TO_DATE: "date",
    Function.TO_DATETIME: "datetime",
    Function.TODAY: "date",
    Function.NOW: "datetime",
    Function.COALESCE: "coalesce",
    Function.FIRST: "head",
    Function.LAST: "last",
}
_PARTS = {part: part.value for part in (DATE_PARTS | TIME_PARTS) - {Function.WEEKDAY}} | {Function.WEEKDAY: "dayOfWeek"}
_CONVERSIONS = {
    ValueType.FLOAT: "toFloat",
    ValueType.INTEGER: "toInteger",
    ValueType.DATE: "date",
    ValueType.DATETIME: "datetime",
}
_EPOCHS = {EpochUnit.SECONDS: "epochSeconds", EpochUnit.MILLISECONDS: "epochMillis"}
_ATOMS = (Variable, Constant, Property, Call, RelationshipType, ListOf, Case, Exists, CountMatches, CollectMatches)


class ExpressionWriter:
    """Write the expressions of one query; `uses` counts how often the query mentions each variable."""

    def __init__(self, schema: GraphSchema, uses: Mapping[str, int]) -> None:
        """Write expressions over a graph that has this schema."""
        self._schema = schema
        self._uses = uses
        self.named: set[str] = set()
        """The variables that the query has a name for so far."""
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._types: dict[str, tuple[str, ...]] = {}

    def value(self, value: Expression) -> str:
        """Write an expression.

        Raises UnsupportedCypherError if it needs a construct that the writer does not know.
        """
        match value:
            case Variable():
                return identifier(value.name)
            case Constant():
                return constant(value.value)
            case Property():
                return self._property(value)
            case Call():
                return self._call(value)
            case Arithmetic():
                return f"{self._operand(value.left)} {value.operator} {self._operand(value.right)}"
            case ListOf():
                return f"[{', '.join(map(self.value, value.items))}]"
            case Exists():
                return f"EXISTS {{ {self.match(value.match)} }}"
            case CountMatches():
                return f"COUNT {{ {self.match(value.match)} }}"
            case RelationshipType():
                return f"type({identifier(value.variable)})"
            case _:
                return self._condition(value)

    def _condition(self, value: Expression) -> str:
        match value:
            case Comparison():
                return self._comparison(value)
            case HasKind():
                return f"{identifier(value.variable)}:{identifier(value.kind)}"
            case Not(condition=IsMissing() as test):
                return f"{self._operand(test.value)} IS NOT NULL"
            case IsMissing():
                return f"{self._operand(value.value)} IS NULL"
            case Not():
                return f"NOT {self._operand(value.condition)}"
            case And():
                return " AND ".join(self._operand(one, Or) for one in value.conditions)
            case Or():
                return " OR ".join(self._operand(one, And) for one in value.conditions)
        raise UnsupportedCypherError(f"{type(value).__name__} is not written as Cypher")

    def _operand(self, value: Expression, *weaker: type) -> str:
        """Write a part of a larger expression, in parentheses unless it binds more tightly."""
        text = self.value(value)
        is_safe = isinstance(value, _ATOMS) or (bool(weaker) and not isinstance(value, (*weaker, And, Or)))
        return text if is_safe else f"({text})"

    def _comparison(self, value: Comparison) -> str:
        left, right = self._operand(value.left), self._operand(value.right)
        if value.ignore_case:
            left, right = self._lower(value.left), self._lower(value.right)
        return f"{left} {_OPERATORS.get(value.operator, value.operator)} {right}"

    def _lower(self, value: Expression) -> str:
        if isinstance(value, Constant) and isinstance(value.value, str):
            return constant(value.value.lower())
        return f"toLower({self.value(value)})"

    def _property(self, value: Property) -> str:
        text = f"{identifier(value.variable)}.{identifier(value.key)}"
        described = None if value.as_stored else self._described(value)
        if described is None or described.content is None or described.content in described.stored:
            return text
        if described.epoch is not None:
            return f"datetime({{{_EPOCHS[described.epoch]}: {text}}})"
        if described.content not in _CONVERSIONS or described.are_durations:
            raise UnsupportedCypherError(f"{described.content} in texts is not written as Cypher")
        return f"{_CONVERSIONS[described.content]}({text})"

    def _described(self, value: Property) -> PropertySchema | None:
        kinds = (self._schema.kinds.get(kind) for kind in self._kinds.get(value.variable, ()))
        types = (self._schema.relationships.get(one) for one in self._types.get(value.variable, ()))
        owners = [one.properties for one in (*kinds, *types) if one is not None]
        return next((found[value.key] for found in owners if value.key in found), None)

    def is_optional(self, value: Property) -> bool:
        """Return whether some nodes or relationships may lack a property, or have a text that is not converted."""
        described = self._described(value)
        if described is None or (described.content is not None and described.content not in described.stored):
            return described is not None
        kinds = (self._schema.kinds.get(kind) for kind in self._kinds.get(value.variable, ()))
        types = (self._schema.relationships.get(one) for one in self._types.get(value.variable, ()))
        return described.count < min(one.count for one in (*kinds, *types) if one is not None)

    def _call(self, value: Call) -> str:
        if value.function in _PARTS:
            return f"{self._operand(value.arguments[0])}.{_PARTS[value.function]}"
        if value.function not in _FUNCTIONS:
            raise UnsupportedCypherError(f"{value.function} is not written as Cypher")
        return f"{_FUNCTIONS[value.function]}({', '.join(map(self.value, value.arguments))})"

    # Patterns

    def match(self, match: Match) -> str:
        """Write a pattern, with the values that properties equal in the nodes, and its other conditions after it."""
        nodes = {node.variable: node for node in match.nodes}
        for node in match.nodes:
            self._kinds.setdefault(node.variable, node.kinds)
        for link in match.relationships:
            if link.variable:
                self._types[link.variable] = link.types
                self.named.add(link.variable)
        inner, conditions = self._split(match, nodes)
        text = ", ".join(self._chains(match, nodes, inner))
        where = f" WHERE {self.value(And(tuple(conditions)))}" if conditions else ""
        return f"{'OPTIONAL ' if match.optional else ''}MATCH {text}{where}"

    def _split(
        self, match: Match, nodes: Mapping[str, NodePattern]
    ) -> tuple[dict[str, dict[str, str]], list[Expression]]:
        """Split a condition into values of properties, by variable and key, and what patterns cannot say."""
        inner: dict[str, dict[str, str]] = {variable: {} for variable in nodes}
        others: list[Expression] = []
        for one in conjuncts(match.where):
            match one:
                case Comparison("=", Property() as left, Constant(value=str() | int() as value), ignore_case=False) if (
                    left.variable in inner
                    and left.key not in inner[left.variable]
                    and self._property(left).endswith(f".{identifier(left.key)}")
                ):
                    inner[left.variable][left.key] = constant(value)
                case _:
                    others.append(one)
        return inner, others

    def _chains(
        self, match: Match, nodes: Mapping[str, NodePattern], inner: Mapping[str, Mapping[str, str]]
    ) -> list[str]:
        """Write the paths that make up the pattern; a node is described where it occurs first."""
        paths = paths_of(match)
        mentions = Counter(variable for path in paths for variable in path.nodes)
        described = set[str]()

        def node(variable: str) -> str:
            if variable in described or variable not in nodes:
                self.named.add(variable)
                return f"({identifier(variable)})"
            described.add(variable)
            if nodes[variable].ids is not None:
                raise UnsupportedCypherError("nodes with store ids are not written as Cypher")
            is_named = mentions[variable] > 1 or self._uses[variable] > len(inner[variable]) + 1
            self.named |= {variable} if is_named else set()
            labels = "".join(f":{identifier(kind)}" for kind in nodes[variable].kinds)
            found = ", ".join(f"{identifier(key)}: {value}" for key, value in inner[variable].items())
            name = identifier(variable) if is_named else ""
            return f"({' '.join(part for part in (name + labels, f'{{{found}}}' if found else '') if part)})"

        texts = []
        for path in paths:
            text = node(path.nodes[0])
            for link, here, there in zip(path.links, path.nodes, path.nodes[1:], strict=False):
                text += self._arrow(link, is_forward=link.source == here) + node(there)
            texts.append(text)
        return texts

    def _arrow(self, link: RelationshipPattern, is_forward: bool) -> str:
        name = identifier(link.variable) if link.variable and self._uses[link.variable] > 1 else ""
        types = f":{'|'.join(map(identifier, link.types))}" if link.types else ""
        body = f"-[{name}{types}]-" if name or types else "--"
        if link.direction == "both":
            return body
        return f"{body}>" if is_forward else f"<{body}"


@dataclass(frozen=True, slots=True)
class _Path:
    """Hold a path of a pattern: its nodes, and the relationships between them."""

    nodes: list[str]
    links: list[RelationshipPattern]


def paths_of(match: Match) -> list[_Path]:
    """Split a pattern into paths without repeated relationships, which begin at ends of the pattern if it has any."""
    left = list(match.relationships)
    paths: list[_Path] = []

    def degree(variable: str) -> int:
        return sum(variable in (link.source, link.target) for link in left)

    waiting = [node.variable for node in match.nodes]
    while left or waiting:
        known = list(dict.fromkeys([*waiting, *(one for link in left for one in (link.source, link.target))]))
        here = min(known, key=lambda variable: degree(variable) != 1)
        if left and degree(here) == 0:
            here = max(known, key=degree)
        path = _Path([here], [])
        while link := next((one for one in left if here in (one.source, one.target)), None):
            left.remove(link)
            here = link.target if link.source == here else link.source
            path.nodes.append(here)
            path.links.append(link)
        waiting = [variable for variable in waiting if variable not in path.nodes]
        paths.append(path)
    return paths


def constant(value: Any) -> str:
    """Write a value as a literal of Cypher."""
    match value:
        case None | bool() | str() if not isinstance(value, DurationText):
            return json.dumps(value, ensure_ascii=False)  # Cypher has the same escapes
        case DurationText():
            return f"duration({json.dumps(str(value))})"
        case datetime():
            return f"datetime({json.dumps(value.isoformat())})"
        case date():
            return f"date({json.dumps(value.isoformat())})"
        case int() | float():
            return repr(value)
        case tuple():
            return f"[{', '.join(map(constant, value))}]"
    raise UnsupportedCypherError(f"{type(value).__name__} is not written as Cypher")


def uses_of(parts: Sequence[Any]) -> Counter[str]:
    """Count how often each variable occurs in the parts of a plan."""
    uses: Counter[str] = Counter()
    for part in parts:
        match part:
            case Variable():
                uses[part.name] += 1
            case Property() | HasKind() | RelationshipType() | NodePattern():
                uses[part.variable] += 1
            case RelationshipPattern(variable=str() as variable):
                uses[variable] += 1
    return uses
