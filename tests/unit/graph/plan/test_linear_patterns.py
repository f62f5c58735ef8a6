"""Rewritten regular expressions match the same strings, in a number of steps that is known before."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graph.plan.algebra import Column, Comparison, Constant, Match, NodePattern, Plan, Project
from graph.plan.checks import check_plan
from graph.plan.linear_patterns import MAX_STEPS, MAX_STEPS_PER_CHARACTER, LinearPattern, linear_pattern
from graph.plan.schema import GraphSchema, KindSchema
from shared.errors import InvalidInputError
from tests.support.backtracking import CountingMatcher

_DOT = "[^\n\r\x85\u2028\u2029]"


@pytest.mark.parametrize(
    ("pattern", "rewritten"),
    [
        ("[a-z]*1", "[a-z]*+1"),
        ("[A-Z][a-z]+ [0-9]{2,4}", r"[A-Z][a-z]++\ [0-9]{2,4}+"),
        (
            r"(?s).*ab.*c.*",
            "(?>[\x00-\U0010ffff]*?ab)(?>[\x00-\U0010ffff]*?c)[\x00-\U0010ffff]*+".replace("\0", r"\x00"),
        ),
        ("a?" * 40, "a{0,40}+"),
        ("(?:a|b)?" * 20 + "c", "[a-b]{0,20}+c"),
        ("[ab]*a+[ab]*", "(?>[a-b]*?a)[a-b]*+"),
        ("(?:ab|c)?d", "(?>(?:ab|c)?)d"),
        (r"[^\d\n]", r"[^\x0a0-9]"),
        (r"[\S\s]", "[\\x00-\U0010ffff]"),
    ],
)
def test_what_gives_nothing_back_is_kept(pattern: str, rewritten: str) -> None:
    assert linear_pattern(pattern).text == rewritten


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i).*(war|peace).*",
        "(?i)^the .*$",
        ".*a.*e.*i.*o.*u.*",
        "[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+",
        r".*\(\d+\).*",
        r".*, \w+",
        r"\d{4}-\d{2}-\d{2}(T.*)?",
        "(?i).*(north|south|east|west) .*",
        ".*(II|III|IV)",
        ".{0,99}" * 20,
        r"[\w.]+@[\w]+\.[a-z]{2,3}",
        "(19|20)[0-9]{2}.*",
    ],
)
def test_ordinary_patterns_are_allowed(pattern: str) -> None:
    found = linear_pattern(pattern)
    assert found.fixed_steps <= 10_000
    assert found.steps_per_character <= 1_000


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(?:ab|c)?" * 30, "choices that multiply to 411,782,264,189,296 steps, more than 10,000"),
        ("a.{0,99}b.{0,99}c.{0,99}d", "steps, more than 10,000"),
        ("".join(f"[a-{last}]{{0,9}}" for last in "ghijklmn") + "x", "steps, more than 10,000"),
        ("".join(f"(?:{char}|{char}{char})" for char in "abcdefghijklmnopq"), "choices that multiply"),
        (".*(?:a.{0,30}b.{0,30}c|d)", "steps for each character of a string, more than 1,000"),
        (r".*Mc\w+", "quantifiers without an upper bound that overlap each other"),
        (r".*foo\w*bar", "quantifiers without an upper bound that overlap each other"),
        (".*(abcd|b).*d", "quantifiers without an upper bound that overlap each other"),
        ("a*b?a*b?a*c", "quantifiers without an upper bound that overlap each other"),
    ],
)
def test_patterns_that_may_take_long_are_refused(pattern: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(problem)):
        linear_pattern(pattern)


def test_a_plan_says_where_its_pattern_is_and_what_is_too_large() -> None:
    column = Column("x", Comparison("matches", Constant("a"), Constant("(?:ab|c)?" * 30)))
    plan = Plan((Match((NodePattern("p"),)), Project((column,))))
    with pytest.raises(InvalidInputError, match=r"^steps\.1\.columns\.0\.value: the regular expression .* multiply to"):
        check_plan(plan, GraphSchema({"Person": KindSchema(1, {})}, {}))


_SINGLE = st.sampled_from(["a", "b", "c", "[ab]", "[^a]", r"\w", ".", "."])
_QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{1,2}", "{2}", "{0,3}", "*?", "{2,}"])
_RUNS = st.builds("".join, st.tuples(_SINGLE, _QUANTIFIERS))


def _groups(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    branches = st.lists(st.lists(parts, max_size=3).map("".join), min_size=1, max_size=3).map("|".join)
    return st.tuples(branches, st.sampled_from(["", "?"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}")


_PARTS = st.recursive(_RUNS, lambda parts: st.one_of(_RUNS, _groups(parts)), max_leaves=6)
_PATTERNS = st.lists(st.lists(_PARTS, max_size=6).map("".join), min_size=1, max_size=2).map("|".join)
_TEXTS = st.one_of(
    st.text("abc\n-", max_size=10), st.tuples(st.text("abc", min_size=1, max_size=3), st.integers(1, 20)).map(
        lambda pair: pair[0] * pair[1] + "\n"
    )
)  # fmt: skip


def _allowed(pattern: str) -> LinearPattern | None:
    try:
        return linear_pattern(pattern)
    except InvalidInputError:
        return None


@given(_PATTERNS, st.lists(_TEXTS, min_size=1, max_size=5))
def test_the_same_strings_match_within_the_bound(pattern: str, texts: list[str]) -> None:
    found = _allowed(pattern)
    assume(found is not None)
    assert found is not None
    original = re.compile(pattern.replace(".", _DOT), re.ASCII)
    rewritten, counting = re.compile(found.text), CountingMatcher(found.text)

    for text in texts:
        expected = len(text) < 12 and original.fullmatch(text) is not None
        if len(text) < 12:
            assert (rewritten.fullmatch(text) is not None) is expected
            assert counting.matches(text) is expected
        counting.matches(text)
        assert counting.steps <= found.fixed_steps + found.steps_per_character * len(text)


@pytest.mark.parametrize("pattern", [".*a.*b.*c?", "(?i).*(war|peace).*", r".*\(\d+\).*", ".{0,99}x"])
def test_steps_grow_as_the_string_does(pattern: str) -> None:
    found = linear_pattern(pattern)
    matcher = CountingMatcher(found.text)
    steps = []
    for length in (20, 40, 80):
        matcher.matches("a(1" * (length // 2) + "\n")
        steps.append(matcher.steps)

    assert steps[2] - steps[1] <= 2 * (steps[1] - steps[0]) + MAX_STEPS // 100
    assert found.fixed_steps <= MAX_STEPS
    assert found.steps_per_character <= MAX_STEPS_PER_CHARACTER
