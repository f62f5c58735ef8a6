"""Ask questions about other values, so that a model does not learn the names in published questions by heart."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from graph.plan.algebra import Constant
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from training.planning.compared_constants import compared_constants

_PERSON = re.compile(r"[A-ZÀ-Þ][\w'’-]+ [A-ZÀ-Þ][\w'’-]+")
_MOST = 0.75  # of the samples, for a property to hold names of two words
_YEARS = range(1800, 2101)


@dataclass
class NamePool:
    """Hold the names of many schemas, by form: the parts of names of two words, and all other capitalised names."""

    firsts: list[str] = field(default_factory=list)
    lasts: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, schemas: Mapping[str, GraphSchema]) -> "NamePool":
        """Collect the samples of all naming properties."""
        pool = cls()
        for schema in schemas.values():
            for kind in schema.kinds.values():
                if kind.name_property is None:
                    continue
                texts = [one for one in kind.properties[kind.name_property].samples if isinstance(one, str)]
                if _are_people(texts):
                    pairs = [one.split(" ", 1) for one in texts if _PERSON.fullmatch(one)]
                    pool.firsts += [first for first, _ in pairs]
                    pool.lasts += [last for _, last in pairs]
                else:
                    pool.others += [one for one in texts if one[:1].isupper() and not _has_digit(one)]
        return pool

    def person(self, rng: random.Random) -> str:
        """Return a name of two words."""
        return f"{rng.choice(self.firsts)} {rng.choice(self.lasts)}"


def refilled_questions(questions: PlanQuestionSet, share: float, seed: int) -> PlanQuestionSet:
    """Ask a share of the questions about other values of the same form; the others stay as they are."""
    rng, pool = random.Random(seed), NamePool.of(questions.schemas)
    asked = [
        _refilled(one, questions.schemas[one.schema], pool, rng) if rng.random() < share else one
        for one in questions.questions
    ]
    return replace(questions, questions=asked)


def other_text(value: str, samples: Sequence[Any], pool: NamePool, rng: random.Random) -> str | None:
    """Return another text of the form of one of a property's values; None if there is none."""
    texts = [one for one in samples if isinstance(one, str)]
    if _has_digit(value):
        return re.sub(r"\d", lambda digit: str(rng.randint(int(digit[0] != "0"), 9)), value)
    if _PERSON.fullmatch(value) and _are_people(texts):
        return pool.person(rng)
    if value[:1].isupper() and " " in value and pool.others:
        return rng.choice(pool.others)
    others = [one for one in texts if one != value and one[:1].isupper() == value[:1].isupper()]
    return rng.choice(others) if others else None


def _refilled(asked: PlanQuestion, schema: GraphSchema, pool: NamePool, rng: random.Random) -> PlanQuestion:
    new_values: dict[Any, str | int] = {}
    new_words: dict[str, str] = {}
    for value, samples in _compared(asked, schema):
        if value in new_values:
            continue
        new = other_text(value, samples, pool, rng) if isinstance(value, str) else _new_number(value, rng)
        if new is None or new in new_values.values():
            continue
        replacements = _forms(str(value), str(new))
        said = next((old for old in replacements if _occurs(old, asked.question)), None)
        if said is not None and said.lower() not in map(str.lower, new_words):
            new_words[said], new_values[value] = replacements[said], new

    def new_item(value: Any) -> Any:
        return new_values.get(value, value) if _is_plain(value) else value

    def part(one: Any) -> Any:
        if not isinstance(one, Constant):
            return None
        return Constant(tuple(map(new_item, one.value)) if isinstance(one.value, tuple) else new_item(one.value))

    if not new_values:
        return asked
    return replace(asked, question=_replaced(asked.question, new_words), plan=rewrite(asked.plan, part))


def _compared(asked: PlanQuestion, schema: GraphSchema) -> Iterator[tuple[str | int, Sequence[Any]]]:
    """Yield the texts and whole numbers that properties are compared with, with samples of these properties."""
    for (kind, key), value in compared_constants(asked.plan):
        if _is_plain(value):
            described = schema.kinds[kind].properties.get(key) if kind in schema.kinds else None
            yield value, described.samples if described is not None else ()


def _is_plain(value: Any) -> TypeGuard[str | int]:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _new_number(value: int, rng: random.Random) -> int | None:
    """Return a number of about the same size; years stay, since events have their own."""
    return None if value in _YEARS or value < 3 else rng.randint(max(2, value // 2), 2 * value)


def _forms(old: str, new: str) -> dict[str, str]:
    """Return how people may say a name, with how they would say the other one: whole, or a part of two words."""
    forms: dict[str, str] = {old: new}
    if _PERSON.fullmatch(old) and _PERSON.fullmatch(new):
        forms |= dict(zip(old.split(" ", 1), new.split(" ", 1), strict=True))
    return forms


def _pattern(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern with a group for each text."""
    found = "|".join(f"({re.escape(text)})" for text in texts)
    return re.compile(rf"(?<![\w.])(?:{found})(?![\w]|\.\d)", re.IGNORECASE)


def _occurs(text: str, question: str) -> bool:
    return _pattern((text,)).search(question) is not None


def _replaced(question: str, new_words: Mapping[str, str]) -> str:
    """Replace names at once, so that none replaces a new one; in lower case where the question writes them so."""
    olds = sorted(new_words, key=len, reverse=True)

    def new(said: re.Match[str]) -> str:
        word = new_words[olds[(said.lastindex or 1) - 1]]
        return word.lower() if said[0][0].islower() else word

    return _pattern(olds).sub(new, question)


def _are_people(texts: Sequence[str]) -> bool:
    """Return whether most samples have the form of first and last names."""
    return bool(texts) and sum(bool(_PERSON.fullmatch(one)) for one in texts) >= _MOST * len(texts)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)
