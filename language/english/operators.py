"""Find the operators of a question, such as "how many" and "not", and say whether a plan expresses them."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_AGGREGATES = frozenset(("sum", "average"))


@dataclass(frozen=True, slots=True)
class Operator:
    """Describe an operator.

    Attributes:
        pattern: Its phrases.
        wanted: The actions and structures, in lower case, of which a plan that expresses it has one.
        unless: Those of which such a plan has none.
        only_plans: Whether only plans are held to it. Trained relation paths know better what such a word means.
        is_beyond_plans: Whether no plan can express it.
    """

    pattern: re.Pattern[str]
    wanted: frozenset[str]
    unless: frozenset[str]
    only_plans: bool
    is_beyond_plans: bool = False

    def is_read(self, features: frozenset[str]) -> bool:
        """Return whether a plan with these actions and structures expresses the operator."""
        return not features.isdisjoint(self.wanted) and features.isdisjoint(self.unless)


OPERATORS = tuple(
    Operator(
        re.compile(rf"(?<![\w'])(?:{'|'.join(one['phrases'])})(?![\w'])", re.IGNORECASE),
        frozenset(one["actions"]),
        frozenset(one.get("unless", ())),
        one.get("only_plans", False),
        one.get("beyond_plans", False),
    )
    for one in _TABLE["operators"]
)


def operator_words(question: str) -> frozenset[str]:
    """Return the words and phrases of a question that a relation path cannot express, in lower case."""
    return frozenset(phrase for one in OPERATORS if not one.only_plans for phrase in _phrases(one, question))


def aggregate_words(question: str) -> frozenset[str]:
    """Return the words and phrases of a question that ask for one number, such as "how many", in lower case."""
    return frozenset(
        phrase
        for one in OPERATORS
        if not one.only_plans and not _AGGREGATES.isdisjoint(one.wanted)
        for phrase in _phrases(one, question)
    )


def operator_spans(question: str) -> list[tuple[int, int]]:
    """Return where a question has operators."""
    return [found.span() for one in OPERATORS for found in one.pattern.finditer(question)]


def _phrases(operator: Operator, question: str) -> Iterator[str]:
    return (found.group().lower() for found in operator.pattern.finditer(question))
