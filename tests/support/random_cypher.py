"""Generate random Cypher queries over the grammar that `graph.cypher` reads."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from graph.plan.schema import GraphSchema
from tests.support.random_cypher_expressions import (
    ANY,
    BAG,
    BOOLEAN,
    DATE,
    DATETIME,
    FLOAT,
    INTEGER,
    LIST,
    MAPS,
    NODE,
    RELATIONSHIP,
    SCALARS,
    STRING,
    ExpressionGenerator,
    Variables,
)
from tests.support.reference_evaluator import PropertyGraph

_MAX_NODES = 3
_UNNESTED = {"[1, 2, 2]": INTEGER, "['a', 'b']": STRING, "[]": INTEGER, "[date('2000-01-31')]": DATE, "[0.5]": FLOAT}


@dataclass(frozen=True)
class RandomCypher:
    """Hold a query, and what Cypher says about the order of its rows and of the lists in them."""

    text: str
    is_ordered: bool
    has_bags: bool


@st.composite
def random_cypher(draw: st.DrawFn, graph: PropertyGraph, schema: GraphSchema) -> RandomCypher:
    """Draw a query for a graph."""
    return _Generator(draw, graph, schema).query()


class _Generator(ExpressionGenerator):
    def query(self) -> RandomCypher:
        if self.chance(8):
            parts = [self._single(union=True).text for _ in range(2)]
            return RandomCypher(self.pick((" UNION ", " UNION ALL ")).join(parts), False, False)
        return self._single()

    def _single(self, union: bool = False) -> RandomCypher:
        self.scope, self._has_bags = Variables(), False
        clauses = [self._match(False)]
        clauses.extend(self._next_clause() for _ in range(self.number(0, 3)))
        if union:
            items = ", ".join(f"{self.value(type_)} AS {name}" for name, type_ in (("x", STRING), ("y", INTEGER)))
            return RandomCypher(" ".join([*clauses, f"RETURN {items}"]), False, False)
        text, is_ordered = self._projection("RETURN")
        return RandomCypher(" ".join([*clauses, text]), is_ordered, self._has_bags)

    def _next_clause(self) -> str:
        makers: list[Callable[[], str]] = [lambda: self._projection("WITH")[0], self._unwind]
        if len(self.scope.of(NODE)) < _MAX_NODES:
            makers += [lambda: self._match(False), lambda: self._match(True)]
        return self.pick(makers)()

    def _match(self, optional: bool) -> str:
        bound = self.scope.of(NODE)
        new: list[str] = []
        links: list[str] = []

        def free() -> str:
            if len(bound) + len(new) >= _MAX_NODES or self.chance(4):
                return ""
            new.append(self.new_name("n"))
            return new[-1]

        text = self.pattern(bound, free)
        if "-[:" in text and self.chance(3):
            links.append(self.new_name("r"))
            text = text.replace("-[:", f"-[{links[0]}:", 1)
        self.scope.types |= dict.fromkeys(new, NODE) | dict.fromkeys(links, RELATIONSHIP)
        where = f" WHERE {self.condition()}" if self.chance(2) else ""
        return f"{'OPTIONAL ' if optional else ''}MATCH {text}{where}"

    def _unwind(self) -> str:
        names = self.scope.of(LIST, BAG)
        name = self.new_name()
        items = self.pick(names) if names and not self.chance(3) else self.pick(sorted(_UNNESTED))
        self.scope.types[name] = _UNNESTED.get(items, ANY)
        return f"UNWIND {items} AS {name}"

    def _projection(self, keyword: str) -> tuple[str, bool]:
        """Draw WITH or RETURN; return it, and whether its rows have a total order."""
        columns = self._columns(keyword)
        before, after = self.scope, Variables({name: type_ for _, name, type_ in columns})
        has_bags = bool(after.of(BAG, MAPS))
        is_group = any(_is_aggregate(text) for text, _, _ in columns)
        distinct = "DISTINCT " if not has_bags and not is_group and self.chance(4) else ""
        items = ", ".join(text if text == name else f"{text} AS {name}" for text, name, _ in columns)
        order, is_ordered = "", False
        if not has_bags and self.chance(2):
            keys = [f"{name}{self.pick(('', ' DESC', ' ASC'))}" for _, name, _ in columns]
            order, is_ordered = " ORDER BY " + ", ".join(keys), True
            order += f" SKIP {self.number(0, 2)}" if self.chance(4) else ""
            order += f" LIMIT {self.number(0, 5)}" if self.chance(2) or "SKIP" in order else ""
        elif self.chance(4):
            self.scope = after if is_group or distinct else before
            order = f" ORDER BY {self.value(self.pick(SCALARS), 1)}"
        self.scope = after
        where = f" WHERE {self.condition()}" if keyword == "WITH" and self.chance(3) else ""
        self._has_bags = self._has_bags or has_bags
        return f"{keyword} {distinct}{items}{order}{where}", is_ordered and not self._has_bags

    def _columns(self, keyword: str) -> list[tuple[str, str, str]]:
        """Draw columns as expression, name, and type."""
        kept = [(name, self._alias(name), type_) for name, type_ in self.scope.types.items() if self.chance(2)]
        is_group = self.chance(3)
        if is_group:
            kept = [one for one in kept if one[2] not in (BAG, MAPS)]
        found = kept + [self._computed_column(is_group) for _ in range(self.number(0 if kept else 1, 2))]
        found += [self._aggregate() for _ in range(self.number(1, 2))] if is_group else []
        return list({name: (text, name, type_) for text, name, type_ in found}.values())

    def _alias(self, name: str) -> str:
        """Return the name of a column that holds a variable: its own, a new one, or that of another variable."""
        if not self.chance(3):
            return name
        return self.new_name() if self.chance(2) else self.pick(sorted(self.scope.types))

    def _computed_column(self, is_key: bool) -> tuple[str, str, str]:
        """Draw a column; a key of a group is no map."""
        if not is_key and self.chance(8):
            return self._map(), self.new_name(), MAPS
        if self.chance(4):
            return self.any_property(), self.new_name(), ANY
        type_ = self.pick((*SCALARS, LIST))
        return self.value(type_, 1), self.new_name(), type_

    def _map(self) -> str:
        fields = (f"{key}: {self.value(self.pick(SCALARS), 1)}" for key in ("b", "a")[: self.number(1, 2)])
        return f"{{{', '.join(fields)}}}"

    def _aggregate(self) -> tuple[str, str, str]:
        distinct = self.pick(("", "", "DISTINCT "))
        type_ = self.pick((INTEGER, FLOAT))
        ordered = self.pick((INTEGER, FLOAT, STRING, DATE, DATETIME))
        elements = self.scope.of(NODE, RELATIONSHIP)
        makers: list[Callable[[], tuple[str, str]]] = [
            lambda: ("count(*)", INTEGER),
            lambda: (f"count({distinct}{self.value(ANY, 1)})", INTEGER),
            lambda: (f"sum({distinct}{self.value(type_, 1)})", type_),
            lambda: (f"avg({distinct}{self.value(type_, 1)})", FLOAT),
            lambda: (f"min({self.value(ordered, 1)})", ordered),
            lambda: (f"max({self.value(ordered, 1)})", ordered),
            lambda: (f"min({self.any_property()})", ANY),
            lambda: (f"collect({distinct}{self.value(self.pick(SCALARS), 1)})", BAG),
            lambda: (f"collect({self._map()})", MAPS),
            lambda: (f"collect({self._map()})[0].a", ANY),
            lambda: (f"count(*) * 1.5 + sum({self.value(INTEGER, 1)})", FLOAT),
            lambda: (f"count({self.any_property()}) > 2", BOOLEAN),
        ]
        if elements:
            makers.append(lambda: (f"count({distinct}{self.pick(elements)})", INTEGER))
        text, type_ = self.pick(makers)()
        return text, self.new_name(), type_


def _is_aggregate(text: str) -> bool:
    return text.startswith(("count(", "sum(", "avg(", "min(", "max(", "collect("))
