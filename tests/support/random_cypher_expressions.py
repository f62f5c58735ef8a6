"""Generate random Cypher expressions whose types suit the variables and the properties of a graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVar

from hypothesis import strategies as st

from graph.neo4j.cypher_text import quote
from graph.plan.schema import GraphSchema
from graph.plan.values import type_of
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_T = TypeVar("_T")
NODE, RELATIONSHIP, BAG, ANY, MAPS = "node", "relationship", "bag", "any", "maps"
"""Types beside those of `ValueType`: a bag is a list whose order Cypher leaves open; a value of any may have each.

Maps, and bags of maps, are only returned.
"""
INTEGER, FLOAT, STRING = "integer", "float", "string"
BOOLEAN, DATE, DATETIME, LIST = "boolean", "date", "datetime", "list"
SCALARS = (INTEGER, FLOAT, STRING, BOOLEAN, DATE, DATETIME)
_MAX_DEPTH = 2
_ORDERS = ("<", "<=", ">", ">=", "=", "<>")
_LENGTHS = ("P1M", "P-1Y1D", "PT25H", "P1DT-0.5S")
_EXTRA = (
    0,
    1,
    2,
    -1,
    0.5,
    2.5,
    "",
    "a",
    "7",
    " b ",
    True,
    False,
    date(2000, 1, 31),
    datetime(2000, 1, 1, 12),
    (1, 2),
    ("a",),
)


@dataclass
class Variables:
    """Hold the variables of a row, with their types, and whether the rows have a total order."""

    types: dict[str, str] = field(default_factory=dict)

    def of(self, *types: str) -> list[str]:
        """Return the variables that have one of these types."""
        return sorted(name for name, type_ in self.types.items() if type_ in types)


class ExpressionGenerator:
    """Draw expressions as text."""

    def __init__(self, draw: st.DrawFn, graph: PropertyGraph, schema: GraphSchema) -> None:
        """Collect the kinds, the properties with their types, and the values of the graph."""
        self._draw = draw
        self._kinds = sorted(kind for kind in schema.kinds if kind)
        self._links = sorted(schema.relationships)
        self._keys = {NODE: _types_of(schema.kinds.values()), RELATIONSHIP: _types_of(schema.relationships.values())}
        elements: list[Node | Relationship] = [*graph.nodes, *graph.relationships]
        found = [*_EXTRA, *(_hashable(value) for one in elements for value in one.properties.values())]
        self._values: dict[str, list[Any]] = {}
        # By representation: in Python, `True`, 1, and 1.0 are equal.
        for value in {repr(value): value for value in found}.values():
            self._values.setdefault(type_of(value) or "", []).append(value)
        self.scope = Variables()
        self._numbers = 0
        self._has_colons = self.chance(2)

    # Draws

    def pick(self, options: Sequence[_T]) -> _T:
        """Draw one of several options."""
        return self._draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        """Draw an integer."""
        return self._draw(st.integers(low, high))

    def chance(self, one_in: int) -> bool:
        """Draw a boolean that is rarely true."""
        return self.number(1, one_in) == one_in

    def new_name(self, prefix: str = "x") -> str:
        """Return a name that the query does not have yet."""
        self._numbers += 1
        return f"{prefix}{self._numbers}"

    # Expressions

    def value(self, type_: str, depth: int = 0) -> str:
        """Draw an expression of a type, or one that is null."""
        if type_ == ANY:
            return self.value(self.pick((*SCALARS, LIST)), depth)
        makers: list[Callable[[], str]] = [lambda: self._literal(type_)]
        if self._readable(type_):
            makers += [lambda: self._property(type_)] * 4
        if names := self.scope.of(type_):
            makers += [lambda: self.pick(names)] * 4
        if depth < _MAX_DEPTH:
            makers += [lambda: f"coalesce({self.value(type_, depth + 1)}, {self.value(type_, depth + 1)})"]
            makers += [lambda: self._computed(type_, depth + 1)] * 3
        return self.pick(makers)()

    def condition(self, depth: int = 0) -> str:
        """Draw a condition."""
        text = self.value(BOOLEAN, depth) if self.chance(10) else self._condition(depth + 1)
        if (nodes := self.scope.of(NODE)) and self.chance(5):
            # Cypher takes a bare pattern for a condition only where nothing else makes sense.
            return f"{self.pick(('', 'NOT '))}{self.pattern(nodes, self._unnamed)} {self.pick(('AND', 'OR'))} {text}"
        return text

    def kinds(self) -> str:
        """Draw a label expression, or nothing."""
        if not self.chance(2):
            return ""
        one, other = (quote(self.pick(self._kinds)) for _ in range(2))
        # Cypher refuses queries with both notations.
        several = [f":{one}:{other}"] if self._has_colons else [f":{one}|{other}", f":!{one}", f":{one}&!{other}"]
        return self.pick([f":{one}", f":{one}", *several])

    def pattern(self, names: Sequence[str], free: Callable[[], str], longest: int = 2) -> str:
        """Draw a pattern that starts at one of `names`, or at a new node if there are none.

        Args:
            names: The bound nodes.
            free: Returns the name of a further node, or an empty string.
            longest: The greatest number of relationships.
        """
        text = f"({self.pick(names)}{self.kinds() if self.chance(4) else ''})" if names else self._node(free())
        for _ in range(self.number(1 if names else 0, longest)):
            text += self._link() + self._node(self.pick(names) if names and self.chance(6) else free())
        return text

    def _node(self, name: str) -> str:
        inline = ""
        if self.chance(8) and (keys := self._keys[NODE]):
            key = self.pick(sorted(keys))
            inline = f" {{{quote(key)}: {self._literal(self.pick(sorted(keys[key])))}}}"
        return f"({name}{self.kinds()}{inline})"

    def _link(self) -> str:
        types = [quote(self.pick(self._links)) for _ in range(self.number(0, 2))]
        if not types:
            return self.pick(("-->", "<--", "--"))
        return self.pick(("-[:{}]->", "<-[:{}]-", "-[:{}]-")).format("|".join(dict.fromkeys(types)))

    def _readable(self, type_: str) -> bool:
        return any(type_ in types for owner in (NODE, RELATIONSHIP) for types in self._read(owner, type_))

    def _read(self, owner: str, type_: str) -> list[frozenset[str]]:
        return [types for types in self._keys[owner].values() if types == {type_}] if self.scope.of(owner) else []

    def _property(self, type_: str) -> str:
        owners = [owner for owner in (NODE, RELATIONSHIP) if self._read(owner, type_)]
        owner = self.pick(owners)
        keys = sorted(key for key, types in self._keys[owner].items() if types == {type_})
        return f"{self.pick(self.scope.of(owner))}.{quote(self.pick(keys))}"

    def any_property(self) -> str:
        """Draw a property, whatever its type; null if there are no nodes and relationships."""
        owners = [owner for owner in (NODE, RELATIONSHIP) if self.scope.of(owner) and self._keys[owner]]
        if not owners:
            return "null"
        owner = self.pick(owners)
        return f"{self.pick(self.scope.of(owner))}.{quote(self.pick(sorted(self._keys[owner])))}"

    def _literal(self, type_: str) -> str:
        return "null" if self.chance(15) else literal(self.pick(self._values[type_]))

    def _computed(self, type_: str, depth: int) -> str:
        def one(wanted: str) -> str:
            return self.value(wanted, depth)

        nodes, links, bags = (self.scope.of(wanted) for wanted in (NODE, RELATIONSHIP, BAG))
        match type_:
            case "integer":
                options = [
                    "({0} + {1})",
                    "({0} - {1})",
                    "{0} * 3",
                    "{0} / 2",
                    "{0} % 4",
                    "abs({0})",
                    "-({0})",
                    "2 - {0}",
                ]
                options += ["size({s})", "size({l})", "toInteger({f})", "{d}.year", "{t}.month", "toInteger({s})"]
                options += ["duration.inDays({d}, {t}).days", "duration.inSeconds({t}, {t}).seconds"]
                options += [f"size({name})" for name in bags]
                options += ["COUNT {{{p}}}", "size([{p} | {i}])", "[{p} | {i}][5]"] if nodes else []
            case "float":
                options = ["({0} + {i})", "({0} - {1})", "{0} * 0.5", "{0} / 4", "toFloat({i})", "round({0})"]
                options += ["floor({0})", "ceil({0})", "abs({0})", "{i} * 1.0", "toFloat({s})"]
            case "string":
                options = ["toLower({0})", "toUpper({0})", "trim({0})", "left({0}, 2)", "substring({0}, 0, 3)"]
                options += ["{0} + {1}", "toString({i})", "toString({0})", "toString({d})", "head(['a', {0}])"]
                options += [f"type({name})" for name in links]
            case "boolean":
                return f"({self._condition(depth)})"
            case "date":
                # Neo4j truncates no missing values.
                options = ["date({t})", "head([{0}])", "date.truncate({unit}, coalesce({0}, date('2000-01-31')))"]
                options += ["{0} {sign} duration({length})"] * 2
            case "datetime":
                options = ["last([{0}, {1}])"]
                options += ["localdatetime.truncate({unit}, coalesce({0}, localdatetime('2000-01-31T12:30')))"]
                options += ["{0} {sign} duration({length})"] * 2
            case _:
                if self.chance(2):
                    return self._comprehension(depth)
                options = ["{0}[0..1]", "{0}[..2]", "{0}[..-1]"]
        letters = {"i": INTEGER, "f": FLOAT, "s": STRING, "d": DATE, "t": DATETIME, "l": LIST}
        template = self.pick(options)
        parts = {letter: one(wanted) for letter, wanted in letters.items() if f"{{{letter}}}" in template}
        pattern = self.pattern(nodes, self._unnamed, 1) if "{p}" in template else ""
        numbered = [one(type_) if f"{{{place}}}" in template else "" for place in range(2)]
        unit = literal(self.pick(("decade", "year", "quarter", "month", "week", "day")))
        sign, length = self.pick("+-"), literal(self.pick(_LENGTHS))
        return template.format(*numbered, **parts, p=pattern, unit=unit, sign=sign, length=length)

    def _unnamed(self) -> str:
        return ""

    def _condition(self, depth: int) -> str:
        type_, nodes = self.pick(SCALARS), self.scope.of(NODE)
        makers: list[Callable[[], str]] = [
            lambda: f"{self.value(type_, depth)} {self.pick(_ORDERS)} {self.value(type_, depth)}",
            lambda: f"{self.any_property()} {self.pick(_ORDERS)} {self.value(type_, depth)}",
            lambda: f"{self.value(INTEGER, depth)} < {self.value(INTEGER, depth)} <= {self.value(INTEGER, depth)}",
            lambda: f"{self.value(STRING, depth)} {self._text_test()} {self.value(STRING, depth)}",
            lambda: f"{self.value(STRING, depth)} =~ '{self.pick(('(?i)', ''))}{self.pick(('.*', ''))}a.*'",
            lambda: f"{self.any_property()} IN [{', '.join(self._items(type_))}]",
            lambda: f"{self.any_property()} IS {self.pick(('', 'NOT '))}NULL",
            lambda: f"{self.value(type_, depth)} IS {self.pick(('', 'NOT '))}NULL",
        ]
        if depth < _MAX_DEPTH:
            makers.append(lambda: self._quantifier(depth + 1))
        if bags := self.scope.of(BAG, LIST):
            makers.append(lambda: f"{self.value(type_, depth)} IN {self.pick(bags)}")
        if nodes:
            makers.append(lambda: f"{self.pick(nodes)}:{quote(self.pick(self._kinds))}")
            makers.append(lambda: f"{self.pick(nodes)} {self.pick(('=', '<>'))} {self.pick(nodes)}")
            makers += [lambda: self._exists(nodes, depth)] * 2
        if depth < _MAX_DEPTH:
            makers.append(lambda: f"NOT ({self._condition(depth + 1)})")
            joint = self.pick(("AND", "OR", "XOR"))
            makers += [lambda: f"({self._condition(depth + 1)} {joint} {self._condition(depth + 1)})"] * 2
        return self.pick(makers)()

    def _exists(self, nodes: list[str], depth: int) -> str:
        new = self.new_name("e")
        text = self.pattern(nodes, lambda: new if self.chance(2) else "")
        where = ""
        if f"({new}" in text and self.chance(2):
            self.scope.types[new] = NODE
            where = f" WHERE {self._condition(depth + 1)}"
            del self.scope.types[new]
        return f"{self.pick(('', 'NOT '))}EXISTS {{{self.pick(('MATCH ', ''))}{text}{where}}}"

    def _quantifier(self, depth: int) -> str:
        quantifier = self.pick(("any", "all", "none", "single"))
        member, condition, _ = self._loop(depth)
        return f"{quantifier}({member} WHERE {condition})"

    def _loop(self, depth: int) -> tuple[str, str, str]:
        """Draw the parts of a loop over a list: `x IN list`, a condition, and a value."""
        type_, name = self.pick(SCALARS), self.new_name()
        bags = self.scope.of(BAG)
        if bags and self.chance(3):
            # The types of its items are unknown, so that few operations suit them.
            return f"{name} IN {self.pick(bags)}", f"{name} IS NOT NULL", name
        items = f"[{', '.join(self.value(type_, depth) for _ in range(self.number(0, 3)))}]"
        outer = self.scope.types
        self.scope.types = {**outer, name: type_}
        condition, value = self._condition(depth), self.value(self.pick(SCALARS), depth)
        self.scope.types = outer
        return f"{name} IN {items}", condition, value

    def _comprehension(self, depth: int) -> str:
        member, condition, value = self._loop(depth)
        where = f" WHERE {condition}" if self.chance(2) else ""
        return f"[{member}{where}{f' | {value}' if self.chance(2) or not where else ''}]"

    def _text_test(self) -> str:
        return self.pick(("CONTAINS", "STARTS WITH", "ENDS WITH"))

    def _items(self, type_: str) -> list[str]:
        # Lists without missing items only: plans have no others.
        return [literal(self.pick(self._values[type_])) for _ in range(self.number(0, 3))]


def literal(value: Any) -> str:
    """Write a value as Cypher."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case datetime():
            return f"localdatetime('{value.isoformat()}')"
        case date():
            return f"date('{value.isoformat()}')"
        case tuple():
            return f"[{', '.join(map(literal, value))}]"
        case str():
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
    return repr(value)


def _types_of(owners: Any) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for owner in owners:
        for key, described in owner.properties.items():
            found[key] = found.get(key, frozenset()) | {one.value for one in described.stored}
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
