"""Define the actions that build a query plan, one after the other.

A plan is a sequence of actions: a kind, steps along connections, conditions, then groups, sorts, and columns. Actions
name schema elements, values of the question, and variables by number.
"""

from enum import IntEnum
from typing import NamedTuple

MAX_VARIABLES = 8
MAX_COLUMNS = 4


class Op(IntEnum):
    """Name the action; the last ones point to something, so they need a number."""

    # Patterns
    SAME = 0  # the new node is a node that the pattern has already; the next action names it
    ANY_KIND = 1  # the new node may have any kind that the connection reaches
    DIFFERENT = 2  # the focus is not the node that the next action names
    EXISTS = 3
    NOT_EXISTS = 4
    COUNT_OF = 5
    CLOSE = 6
    # Conditions
    IS = 7  # the focus has this name
    NOT = 8
    OR = 9
    AND = 10
    EQUAL = 11
    UNEQUAL = 12
    LESS = 13
    AT_MOST = 14
    GREATER = 15
    AT_LEAST = 16
    BETWEEN = 17
    WITHIN = 18  # a period such as a decade
    ONE_OF = 19
    CONTAINS = 20
    STARTS_WITH = 21
    ENDS_WITH = 22
    MISSING = 23
    PRESENT = 24
    TRUE = 25
    FALSE = 26
    HAS_KIND = 27
    # Expressions
    YEAR = 28
    MONTH = 29
    DAY = 30
    SIZE = 31
    ADD = 32
    SUBTRACT = 33
    MULTIPLY = 34
    DIVIDE = 35
    # Groups
    GROUP = 36
    COUNT_ROWS = 37
    COUNT = 38
    COUNT_DISTINCT = 39
    SUM = 40
    AVERAGE = 41
    MIN = 42
    MAX = 43
    COLLECT = 44
    # Rows
    SORT = 45
    ASCENDING = 46
    DESCENDING = 47
    LIMIT = 48
    SKIP = 49
    THEN = 50  # the rows so far are the input of another stage
    RETURN = 51
    RETURN_DISTINCT = 52
    END = 53
    ZERO = 54  # constants that a question does not spell out
    ONE = 55
    # Pointers
    KIND = 56
    OUT = 57
    IN = 58
    BOTH = 59
    PROPERTY = 60
    VALUE = 61
    FOCUS = 62  # makes a variable the focus
    VARIABLE = 63
    COLUMN = 64


POINTERS = (Op.KIND, Op.OUT, Op.IN, Op.BOTH, Op.PROPERTY, Op.VALUE, Op.FOCUS, Op.VARIABLE, Op.COLUMN)
FIXED = 56
"""The number of actions that are not pointers."""

STEPS = (Op.OUT, Op.IN, Op.BOTH)
SUBPATTERNS = (Op.EXISTS, Op.NOT_EXISTS, Op.COUNT_OF)
DATE_PARTS = (Op.YEAR, Op.MONTH, Op.DAY)
ARITHMETIC = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE)
AGGREGATES = (Op.COUNT, Op.COUNT_DISTINCT, Op.SUM, Op.AVERAGE, Op.MIN, Op.MAX, Op.COLLECT)
"""The aggregates that read an expression; COUNT_ROWS reads none."""


class Action(NamedTuple):
    """Hold an action, and the number of what it points to."""

    op: Op
    number: int = 0
