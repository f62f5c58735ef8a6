"""Name what the next action of a plan must begin or continue.

Every finished sequence of actions follows this grammar. Names in upper case are actions. The types of properties,
columns, and values restrict the choice further.

    plan        = KIND pattern rows
    pattern     = { step | condition | focus | KIND }            KIND only once before THEN
    step        = ( OUT | IN | BOTH ) [ SAME VARIABLE | ANY_KIND ]
    focus       = FOCUS                                          followed by what starts from the focus
    condition   = IS VALUE | DIFFERENT VARIABLE | HAS_KIND KIND
                | NOT condition | OR condition condition | AND condition condition
                | ( EXISTS | NOT_EXISTS ) pattern CLOSE
                | COUNT_OF pattern CLOSE comparison
                | expression comparison
    comparison  = MISSING | PRESENT | TRUE | FALSE | WITHIN VALUE
                | ONE_OF VALUE { VALUE } CLOSE
                | BETWEEN operand operand | operator operand
    operator    = EQUAL | UNEQUAL | LESS | AT_MOST | GREATER | AT_LEAST | CONTAINS | STARTS_WITH | ENDS_WITH
    operand     = constant | [ focus ] PROPERTY | COLUMN
    constant    = VALUE | ZERO | ONE
    expression  = [ focus ] PROPERTY | COLUMN | VARIABLE
                | ( YEAR | MONTH | DAY | SIZE ) operand
                | ( ADD | SUBTRACT | MULTIPLY | DIVIDE ) operand operand
    rows        = [ group ] { sort } [ limit ] ( THEN pattern rows | result )
    group       = GROUP { expression } aggregate { aggregate } { COLUMN comparison }
    aggregate   = COUNT_ROWS | ( COUNT | COUNT_DISTINCT | SUM | AVERAGE | MIN | MAX | COLLECT ) expression
    sort        = SORT ( expression | COUNT_OF pattern CLOSE ) ( ASCENDING | DESCENDING )
    limit       = LIMIT constant [ SKIP constant ]
    result      = END | ( RETURN | RETURN_DISTINCT ) expression { expression } END
"""

from enum import Enum, auto

from services.retriever.plans.grammar.actions import ARITHMETIC, DATE_PARTS, Op


class Expected(Enum):
    """Name what the next action must begin or continue."""

    START = auto()  # the first node of a plan
    PATTERN = auto()  # steps and conditions of a pattern
    CONDITION = auto()
    COMPARISON = auto()  # the operator after the left side
    OPERAND = auto()  # the right side
    RANGE = auto()  # a period
    ITEMS = auto()  # the further values of a list
    NAME = auto()  # the name of a node
    NODE = auto()  # a variable that holds a node
    NAMED_KIND = auto()
    INNER_KIND = auto()  # a named kind in a part of a condition, which does not hold for all rows
    DATE = auto()  # an expression with a date
    NUMBER = auto()  # an expression with a number
    SIZED = auto()  # an expression with a list or a text
    MEASURE = auto()  # an expression that an aggregate reads
    KEYS = auto()
    AGGREGATED = auto()  # further aggregates, conditions on them, or what follows a group
    HAVING = auto()  # further conditions on aggregates, or what follows a group
    SORT_KEY = auto()
    DIRECTION = auto()
    SORTED = auto()
    LIMIT = auto()
    LIMITED = auto()
    SKIP = auto()
    SKIPPED = auto()
    COLUMNS = auto()
    MORE_COLUMNS = auto()


AFTER_EXPRESSION = {
    Expected.PATTERN: (Expected.PATTERN, Expected.COMPARISON),
    Expected.CONDITION: (Expected.COMPARISON,),
    Expected.AGGREGATED: (Expected.HAVING, Expected.COMPARISON),
    Expected.HAVING: (Expected.HAVING, Expected.COMPARISON),
    Expected.KEYS: (Expected.KEYS,),
    Expected.SORT_KEY: (Expected.SORTED, Expected.DIRECTION),
    Expected.COLUMNS: (Expected.MORE_COLUMNS,),
    Expected.MORE_COLUMNS: (Expected.MORE_COLUMNS,),
}
"""Expectations after an expression, by the construct that the expression is a part of."""

PARTS_OF_CONDITIONS = {
    Op.IS: (Expected.NAME,), Op.DIFFERENT: (Expected.NODE,), Op.HAS_KIND: (Expected.NAMED_KIND,),
    Op.NOT: (Expected.CONDITION,), Op.OR: (Expected.CONDITION,) * 2, Op.AND: (Expected.CONDITION,) * 2,
}  # fmt: skip
UNARY_COMPARISONS = (Op.TRUE, Op.FALSE, Op.MISSING, Op.PRESENT)
OPERANDS: dict[Op, tuple[Expected, ...]] = {
    **dict.fromkeys(UNARY_COMPARISONS, ()),
    Op.WITHIN: (Expected.RANGE,), Op.BETWEEN: (Expected.OPERAND,) * 2, Op.ONE_OF: (Expected.ITEMS,),
    **dict.fromkeys(DATE_PARTS, (Expected.DATE,)), Op.SIZE: (Expected.SIZED,),
    **dict.fromkeys(ARITHMETIC, (Expected.NUMBER,) * 2),
}  # fmt: skip
ROW_OPERANDS = {Op.SORT: Expected.SORT_KEY, Op.LIMIT: Expected.LIMIT, Op.SKIP: Expected.SKIP}
