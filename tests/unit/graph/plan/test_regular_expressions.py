"""Regular expressions match whole strings as Java does."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.algebra import Column, Comparison, Constant, Expression, Match, NodePattern, Plan, Project, Variable
from graph.plan.checks import check_plan
from graph.plan.regular_expressions import read_regular_expression
from graph.plan.schema import GraphSchema, KindSchema
from graph.sqlite.pattern_matching import matches
from shared.errors import InvalidInputError


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("", "a", False),
        (".*", "", True),
        (".*b.*", "abc", True),
        (".*b.*", "a\nb", False),
        (".", "\u2028", False),
        (".", "\u0085", False),
        ("(?s).*b", "a\nb", True),
        (".", "😀", True),
        ("(?i)k", "K", True),
        ("(?i)k", "\u212a", False),
        ("(?i)é", "É", False),
        ("(?i)[a-c]+", "aBC", True),
        ("(?i)[^a]", "A", False),
        ("[D|d]onor", "|onor", True),
        ("[a-]+", "a-", True),
        (r"[\]\\]+", "]\\", True),
        (r"\d{2,3}", "12", True),
        (r"\d{2,3}", "1234", False),
        (r"\d{2,}", "1234", True),
        (r"\w+", "é", False),
        (r"\s", "\x0b", True),
        (r"a\.b", "a.b", True),
        (r"a\.b", "axb", False),
        ("a|bc", "bc", True),
        ("(?:a|b)c?", "b", True),
        ("(ab)?c", "abc", True),
        ("^a$", "a", True),
        ("a$", "a\n", False),
        ("a{0}", "", True),
        ("a*?b+?", "aabb", True),
    ],
)
def test_a_pattern_matches_the_whole_string(pattern: str, text: str, expected: bool) -> None:
    assert matches(text, pattern) is expected


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a+)+b", "a repeated group at character 6"),
        ("(a|b){2}", "a repeated group"),
        ("a*+", "a possessive or a second quantifier"),
        ("a**", "a possessive or a second quantifier"),
        ("(?:" * 21 + "a" + ")" * 21, "more than 20 groups within each other"),
        ("a{101}", "a quantifier above 100"),
        ("a{2,1}", "a malformed quantifier"),
        ("a{", "a malformed quantifier"),
        ("(?=a)a", "a special group"),
        ("(?iu)a", "a special group"),
        ("(a", "a group without an end"),
        ("a)", "an unexpected character"),
        ("[a", "an end that is too early"),
        ("[]", "an empty class"),
        ("[a&&b]", "an unsupported class"),
        ("[[a]]", "an unsupported class"),
        ("[b-a]", "a malformed range"),
        (r"[\d-z]", "a malformed range"),
        (r"(a)\1", "an unsupported escape"),
        (r"\bword\b", "an unsupported escape"),
        ("a\\", "an end that is too early"),
        ("*a", "a misplaced special character"),
        ("a$b", "a misplaced special character"),
        ("a" * 501, "more than 500 characters"),
    ],
)
def test_other_patterns_are_refused(pattern: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(problem)):
        read_regular_expression(pattern)


_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", "(a|bc)?", "(?:b)?", r"\d", r"\W", "c?", "b{1,2}", "a{2}"])
_OPEN = st.sampled_from(["a*", "b+", "[a-c]*", r"\w+"])


@given(st.lists(_ATOMS, max_size=5), _OPEN, st.lists(_ATOMS, max_size=3), st.text("abc1-\n", max_size=8), st.booleans())
def test_python_agrees_on_what_both_know(before: list[str], middle: str, after: list[str], text: str, i: bool) -> None:
    pattern = ("(?i)" if i else "") + "".join((*before, middle, *after, "|", *after))
    with contextlib.suppress(InvalidInputError):  # it may take too many steps
        assert matches(text, pattern) is (re.fullmatch(pattern, text, re.ASCII) is not None)


def _check(pattern: Expression, ignore_case: bool = False) -> None:
    column = Column("x", Comparison("matches", Constant("a"), pattern, ignore_case))
    plan = Plan((Match((NodePattern("p"),)), Project((column,))))
    check_plan(plan, GraphSchema({"Person": KindSchema(1, {})}, {}))


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (Constant("(a*)*"), r"steps.1.columns.0.value: the regular expression '\(a\*\)\*' has a repeated group"),
        (Constant(1), "the right side of matches must be a constant string"),
        (Variable("p"), "matches"),
    ],
)
def test_a_plan_with_another_pattern_is_rejected(pattern: Expression, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        _check(pattern)


def test_the_pattern_itself_says_whether_case_counts() -> None:
    _check(Constant("(?i)a"))
    with pytest.raises(InvalidInputError, match="ignore_case does not apply to 'matches'"):
        _check(Constant("a"), ignore_case=True)
