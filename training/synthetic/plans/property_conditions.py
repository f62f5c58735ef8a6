"""Describe nodes and relationships by conditions on their properties."""

from collections.abc import Callable

from graph.plan.algebra import Call, Comparison, Constant, Expression, Or, Property
from graph.plan.traversal import walk
from graph.plan.values import ValueType
from training.synthetic.plans.clauses import Clause, Modifier
from training.synthetic.plans.condition_maker import DATES, NUMBERS
from training.synthetic.plans.moment_conditions import MomentConditions
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.number_conditions import NumberConditions
from training.synthetic.plans.pattern import NothingToSayError, Pattern
from training.synthetic.plans.text_conditions import TextConditions

_Maker = Callable[[str, str], tuple[Expression | list[Expression], Modifier]]


class PropertyConditions(NumberConditions, MomentConditions, TextConditions):
    """Make conditions on properties, and say them."""

    def describe(self, pattern: Pattern, variable: str, kind: str) -> Modifier:
        """Add a condition on a property of a node, and return what it says of the node."""
        makers: list[tuple[float, Callable[[str, str], tuple[Expression | list[Expression], Modifier]]]] = [
            (2.4, self._number),
            (1.9, self._moment),
            (2.0, self._category),
            (0.8, self._text),
            (0.9, self._flag),
            (0.25, self._missing),
            (0.5, self._other_category),
            (0.4, self._categories),
            (0.3, self._item),
            (0.3, self._either),
            (0.35, self._except_names),
        ]
        read = pattern.reads(variable)
        for _ in range(6):
            [make] = self._rng.choices([make for _, make in makers], [weight for weight, _ in makers])
            try:
                condition, modifier = make(variable, kind)
            except NothingToSayError:
                continue
            conditions = condition if isinstance(condition, list) else [condition]
            parts = (part for one in conditions for part in walk(one))
            if any(isinstance(part, Property) and part.key in read for part in parts):
                continue
            for one in conditions:
                pattern.require(one)
            return modifier
        raise NothingToSayError

    def describe_link(self, pattern: Pattern, variable: str, type_: str) -> str:
        """Add a condition on a property of a relationship, and return what follows the verb phrase."""
        key = self._choose(self._schema.relationship_keys(type_, *NUMBERS, *DATES, ValueType.STRING))
        words = self._schema.properties[type_, key]
        content = self._schema.content(type_, key, of_relationship=True)
        left = Property(variable, key)
        if content in DATES or words.is_year:
            conditions, text, _ = self._moment_condition(left, type_, key, content)
            for one in conditions:
                pattern.require(one)
            return text
        said = self.noun(words, key)
        if content is ValueType.STRING:
            value = self._stater.choose_text(type_, key)
            pattern.require(Comparison("=", left, Constant(value)))
            stated = self._stater.quoted(value)
            return self._rng.choice(
                (
                    f"with {said} {stated}",
                    f"as {stated}" if key.lower().endswith("role") else f"with the {said} {stated}",
                )
            )
        conditions, amount, value_text = self._number_condition(left, type_, key, words, content)
        for one in conditions:
            pattern.require(one)
        if words.nouns[0].is_plural:
            return f"with {amount} {words.nouns[0].plural}"
        return f"with {self._rng.choice((with_article(said), said))} {value_text}"

    def _either(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        makers = (self._number, self._moment, self._category, self._flag)
        (first, one), (second, other) = (self._rng.choice(makers)(variable, kind) for _ in range(2))
        parts = [part[0] if isinstance(part, list) and len(part) == 1 else part for part in (first, second)]
        if (
            any(isinstance(part, list) for part in parts)
            or _property(parts[0]) == _property(parts[1])
            or not (one.clauses and other.clauses)
        ):
            raise NothingToSayError
        clause, tail = self._rng.choice(one.clauses), self._rng.choice(other.clauses)
        joined = Clause(clause.verb, clause.object, clause.is_negated, tail)
        return Or(tuple(part for part in parts if not isinstance(part, list))), Modifier(clauses=(joined,))


def _property(condition: object) -> Property | None:
    """Return the property that a comparison reads."""
    left = condition.left if isinstance(condition, Comparison) else None
    left = left.arguments[0] if isinstance(left, Call) else left
    return left if isinstance(left, Property) else None
