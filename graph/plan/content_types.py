"""Infer the type of a property's content, and read properties as that type.

Real graphs keep numbers and dates as strings: `"32.38"`, `"1996-08-01 00:00:00.000"`, and `"NULL"` where there is none.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from graph.plan.algebra import (
    Call,
    Expression,
    Function,
    Plan,
    Property,
    Step,
)
from graph.plan.duration_order import with_duration_order
from graph.plan.reading_detection import NO_TEXTS, TextContent, Unread, text_content, unread_content
from graph.plan.schema import EpochUnit, GraphSchema
from graph.plan.scope import DATES, NUMBERS, Scope, declared_properties
from graph.plan.scoped_rewriting import rewrite_expression, rewrite_plan, rewrite_step
from graph.plan.text_functions import LEADING_DATE, TIME_OF_DAY, UTC_OFFSET, integer_in, is_date_outside, number_in
from graph.plan.text_order import check_text_order, showing_stored_texts
from graph.plan.text_readings import TextReading, is_impossible_day, read_text, value_in
from graph.plan.values import Value, ValueType, type_of

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


@dataclass(frozen=True, slots=True)
class Content:
    """Say what the values of a property are.

    Attributes:
        type: The type of their content; None if they have different types.
        texts: What the texts are, if all values are texts.
    """

    type: ValueType | None
    texts: TextContent = NO_TEXTS

    @property
    def reading(self) -> TextReading | None:
        """Return how texts are read as numbers or dates, if they are written in another way than plans write them."""
        return self.texts.spelling.reading if self.texts.spelling is not None else None

    @property
    def unread(self) -> Unread | None:
        """Return why texts that look like numbers or dates stay texts."""
        return self.texts.unread


def content_of(key: str, values: Iterable[Value], dates: TextReading | None = None) -> Content:
    """Return what the values of a property with this name are; `dates` decides where two orders of dates are possible.

    Identifiers, telephone numbers, and postal codes are strings even if they consist of digits. Texts that do not fit
    are ignored if at least ten times as many values are years, numbers, or dates; plans read them as missing.
    """
    found = list(values)
    known = [value for value in found if not is_placeholder(value)] or found
    content = _common(key, known, dates)
    if content.type not in (None, ValueType.STRING) or content.reading is not None:
        return content
    return _of_most(key, known, dates) or content


def content_type(key: str, values: Iterable[Value]) -> ValueType | None:
    """Return the type of the content of a property that plans read without a `TextReading`, as `content_of` does."""
    content = content_of(key, values)
    return ValueType.STRING if content.reading not in (None, TextReading.DECIMALS) else content.type


def fits(value: Value, content: ValueType | None, reading: TextReading | None = None) -> bool:
    """Return whether a value of a property with this content is no text that plans read as missing.

    Days outside the years 1 to 9999 are counted apart; see `is_date_outside`.
    """
    if not isinstance(value, str) or is_placeholder(value) or is_date_outside(value):
        return True
    if reading is not None:
        return value_in(value, reading) is not None
    if content in NUMBERS:
        return number_in(value) is not None
    return content not in DATES or re.match(LEADING_DATE, value) is not None


def _of_most(key: str, known: list[Value], dates: TextReading | None) -> Content | None:
    """Return what the numbers or dates among values are if few texts do not fit; None otherwise.

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
        content = _common(key, fitting, dates)
        has_codes = any(map(str.isdigit, "".join(map(str, others)))) and not all(map(_is_year_or_date, fitting))
        if content.type in types and not has_codes:
            return content
    return _of_days_that_exist(key, known, dates)


def _of_days_that_exist(key: str, known: list[Value], dates: TextReading | None) -> Content | None:
    """Return how dates in another spelling are read if some name a day that does not exist; None if none does."""
    days = [value for value in known if not (isinstance(value, str) and is_impossible_day(value))]
    if len(days) == len(known) or 2 * len(days) <= len(known):
        return None
    content = _common(key, days, dates)
    are_dates = content.reading is not None and content.type in DATES
    return content if are_dates or content.unread is Unread.TWO_DATE_ORDERS else None


def _reads_as(value: Value, types: frozenset[ValueType]) -> bool:
    return fits(value, next(iter(types))) if isinstance(value, str) else type_of(value) in types


def _is_year_or_date(value: Value) -> bool:
    return not isinstance(value, int | float | str) or re.match(r"[12][0-9]{3}(?![0-9.])", str(value)) is not None


def _common(key: str, known: list[Value], dates: TextReading | None) -> Content:
    types = {type_ for value in known if (type_ := type_of(value)) is not None}
    if types and types <= NUMBERS:
        return Content(ValueType.FLOAT if ValueType.FLOAT in types else ValueType.INTEGER)
    if ValueType.STRING in types and types <= NUMBERS | {ValueType.STRING} and _TITLES & set(words_of(key)[-1:]):
        return Content(ValueType.STRING)  # some titles are numbers
    if len(types) != 1:
        return Content(None)
    [type_] = types
    return _of_texts(key, known, dates) if type_ is ValueType.STRING else Content(type_)


def is_placeholder(value: Value) -> bool:
    """Return whether a value is a text that stands for a missing value."""
    return isinstance(value, str) and value.strip().lower() in _PLACEHOLDERS


def with_content_types(plan: Plan, schema: GraphSchema) -> Plan:
    """Convert properties to the types of their content, except those that a plan reads as stored.

    Properties that hold durations stay texts, but are sorted and compared by their length. Results show texts with a
    `TextReading` as they are stored.

    Raises:
        InvalidInputError: The plan sorts or compares texts that look like numbers or dates, but cannot be read as such.
    """
    check_text_order(plan, schema)
    return rewrite_plan(showing_stored_texts(with_duration_order(plan, schema), schema), Scope(schema), _converted)


def _of_texts(key: str, texts: list[Any], dates: TextReading | None) -> Content:
    if all(text.lower() in _TRUTH_VALUES for text in texts):
        return Content(ValueType.BOOLEAN)
    # Days outside the years 1 to 9999 become missing values, of which plans warn; sorted as text, they would be wrong.
    days = [text for text in texts if not is_date_outside(text)]
    if days and all(re.match(LEADING_DATE, text) for text in days):
        rests = [text[10:] for text in days]
        if all(not rest or _MIDNIGHT.fullmatch(rest) for rest in rests):
            return Content(ValueType.DATE)
        if all(_TIME.fullmatch(rest) for rest in rests):
            return Content(ValueType.DATETIME)
    words = words_of(key)
    if _CODES & set(words):
        return Content(ValueType.STRING)
    found = text_content(texts, dates)
    if _TITLES & set(words[-1:]) and (found.spelling is None or found.spelling.reading is not None):
        return Content(ValueType.STRING)  # names are no numbers, dates, or versions
    if found.spelling is None:
        return Content(ValueType.STRING, found)
    if (reading := found.spelling.reading) is not None:
        return Content(reading.content, found)
    type_ = _type_of_numbers(texts)
    return Content(type_, found if type_ is not ValueType.STRING else unread_content(texts))


def _type_of_numbers(texts: list[str]) -> ValueType:
    if not all(re.fullmatch("-?[0-9]+", text) for text in texts):
        return ValueType.FLOAT
    # Identifiers with more digits than an integer can have would become missing values.
    return ValueType.INTEGER if all(integer_in(text) is not None for text in texts) else ValueType.STRING


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
    contents = {(one.content, one.reading) for one in declared}
    if len(contents) != 1 or all(one.stored == {one.content} for one in declared):
        return stored
    [(content, reading)] = contents
    if reading is not None:
        return read_text(stored, reading)
    function = _CONVERSIONS.get(content) if content is not None else None
    return Call(function, (stored,)) if function else stored
