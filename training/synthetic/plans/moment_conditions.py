"""Compare the dates and years of nodes and relationships."""

from datetime import date, datetime

from graph.plan.algebra import Call, Comparison, Constant, Expression, Function, Property
from graph.plan.values import Value, ValueType
from training.synthetic.plans.clauses import Clause, Modifier
from training.synthetic.plans.condition_maker import DATES, HAVE, NUMBERS, ConditionMaker, Operator, filled
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.stating import marked
from training.synthetic.plans.wordings import part_wordings

_AFTER_NOUN = (
    "after",
    "before",
    "in ",
    "on ",
    "between",
    "from",
    "later",
    "earlier",
    "until",
    "prior",
    "no later",
    "not before",
)
"""First words of phrases for a moment that follow a noun as well as a verb."""


class MomentConditions(ConditionMaker):
    """Make conditions on dates and years, and say them."""

    def _moment(self, variable: str, kind: str) -> tuple[list[Expression], Modifier]:
        years = [
            key for key in self._schema.keys(kind, ValueType.INTEGER) if self._schema.properties[kind, key].is_year
        ]
        key = self._choose([*self._schema.keys(kind, *DATES), *years])
        words, content = self._schema.properties[kind, key], self._schema.content(kind, key)
        conditions, text, _ = self._moment_condition(Property(variable, key), kind, key, content)
        said = words.nouns[0].singular if words.events else self.noun(words, key)
        clauses = [Clause(event, text) for event in words.events]
        posts = [f"{event.reduced} {text}" for event in words.events if event.is_passive]
        # `with a deadline in 2020` reads better than `with a start date on Monday`, so most questions use the verb.
        if text.startswith(_AFTER_NOUN) and (not words.events or self._rng.random() < 0.25):
            posts += [f"with {with_article(said)} {text}", f"whose {said} is {text}"]
            clauses += [] if clauses else [Clause(HAVE, f"{with_article(said)} {text}")]
        if not (posts or clauses):
            raise NothingToSayError
        return conditions, Modifier(posts=tuple(posts), clauses=tuple(clauses))

    def _moment_condition(
        self, left: Property, owner: str, key: str, content: ValueType | None
    ) -> tuple[list[Expression], str, bool]:
        """Compare a date or a year; return the conditions, the words, and whether they name one day or year."""
        rng, roll = self._rng, self._rng.random()
        if content in NUMBERS:
            years = [value for value in self._schema.values[owner, key] if isinstance(value, int)]
            day = date(min(9998, max(1, rng.choice(years))), 1, 1)
        else:
            day = self._stater.day(owner, key)
        if roll < 0.13:
            return self._decade(left, day, content)
        if roll < 0.2 and content in DATES:
            return self._month(left, day, content)
        if content in NUMBERS or rng.random() < 0.6:
            year: Expression = left if content in NUMBERS else Call(Function.YEAR, (left,))
            return self._year(year, day.year)
        text = self._stater.day_text(day)
        operator: Operator = rng.choice((">", "<", ">=", "<=", "=", ">", "<"))
        if operator == "=":
            side: Expression = Call(Function.TO_DATE, (left,)) if content is ValueType.DATETIME else left
            return [Comparison("=", side, Constant(day))], filled(self._wording("moment", "day"), text), True
        value = datetime(day.year, day.month, day.day) if content is ValueType.DATETIME else day
        words = [
            one for one in part_wordings("moment", operator, self._split) if "in {v}" not in one and "end of" not in one
        ]
        return [Comparison(operator, left, Constant(value))], filled(rng.choice(words), text), False

    def _year(self, left: Expression, year: int) -> tuple[list[Expression], str, bool]:
        rng, text = self._rng, marked(str(year))
        if rng.random() < 0.1:
            last = year + rng.randint(1, 15)
            conditions: list[Expression] = [
                Comparison(">=", left, Constant(year)),
                Comparison("<=", left, Constant(last)),
            ]
            return conditions, filled(self._wording("moment", "between"), text, marked(str(last))), False
        operator: Operator = rng.choice((">", "<", ">=", "<=", "=", "=", ">", "<"))
        name = "year" if operator == "=" else operator
        return (
            [Comparison(operator, left, Constant(year))],
            filled(self._wording("moment", name), text),
            operator == "=",
        )

    def _decade(self, left: Property, day: date, content: ValueType | None) -> tuple[list[Expression], str, bool]:
        first = day.year // 10 * 10
        bounds = _bounds(date(first, 1, 1), date(first + 9, 12, 31), content)
        text = self._stater.decade_text(first)
        return _between(left, bounds), filled(self._wording("moment", "decade"), text), False

    def _month(self, left: Property, day: date, content: ValueType | None) -> tuple[list[Expression], str, bool]:
        first = day.replace(day=1)
        last = date.fromordinal(date(day.year + day.month // 12, day.month % 12 + 1, 1).toordinal() - 1)
        text = self._stater.month_text(day)
        return _between(left, _bounds(first, last, content)), filled(self._wording("moment", "month"), text), False


def _bounds(first: date, last: date, content: ValueType | None) -> tuple[Value, Value]:
    if content in NUMBERS:
        return first.year, last.year
    if content is ValueType.DATETIME:
        return datetime(first.year, first.month, first.day), datetime(last.year, last.month, last.day, 23, 59, 59)
    return first, last


def _between(left: Expression, bounds: tuple[Value, Value]) -> list[Expression]:
    return [Comparison(">=", left, Constant(bounds[0])), Comparison("<=", left, Constant(bounds[1]))]
