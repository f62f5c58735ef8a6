"""Infer the type of a property's content, and read properties as that type.

Real graphs keep numbers and dates as strings: `"32.38"`, `"1996-08-01 00:00:00.000"`, and `"NULL"` where there is none.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from shared.plan.algebra import (
    Call,
    Expression,
    Function,
    Plan,
    Property,
    Step,
)
from shared.plan.duration_order import with_duration_order
from shared.plan.schema import EpochUnit, GraphSchema
from shared.plan.scope import DATES, NUMBERS, Scope, declared_properties
from shared.plan.scoped_rewriting import rewrite_expression, rewrite_plan, rewrite_step
from shared.plan.text_functions import LEADING_DATE, TIME_OF_DAY, UTC_OFFSET, integer_in, is_date_outside, number_in
from shared.plan.values import Value, ValueType, type_of

# Strings that stand for a missing value.
_PLACEHOLDERS = {"", "null", "none", "n/a", "na", "nan", "-", "unknown"}
# Words in the names of properties whose digits are not numbers.
_CODES = {
    "id",
    "code",
    "zip",
    "zipcode",
    "postal",
    "postcode",
    "postalcode",
    "phone",
    "phonenumber",
    "fax",
    "tel",
    "telephone",
    "mobile",
    "isbn",
    "ssn",
    "uuid",
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Leading zeros, and the plus sign of an international telephone number.
_NO_NUMBER = re.compile(r"[+-]?0[0-9]|\+[0-9]{7}")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?Z?")
_TIME = re.compile(f"{TIME_OF_DAY}({UTC_OFFSET})?")
_DAY_SHAPE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9])"
_FITTING, _FEW = 10, 50
_TITLES = {"name", "title", "label", "caption"}
_TRUTH_VALUES = {"true", "false"}
_CONVERSIONS = {
    ValueType.INTEGER: Function.TO_INTEGER,
    ValueType.FLOAT: Function.TO_FLOAT,
    ValueType.BOOLEAN: Function.TO_BOOLEAN,
    ValueType.DATE: Function.TO_DATE,
    ValueType.DATETIME: Function.TO_DATETIME,
    ValueType.STRING: Function.TO_STRING,
}

_EPOCHS = {
    EpochUnit.SECONDS: Function.FROM_EPOCH_SECONDS,
    EpochUnit.MILLISECONDS: Function.FROM_EPOCH_MILLISECONDS,
}


def words_of(identifier: str) -> list[str]:
    """Split an identifier into lower-case words.

    Example:
        >>> words_of("reorderLevel"), words_of("display_name"), words_of("orderID")
        (['reorder', 'level'], ['display', 'name'], ['order', 'id'])
    """
    return [word.lower() for word in _WORD.findall(identifier)]


def content_type(key: str, values: Iterable[Value]) -> ValueType | None:
    """Return the type of the content of a property with this name; None if the values have different types.

    Identifiers, telephone numbers, and postal codes are strings even if they consist of digits. Texts that do not fit
    are ignored if at least ten times as many values are years, numbers, or dates; plans read them as missing.
    """
    found = list(values)
    known = [value for value in found if not _is_placeholder(value)] or found
    type_ = _common_type(key, known)
    return type_ if type_ not in (None, ValueType.STRING) else _type_of_most(key, known) or type_


def fits(value: Value, content: ValueType | None) -> bool:
    """Return whether a value of a property with this content is no text that plans read as missing.

    Days outside the years 1 to 9999 are counted apart; see `is_date_outside`.
    """
    if not isinstance(value, str) or _is_placeholder(value) or is_date_outside(value):
        return True
    if content in NUMBERS:
        return number_in(value) is not None
    return content not in DATES or re.match(LEADING_DATE, value) is not None


def _type_of_most(key: str, known: list[Value]) -> ValueType | None:
    """Return the type of the numbers or dates among values if few texts do not fit; None otherwise.

    Texts with digits may be codes, such as `12a`, unless all others are years or dates.
    """
    if (_TITLES | _CODES) & set(words_of(key)):
        return None
    for types in (NUMBERS, DATES):
        if sum(_reads_as(value, types) for value in known[:_FEW]) < min(len(known), _FEW) // 2:
            continue
        fitting = [value for value in known if _reads_as(value, types)]
        others = [value for value in known if not _reads_as(value, types)]
        # A day that does not exist, such as 1998-13-45, is a mistake, however few other days there are.
        mistakes = [value for value in others if types == DATES and re.match(_DAY_SHAPE, str(value))]
        is_few = (len(others) - len(mistakes)) * _FITTING <= len(fitting) and len(mistakes) <= len(fitting)
        if not (others and is_few) or not all(isinstance(value, str) for value in others):
            continue
        type_ = _common_type(key, fitting)
        has_codes = any(map(str.isdigit, "".join(map(str, others)))) and not all(map(_is_year_or_date, fitting))
        if type_ in types and not has_codes:
            return type_
    return None


def _reads_as(value: Value, types: frozenset[ValueType]) -> bool:
    return fits(value, next(iter(types))) if isinstance(value, str) else type_of(value) in types


def _is_year_or_date(value: Value) -> bool:
    return not isinstance(value, int | float | str) or re.match(r"[12][0-9]{3}(?![0-9.])", str(value)) is not None


def _common_type(key: str, known: list[Value]) -> ValueType | None:
    types = {type_ for value in known if (type_ := type_of(value)) is not None}
    if types and types <= NUMBERS:
        return ValueType.FLOAT if ValueType.FLOAT in types else ValueType.INTEGER
    if ValueType.STRING in types and types <= NUMBERS | {ValueType.STRING} and _TITLES & set(words_of(key)[-1:]):
        return ValueType.STRING  # some titles are numbers
    if len(types) != 1:
        return None
    [type_] = types
    return _content_of_text(key, known) if type_ is ValueType.STRING else type_


def _is_placeholder(value: Value) -> bool:
    return isinstance(value, str) and value.strip().lower() in _PLACEHOLDERS


def with_content_types(plan: Plan, schema: GraphSchema) -> Plan:
    """Convert properties to the types of their content, except those that a plan reads as stored.

    Properties that hold durations stay texts, but are sorted and compared by their length.
    """
    return rewrite_plan(with_duration_order(plan, schema), Scope(schema), _converted)


def _content_of_text(key: str, texts: list[Any]) -> ValueType:
    if all(text.lower() in _TRUTH_VALUES for text in texts):
        return ValueType.BOOLEAN
    if all(number_in(text) is not None for text in texts):
        if _CODES & set(words_of(key)) or any(_NO_NUMBER.match(text) for text in texts):
            return ValueType.STRING
        if not all(re.fullmatch(r"[+-]?[0-9]+", text) for text in texts):
            return ValueType.FLOAT
        # Identifiers with more digits than an integer can have would become missing values.
        return ValueType.INTEGER if all(integer_in(text) is not None for text in texts) else ValueType.STRING
    # Days outside the years 1 to 9999 become missing values, of which plans warn; sorted as text, they would be wrong.
    dates = [text for text in texts if not is_date_outside(text)]
    if dates and all(re.match(LEADING_DATE, text) for text in dates):
        rests = [text[10:] for text in dates]
        if all(not rest or _MIDNIGHT.fullmatch(rest) for rest in rests):
            return ValueType.DATE
        if all(_TIME.fullmatch(rest) for rest in rests):
            return ValueType.DATETIME
    return ValueType.STRING


def converted_step(step: Step, scope: Scope) -> Step:
    """Convert the properties in a step that takes rows with the scope."""
    return rewrite_step(step, scope, _converted)


def converted_expression(expression: Expression, scope: Scope) -> Expression:
    """Convert the properties in an expression."""
    return rewrite_expression(expression, scope, _converted)


def _converted(part: Any, scope: Scope) -> Expression | None:
    return _converted_property(part, scope) if isinstance(part, Property) and not part.as_stored else None


def _converted_property(part: Property, scope: Scope) -> Expression:
    stored = replace(part, as_stored=True)
    declared = declared_properties(scope, part)
    epochs = {one.epoch for one in declared}
    if len(epochs) == 1 and (epoch := epochs.pop()) is not None:
        return Call(_EPOCHS[epoch], (Call(Function.TO_INTEGER, (stored,)),))
    contents = {one.content for one in declared}
    if len(contents) != 1 or all(one.stored == {one.content} for one in declared):
        return stored
    [content] = contents
    function = _CONVERSIONS.get(content) if content is not None else None
    return Call(function, (stored,)) if function else stored
