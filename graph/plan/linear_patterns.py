"""Rewrite regular expressions so that matchers that backtrack need few steps for each character of a string.

Both stores have such matchers, and cannot end a match early. The new expression matches the same whole strings. Where
the next character decides, it gives nothing back (`a*b` becomes `a*+b`); where anything may come before and after some
text, the first occurrence of the text is kept (`.*a.*b` becomes `(?>.*?a).*b`). What remains may be tried in several
ways, of which each may lead to all ways of the next part: their product is an upper bound of the steps. An expression
whose bound is too large, or grows faster than the string, is refused.
"""

import itertools
from dataclasses import dataclass
from functools import lru_cache

from graph.plan.character_ranges import Ranges, are_disjoint, class_text, covers
from graph.plan.pattern_parts import Group, Items, Run, Word, first_of, may_be_empty, runs_of, simplified, words_of
from graph.plan.regular_expressions import read_regular_expression
from shared.errors import InvalidInputError
from shared.text import shown

MAX_STEPS, MAX_STEPS_PER_CHARACTER = 10_000, 1_000
_MAX_WORDS = 64


class _GrowsTooFastError(Exception):
    """Raised if the steps grow faster than the length of the string."""


@dataclass(frozen=True, slots=True)
class _Number:
    """Bound a number of steps or ways: `fixed` plus `each` for each character of the string."""

    fixed: int
    each: int = 0

    def __add__(self, other: "_Number") -> "_Number":
        return _Number(self.fixed + other.fixed, self.each + other.each)

    def __mul__(self, other: "_Number") -> "_Number":
        if self.each and other.each:
            raise _GrowsTooFastError
        return _Number(self.fixed * other.fixed, self.fixed * other.each + self.each * other.fixed)


_ONE = _Number(1)


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """Hold the text of a part, the steps to find all ways in which it matches at one place, and their number."""

    text: str
    steps: _Number
    ways: _Number = _ONE

    def before(self, other: "_Rewritten") -> "_Rewritten":
        return _Rewritten(self.text + other.text, self.steps + self.ways * other.steps, self.ways * other.ways)


@dataclass(frozen=True, slots=True)
class LinearPattern:
    """Hold a rewritten expression, in the syntax of both Java and Python, and the largest number of steps it takes.

    The number is `fixed_steps`, plus `steps_per_character` for each character of the string.
    """

    text: str
    fixed_steps: int
    steps_per_character: int


@lru_cache(maxsize=256)
def linear_pattern(text: str) -> LinearPattern:
    """Return an expression that matches the same whole strings in few steps.

    Raises:
        InvalidInputError: The expression is malformed, is not supported, or may need too many steps.

    Example:
        >>> linear_pattern("[a-z]*1").text
        '[a-z]*+1'
    """
    try:
        found = [_sequence(branch, (), is_last=True) for branch in simplified(read_regular_expression(text))]
    except _GrowsTooFastError:
        raise _refusal(text, "quantifiers without an upper bound that overlap each other") from None
    steps = sum((one.steps for one in found), _Number(0))
    for number, most, unit in (
        (steps.fixed, MAX_STEPS, ""),
        (steps.each, MAX_STEPS_PER_CHARACTER, " for each character of a string"),
    ):
        if number > most:
            raise _refusal(text, f"choices that multiply to {number:,} steps{unit}, more than {most:,}")
    return LinearPattern("|".join(one.text for one in found), steps.fixed, steps.each)


def _refusal(text: str, problem: str) -> InvalidInputError:
    return InvalidInputError(
        f"the regular expression {shown(text)} has {problem}; use fewer or smaller quantifiers and alternatives"
    )


def _sequence(items: Items, follow: Ranges, is_last: bool = False) -> _Rewritten:
    """Rewrite parts that match one after the other; `is_last` if the string ends after them."""
    found, place = _Rewritten("", _Number(0)), 0
    while place < len(items):
        item, after = items[place], first_of(items[place + 1 :], follow)
        one = None
        if isinstance(item, Run) and item.is_open and not are_disjoint(item.ranges, after):
            end = _next_gap(items, place)
            one = _first_occurrence(item, items[place + 1 : end], items[end:], follow, is_last) if end else None
            if one is None and is_last and any(run.is_open for run in runs_of(items[place + 1 :])):
                one, end = _anchored(item, items[place + 1 :], ()), len(items)
            place = end if one is not None and end else place + 1
        else:
            place += 1
        found = found.before(one or _item(item, after))
    return found


def _next_gap(items: Items, place: int) -> int:
    """Return where the next run is that matches all that may come before it from `place`; 0 if there is none."""
    passed: list[Ranges] = []
    for end in range(place, len(items)):
        item = items[end]
        if end > place and isinstance(item, Run) and item.is_open and all(covers(item.ranges, one) for one in passed):
            return end
        passed += [run.ranges for run in runs_of((item,))]
    return 0


def _first_occurrence(gap: Run, sought: Items, rest: Items, follow: Ranges, is_last: bool) -> _Rewritten | None:
    """Keep the first occurrence of what is sought after a gap; None if that could miss a match.

    The gap before `rest` matches all that lies between the first and any later occurrence. If nothing follows that gap,
    any occurrence will do.
    """
    is_enough = is_last and len(rest) == 1 and isinstance(rest[0], Run) and rest[0].low == 0
    if not is_enough and not _ends_in_order(words_of(sought, _MAX_WORDS)):
        return None
    after = first_of(rest, follow)
    if any(run.is_open for run in runs_of(sought)):
        found = _anchored(gap, sought, after)
    else:
        one = _sequence(sought, after)
        found = _Rewritten(_run_text(gap) + "?" + one.text, _each_place(gap) * (_ONE + one.steps))
    return found and _Rewritten(f"(?>{found.text})", found.steps)


def _ends_in_order(words: list[Word] | None) -> bool:
    """Return whether the occurrence that starts first also ends first: no word can lie within another before its end.

    Two words then cannot start at the same place either, unless they have the same length.
    """
    if words is None:
        return False
    return not any(
        all(not are_disjoint(one, other) for one, other in zip(word[start:], inner, strict=False))
        for word in words
        for inner in words
        for start in range(len(word) - len(inner))
    )


def _anchored(gap: Run, sought: Items, after: Ranges) -> _Rewritten | None:
    """Look for parts with open runs at each place of a gap; None if that could read the same characters too often.

    The parts must match in one way, and begin with characters of fixed number of which one set is within no open run:
    where the parts match, they can then begin again only at as many places as they have other characters.
    """
    one = _sequence(sought, after)
    opened = [run.ranges for run in runs_of(sought) if run.is_open]
    fixed = itertools.takewhile(lambda item: isinstance(item, Run) and item.is_fixed, sought)
    if one.ways != _ONE or not any(
        all(are_disjoint(run.ranges, each) for each in opened) for run in runs_of(tuple(fixed))
    ):
        return None
    others = sum(run.low if run.high is None else run.high for run in runs_of(sought))
    at_each_place = _ONE + _Number(one.steps.fixed + one.steps.each * (2 * others + 1))
    return _Rewritten(_run_text(gap) + "?" + one.text, _each_place(gap) * at_each_place)


def _each_place(gap: Run) -> _Number:
    """Return the steps of a gap, which are as many as the places after it."""
    return _Number(gap.low + 1, 1) * _Number(max(1, len(gap.ranges)))


def _item(item: Run | Group, after: Ranges) -> _Rewritten:
    if isinstance(item, Run):
        return _run(item, after)
    branches = [_sequence(branch, after) for branch in item.branches]
    steps = sum((one.steps for one in branches), _ONE)
    text = f"(?:{'|'.join(one.text for one in branches)}){'?' * item.is_optional}"
    if _is_decided(item, after) and all(one.ways == _ONE for one in branches):
        return _Rewritten(f"(?>{text})", steps)
    return _Rewritten(text, steps, sum((one.ways for one in branches), _Number(item.is_optional)))


def _is_decided(group: Group, after: Ranges) -> bool:
    """Return whether the next character decides which branch of a group can lead to a match."""
    if any(map(may_be_empty, group.branches if group.is_optional else group.branches[:-1])):
        return False
    sets = [first_of(branch, after) for branch in group.branches] + [after] * group.is_optional
    return all(are_disjoint(one, other) for one, other in itertools.combinations(sets, 2))


def _run(run: Run, after: Ranges) -> _Rewritten:
    text, size = _run_text(run), max(1, len(run.ranges))
    steps = _Number(run.low + 1, 1) if run.high is None else _Number(run.high)
    steps *= _Number(size)
    if run.is_fixed:
        return _Rewritten(text, steps)
    if are_disjoint(run.ranges, after):
        return _Rewritten(text + "+", steps)
    return _Rewritten(text, steps, _ONE + (_Number(0, 1) if run.high is None else _Number(run.high - run.low)))


def _run_text(run: Run) -> str:
    names = {(1, 1): "", (0, 1): "?", (0, None): "*", (1, None): "+"}
    if (bounds := (run.low, run.high)) in names:
        return class_text(run.ranges) + names[bounds]
    high = "" if run.high is None else run.high
    return class_text(run.ranges) + (f"{{{run.low}}}" if run.is_fixed else f"{{{run.low},{high}}}")
