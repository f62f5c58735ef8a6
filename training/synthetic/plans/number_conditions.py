"""Compare the numbers of nodes and relationships."""

from graph.plan.algebra import Comparison, Constant, Expression, Property
from graph.plan.values import Value, ValueType
from training.synthetic.plans.clauses import Clause, Modifier
from training.synthetic.plans.condition_maker import ARE, HAVE, NUMBERS, ConditionMaker, Operator, filled
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.stating import Stated
from training.synthetic.plans.words import PropertyWords, is_count

_OPERATORS: tuple[Operator, ...] = (">", ">", ">", "<", "<", ">=", "<=", "=")
_IS_SYMBOL = ("=", "<", ">")


class NumberConditions(ConditionMaker):
    """Make conditions on numbers, and say them."""

    def _number(self, variable: str, kind: str) -> tuple[list[Expression], Modifier]:
        key = self._choose(
            [key for key in self._schema.keys(kind, *NUMBERS) if not self._schema.properties[kind, key].is_year]
        )
        words, content = self._schema.properties[kind, key], self._schema.content(kind, key)
        conditions, amount, value = self._number_condition(Property(variable, key), kind, key, words, content)
        operator = conditions[0].operator if isinstance(conditions[0], Comparison) else "="
        said, rng = self.noun(words, key), self._rng
        posts: list[str]
        if said.strip("'") == key and said not in (words.nouns[0].singular, words.nouns[0].plural):
            # A key in the words of the schema takes no article.
            plain = value.removeprefix("of ")
            posts, clauses = [f"with {said} {plain}", f"whose {said} is {plain}", f"where {said} is {plain}"], []
            return conditions, Modifier(posts=tuple(map(_plain_symbol, posts)))
        if is_count(words, said):
            # A count: `with more than 20 pages`.
            posts, clauses = [f"with {amount} {said}"], [Clause(HAVE, f"{amount} {said}")]
        else:
            with_value = value if not value[:1].isdigit() else f"of {value}"
            posts = [
                f"with {with_article(said)} {with_value}",
                f"whose {said} is {value.removeprefix('of ')}",
                f"with {said} {value.removeprefix('of ')}",
                f"with {with_article(said)} of {amount}",
            ]
            clauses = [
                Clause(HAVE, f"{with_article(said)} {with_value}"),
                Clause(HAVE, f"{with_article(said)} of {amount}"),
            ]
            if rng.random() < 0.15:
                posts.append(f"where {said} {'' if value.startswith(_IS_SYMBOL) else 'is '}{value.removeprefix('of ')}")
        clauses += [Clause(verb, amount) for verb in words.verbs for _ in range(2)]
        if words.than and len(conditions) == 1 and operator in (">", "<"):
            more = rng.choice(words.than)[0 if operator == ">" else 1]
            stated = amount.split(" than ")[-1] if " than " in amount else ""
            if stated:
                clauses += [Clause(ARE, f"{more} than {stated}")] * 3
                posts.append(f"{more} than {stated}")
        return conditions, Modifier(posts=tuple(_plain_symbol(post) for post in posts), clauses=tuple(clauses))

    def _number_condition(
        self, left: Expression, owner: str, key: str, words: PropertyWords, content: ValueType | None
    ) -> tuple[list[Expression], str, str]:
        """Compare an expression with numbers; return the conditions, an amount, and what follows a noun."""
        first = self._stater.number(owner, key, words, content)
        if self._rng.random() < 0.1:
            second = self._stater.number(owner, key, words, content)
            low, high = sorted((first, second), key=lambda stated: stated.value)
            if low.value == high.value:
                raise NothingToSayError
            conditions: list[Expression] = [
                Comparison(">=", left, Constant(low.value)),
                Comparison("<=", left, Constant(high.value)),
            ]
            amount, value = (
                filled(self._wording(table, "between"), low.text, high.text) for table in ("amount", "value")
            )
            return conditions, amount, value
        operator = self._rng.choice(_OPERATORS)
        amount, value = (filled(self._wording(table, operator), first.text) for table in ("amount", "value"))
        return [Comparison(operator, left, Constant(first.value))], amount, value

    def compared_count(self) -> tuple[Operator, Stated, str]:
        """Choose a condition on a count; return the operator, the number, and the amount in words."""
        operator: Operator = self._rng.choice((">", ">", ">", ">=", ">=", "<", "<=", "="))
        stated = self._stater.count()
        if operator in ("<", "<=") and isinstance(stated.value, int) and stated.value < 3:
            operator = ">"
        return operator, stated, filled(self._wording("amount", operator), stated.text)

    def compared_measure(self, value: Value, words: PropertyWords) -> tuple[Operator, str]:
        """Choose a comparison with a number; return the operator and what follows a noun."""
        operator: Operator = self._rng.choice((">", ">", "<", ">=", "<="))
        text = filled(self._wording("value", operator), self._stater.number_text(value, words))
        return operator, text.removeprefix("of ")


def _plain_symbol(post: str) -> str:
    """Write symbols without a verb: `whose price > 20`."""
    for symbol in ("> ", "< ", ">= ", "<= ", "= "):
        post = post.replace(f" is {symbol}", f" {symbol}").replace(f" of {symbol}", f" {symbol}")
    return (
        post.replace(" is that exceeds ", " exceeds ")
        .replace(" is exceeding ", " exceeds ")
        .replace(" is ranging ", " ranges ")
    )
