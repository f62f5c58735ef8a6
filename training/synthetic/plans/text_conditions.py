"""Test the texts, lists, and flags of nodes, and whether they have a property at all."""

from typing import Literal

from graph.plan.algebra import Comparison, Constant, Expression, IsMissing, ListOf, Not, Or, Property
from graph.plan.values import ValueType
from training.synthetic.plans.clauses import Clause, Modifier
from training.synthetic.plans.condition_maker import ARE, DATES, HAVE, NUMBERS, ConditionMaker, filled, name_words
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.stating import marked
from training.synthetic.plans.wordings import part_wordings
from training.synthetic.plans.words import PropertyWords

_TextTest = Literal["starts_with", "ends_with", "contains"]
_TEXT_TESTS: tuple[_TextTest, ...] = ("starts_with", "ends_with", "contains")


class TextConditions(ConditionMaker):
    """Make conditions on texts, lists, and flags, and say them."""

    def _category(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose(self._schema.keys(kind, ValueType.STRING))
        words, value = self._schema.properties[kind, key], self._stater.choose_text(kind, key)
        condition = Comparison("=", Property(variable, key), Constant(value))
        stated = self._stater.quoted(value, 0.3)
        posts = self._posts("=", words, key, stated)
        clauses = tuple(Clause(state, stated) for state in words.states for _ in range(2))
        posts += tuple(f"{state.rest} {stated}" for state in words.states if not state.base)
        if words.is_adjective and value[:1].isalpha():
            plain = marked(value)
            return condition, Modifier(plain, posts, (*clauses, Clause(ARE, plain)))
        return condition, Modifier("", posts, (*clauses, Clause(HAVE, f"{self.noun(words, key)} {stated}")))

    def _other_category(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose(
            [key for key in self._schema.keys(kind, ValueType.STRING) if self._schema.is_category(kind, key)]
        )
        words, value = self._schema.properties[kind, key], self._stater.choose_text(kind, key)
        stated = self._stater.quoted(value)
        clauses = [Clause(state, stated, is_negated=True) for state in words.states]
        if words.is_adjective:
            clauses.append(Clause(ARE, stated, is_negated=True))
        condition = Comparison("!=", Property(variable, key), Constant(value))
        return condition, Modifier("", self._posts("!=", words, key, stated), tuple(clauses))

    def _categories(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose(
            [key for key in self._schema.keys(kind, ValueType.STRING) if self._schema.is_category(kind, key)]
        )
        words = self._schema.properties[kind, key]
        first, second = self._stater.choose_text(kind, key), self._stater.choose_text(kind, key)
        if first == second:
            raise NothingToSayError
        stated, other = self._stater.quoted(first), self._stater.quoted(second)
        posts = tuple(filled(text, stated, other) for text in self._posts("in", words, key, "{v}"))
        clauses = [Clause(state, f"{stated} or {other}") for state in words.states]
        if words.is_adjective:
            clauses.append(Clause(ARE, self._rng.choice((f"{stated} or {other}", f"either {stated} or {other}"))))
        condition = Comparison("in", Property(variable, key), ListOf((Constant(first), Constant(second))))
        return condition, Modifier("", posts, tuple(clauses))

    def _text(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        keys = self._schema.keys(kind, ValueType.STRING)
        name = self._schema.name_property(kind)
        key = self._choose([*keys, *([name] * 2 if name else [])])
        words = self._schema.properties.get((kind, key)) or name_words()
        [test] = self._rng.choices(_TEXT_TESTS, (40, 15, 45))
        parts = [self._part(test, kind, key)]
        if self._rng.random() < 0.2:
            parts.append(self._part(test, kind, key))
        if len(set(parts)) < len(parts):
            raise NothingToSayError
        conditions: tuple[Expression, ...] = tuple(
            Comparison(test, Property(variable, key), Constant(part)) for part in parts
        )
        said = " or ".join(self._stated_part(test, part) for part in parts)
        return conditions[0] if len(parts) == 1 else Or(conditions), self._spelled(test, words, key, said, key == name)

    def _part(self, test: _TextTest, kind: str, key: str) -> str:
        """Choose the beginning, the end, or a word of a text."""
        text, rng = self._stater.choose_text(kind, key), self._rng
        match test:
            case "starts_with" if " " in text and rng.random() < 0.3:
                return text.split()[0]
            case "starts_with":
                found = text[: rng.choice((1, 1, 1, 2, 3))].strip()
            case "ends_with":
                found = (text.split()[-1] if rng.random() < 0.6 else text[-rng.choice((1, 2, 3, 4)) :]).strip()
            case "contains":
                found = self._choose([part for part in text.replace(",", " ").split() if part.isalpha()])
        if not found.isalnum() or (test == "contains" and len(found) < 3):
            raise NothingToSayError
        return found

    def _stated_part(self, test: _TextTest, part: str) -> str:
        stated = self._stater.quoted(part, 0.65)
        return f"the letter {stated}" if len(part) == 1 and test != "contains" and self._rng.random() < 0.4 else stated

    def _spelled(self, test: str, words: PropertyWords, key: str, stated: str, is_name: bool) -> Modifier:
        posts = self._posts(test, words, key, stated)
        if is_name:
            own = part_wordings("name", test, self._split)
            posts += tuple(text.replace("{v}", stated) for text in self._rng.sample(list(own), 2))
        return Modifier(posts=posts)

    def _except_names(self, variable: str, kind: str) -> tuple[list[Expression], Modifier]:
        name = self._schema.name_property(kind)
        if name is None:
            raise NothingToSayError
        found = list({self._stater.choose_text(kind, name) for _ in range(self._rng.choice((1, 1, 1, 2)))})
        conditions: list[Expression] = [Comparison("!=", Property(variable, name), Constant(text)) for text in found]
        stated = self._rng.choice((" and ", " and ", " or ")).join(self._stater.quoted(text, 0.1) for text in found)
        wordings = self._rng.sample(list(part_wordings("name", "except", self._split)), 2)
        return conditions, Modifier(posts=tuple(text.replace("{v}", stated) for text in wordings))

    def _item(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose(self._schema.keys(kind, ValueType.LIST))
        values = [value for value in self._schema.values[kind, key] if value]
        item = self._choose([text for value in values for text in value if isinstance(text, str)])
        condition = Comparison("in", Constant(item), Property(variable, key))
        words = self._schema.properties[kind, key]
        return condition, Modifier(posts=self._posts("has", words, key, self._stater.quoted(item)))

    def _flag(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose(self._schema.keys(kind, ValueType.BOOLEAN))
        words, holds = self._schema.properties[kind, key], self._rng.random() < 0.65
        condition = Comparison("=", Property(variable, key), Constant(holds))
        if not words.states:
            raise NothingToSayError
        state = self._rng.choice(words.states)
        phrase = state.rest
        if state.base:
            posts = (f"{'with' if holds else 'without'} {phrase}",) if state.base == "have" else ()
            return condition, Modifier("", posts, (Clause(state, "", not holds),))
        adjective = (
            phrase
            if holds
            else self._rng.choice((f"non-{phrase}", ""))
            if " " not in phrase and "-" not in phrase
            else ""
        )
        posts = (phrase if holds else f"not {phrase}",) if " " in phrase else ()
        return condition, Modifier(adjective if not posts else "", posts, (Clause(state, "", not holds),))

    def _missing(self, variable: str, kind: str) -> tuple[Expression, Modifier]:
        key = self._choose([
            key for key in self._schema.keys(kind, ValueType.STRING, *NUMBERS, *DATES)
            if not self._schema.properties[kind, key].nouns[0].is_plural
        ])  # fmt: skip
        is_missing = IsMissing(Property(variable, key))
        words = self._schema.properties[kind, key]
        if self._rng.random() < 0.65:
            return is_missing, Modifier(posts=self._posts("missing", words, key, ""))
        return Not(is_missing), Modifier(posts=self._posts("present", words, key, ""))
