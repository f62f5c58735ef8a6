"""Records of the log begin at the margin, whatever they quote."""

import logging
import sys

import pytest
from hypothesis import given

from shared.logs import LineFormatter
from tests.support.hostile_names import HOSTILE_NAMES, REORDERING, names_with_markup


def written(message: str, *arguments: object) -> str:
    return LineFormatter().format(logging.LogRecord("kgqa", logging.WARNING, "f", 1, message, arguments, None))


@given(names_with_markup())
def test_a_name_cannot_begin_a_record(name: str) -> None:
    first, *rest = written("left out %s id=1", name).split("\n")
    assert " WARNING kgqa left out " in first
    assert all(line.startswith("  ") for line in rest)
    assert not any(one in REORDERING or (ord(one) < 32 or 127 <= ord(one) < 160) for one in "".join([first, *rest]))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_traceback_that_quotes_a_name_is_indented(name: str) -> None:
    try:
        raise ValueError(name)
    except ValueError:
        record = logging.LogRecord("kgqa", logging.ERROR, "f", 1, "unexpected", (), sys.exc_info())
    first, *rest = LineFormatter().format(record).split("\n")
    assert first.endswith("ERROR kgqa unexpected")
    assert rest[0] == "  Traceback (most recent call last):"
    assert all(line.startswith("  ") for line in rest)


def test_an_ordinary_record_is_one_line() -> None:
    assert written("%s %d", "/ask", 200).endswith(" WARNING kgqa /ask 200")
