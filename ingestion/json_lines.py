"""Read JSON Lines: one node or relationship per line, as APOC exports property graphs, or one fact.

A file may also be one JSON document: an array of such objects, or nodes with their links; see `node_links`.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from graph.plan.values import Value, ValueType, type_of
from ingestion.fact_columns import COLUMNS, order_of
from ingestion.json_text import NotFinite, TooLong, broken_document, load, written
from ingestion.node_aliases import ALIASES, add_node_aliases
from ingestion.node_definitions import Origin, Written
from ingestion.node_ids import Place
from ingestion.node_links import Record, is_node_link, node_link_records
from ingestion.points import parts_of_point
from ingestion.rejections import Problems
from ingestion.source_lines import Blocks, decode_lines, field_problem
from ingestion.sqlite_writer import GraphWriter
from ingestion.tabular import add_row
from ingestion.typed_values import (
    BadValueError,
    checked_integer,
    checked_text,
    left_out_reason,
    lost_digits,
    parse_date,
    parse_datetime,
    parse_text,
)
from shared.text import shortened, shown

_NODE_FIELDS = ("type", "id", "labels", "properties")
_RELATIONSHIP_FIELDS = ("type", "id", "label", "start", "end", "properties")
_INVALID = "lines that are no valid node, relationship, or fact"
# Lines of an array with one object per line, and the begin of an object with several lines.
_ARRAY_MARKS, _OPEN = ("", "[", "]", ","), ("{", "[{")
_NUMBERS = {ValueType.INTEGER, ValueType.FLOAT}


def read_json_lines(blocks: Blocks, writer: GraphWriter, problems: Problems) -> None:
    """Add the nodes, relationships, and facts in one file, skipping blank lines."""
    head, lines = _begun(decode_lines(blocks, problems))
    if _may_be_document(head):
        held = list(lines)
        text = "".join(line for _, line in held)
        if (records := _document_records(text)) is not None:
            for record in records:
                _add_record(record, writer, problems, (problems.file, held[0][0]))
            return
        if error := broken_document(text, _goes_on(head)):
            problems.add(held[0][0] + error[0] - 1, error[1])
            writer.ids.skip_file()
            return
        lines = iter(held)
    _read_lines(lines, writer, problems)


def _begun(lines: Iterator[tuple[int, str]]) -> tuple[list[str], Iterator[tuple[int, str]]]:
    """Return the first two lines that are not blank, and an iterator over all lines."""
    seen: list[tuple[int, str]] = []
    head: list[str] = []
    while len(head) < 2 and (line := next(lines, None)) is not None:
        seen.append(line)
        head += [text] if (text := line[1].strip()) else []
    return head, chain(seen, lines)


def _may_be_document(head: Sequence[str]) -> bool:
    """Return whether a file may be one document on several lines, or one with nodes and links on a line."""
    if not head or not head[0].startswith(("{", "[")):
        return False
    if head[0].startswith("{") and len(head) == 1:
        return '"nodes"' in head[0]
    is_object = head[0].startswith("{") and not head[0].endswith("}")
    return is_object or _goes_on(head)


def _goes_on(head: Sequence[str]) -> bool:
    """Return whether the first object goes on in the next line."""
    return head[0] in _OPEN or head[:2] == ["[", "{"]


def _document_records(text: str) -> Iterable[Record | str] | None:
    """Return the records of a document; None if the text is not one, or is one of another kind."""
    try:
        document = load(text)
    except (ValueError, RecursionError, BadValueError):
        return None
    if is_node_link(document):
        return node_link_records(document)
    if isinstance(document, dict):
        return [document]
    is_list = isinstance(document, list) and all(isinstance(one, dict) for one in document)
    return document if is_list else None


def _add_record(record: Record | str, writer: GraphWriter, problems: Problems, place: Place) -> None:
    """Add a record of a file, or report what is wrong with a link."""
    if isinstance(record, str):
        problems.reject_line(place[1], _INVALID, record)
        return
    try:
        _add(record, writer, problems, place)
    except BadValueError as error:
        problems.reject_line(place[1], _INVALID, str(error))


def _read_lines(lines: Iterable[tuple[int, str]], writer: GraphWriter, problems: Problems) -> None:
    for number, line in lines:
        place = problems.file, number
        try:
            for record in _records(line.strip()):
                _add_record(record, writer, problems, place)
        except BadValueError as error:
            problems.reject_line(number, _INVALID, str(error))
        except RecursionError:
            problem = "the values are nested too deeply; write one flat object per line"
            problems.reject_line(number, _INVALID, problem)


def _records(text: str) -> list[dict[str, Any]]:
    """Return the objects on a line, which may be a part of an array that has one object per line, or a whole array."""
    if text in _ARRAY_MARKS:
        return []
    if text in _OPEN:
        raise BadValueError("the object goes on in the next line; write one object per line, for example with jq -c .")
    inner = text.removeprefix("[").removesuffix("]").strip().removesuffix(",")
    if inner != text and inner.startswith("{"):
        try:
            return [_parsed(inner)]
        except BadValueError:
            pass  # several objects, or another error that the whole line shows better
    record = _parsed(text)
    return record if isinstance(record, list) else [record]


def _parsed(line: str) -> Any:
    """Return the object on a line, or a list of objects."""
    try:
        record = load(line)
    except json.JSONDecodeError as error:
        raise BadValueError(f"not JSON at column {error.colno} ({error.msg}); write one object per line") from None
    if isinstance(record, list) and record and all(isinstance(one, dict) for one in record):
        return record
    if not isinstance(record, dict):
        raise BadValueError(f"expected an object in braces, found {written(record)}; write one per line")
    return record


def _add(record: dict[str, Any], writer: GraphWriter, problems: Problems, place: Place) -> None:
    match record.get("type"):
        case "node":
            _add_node(record, writer, problems, place)
        case "relationship":
            _add_relationship(record, writer, problems, place)
        case None if (order := order_of(list(record))) is not None:
            _add_fact(record, order, writer, problems, place)
        case None:
            raise BadValueError(
                'the field "type" is missing; set it to "node" or "relationship", or write one document with the lists '
                '"nodes" and "links"'
            )
        case other:
            raise BadValueError(f'the type is {written(other)}; set it to "node" or "relationship"')


def _add_fact(
    record: dict[str, Any], order: Sequence[int], writer: GraphWriter, problems: Problems, place: Place
) -> None:
    """Add a fact, whose subject, relation, and object are strings or numbers."""
    values = list(record.values())
    fields = [values[number] for number in order]
    for role, value in zip(COLUMNS, fields, strict=True):
        if not isinstance(value, str | int | float) or isinstance(value, bool | NotFinite | TooLong):
            raise BadValueError(f"the {role} is {written(value)}; write a string or a number")
    add_row([str(value) for value in fields], writer, problems, place[1])


def _add_node(record: dict[str, Any], writer: GraphWriter, problems: Problems, place: Place) -> None:
    key = writer.ids.key(_name(record, "id", "id", writer), "", place)
    _check_fields(record, _NODE_FIELDS, problems, place)
    try:
        kinds = _kinds(record, writer)
        properties = _properties(record, kinds or ("",), writer, problems, place)
    except BadValueError:
        if problems.is_strict:
            writer.add_node(key, (), {})  # so that its relationships are not reported as well
        raise
    form = Written.TEXT if isinstance(record["id"], str) else Written.NUMBER
    writer.define(key, Origin(place[0], kinds, written=form), place[1])
    writer.add_node(key, kinds, properties)
    add_node_aliases(writer, key, properties.get(ALIASES))


def _kinds(record: dict[str, Any], writer: GraphWriter) -> tuple[str, ...]:
    labels = record.get("labels")
    if isinstance(labels, str) and not isinstance(labels, NotFinite | TooLong):
        labels = [labels]
    if not isinstance(labels, list | None):
        raise BadValueError(f"the labels are {written(labels)}; write a list of strings")
    return tuple(dict.fromkeys(_text("label", label, writer) for label in labels or ()))


def _add_relationship(record: dict[str, Any], writer: GraphWriter, problems: Problems, place: Place) -> None:
    _check_fields(record, _RELATIONSHIP_FIELDS, problems, place)
    type_ = _name(record, "label", "relation", writer)
    source, target = (_end(record, field, writer, place) for field in ("start", "end"))
    properties = _properties(record, (type_,), writer, problems, place)
    writer.connect(source, type_, target, properties, place)


def _end(record: dict[str, Any], field: str, writer: GraphWriter, place: Place) -> str:
    """Return the key of the node at one end, which is an ID or an object with an ID."""
    end = record.get(field)
    if isinstance(end, dict):
        id_ = _name(end, "id", f"id of the {field}", writer)
    else:
        id_ = _name(record, field, field, writer)
    key = writer.ids.key(id_, "", place)
    if not writer.has_node(key):
        writer.ids.expect(key, id_, "")
    return key


def _check_fields(record: dict[str, Any], known: Sequence[str], problems: Problems, place: Place) -> None:
    for name in record:
        if name not in known:
            problem = f"unknown field {written(name)}; keep only {', '.join(known)}"
            problems.reject_value(place[1], f"the unknown field {written(name)}", problem)


def _name(record: dict[str, Any], field: str, role: str, writer: GraphWriter) -> str:
    value = record.get(field)
    if value is None:
        raise BadValueError(f'the field "{field}" is missing; add it')
    # Some programs write IDs as integers.
    is_integer = isinstance(value, int) and not isinstance(value, bool) and field != "label"
    return _text(role, str(value) if is_integer else value, writer)


def _text(role: str, value: object, writer: GraphWriter) -> str:
    """Check and clean an ID, a label, or a name."""
    if not isinstance(value, str) or isinstance(value, NotFinite | TooLong):
        raise BadValueError(f"the {role} is {written(value)}; write a string in quotes")
    name = writer.clean(checked_text(value, role).strip())
    if problem := field_problem(role, name):
        raise BadValueError(problem)
    return name


def _properties(
    record: dict[str, Any], owners: Sequence[str], writer: GraphWriter, problems: Problems, place: Place
) -> dict[str, Value]:
    """Read the properties of a node or relationship, and reject values that a graph file cannot hold."""
    properties = record.get("properties")
    if not isinstance(properties, dict | None):
        raise BadValueError(f"the properties are {written(properties)}; write an object in braces")
    values: dict[str, Value] = {}
    for name, value in (properties or {}).items():
        key = _text("property name", name, writer)
        try:
            if (parts := parts_of_point(key, value)) is not None:
                values |= parts
            elif value is not None:
                values[key] = _list(value) if isinstance(value, list) else _scalar(value)
                for text, item, lost in _lost(value, values[key]):
                    reason = f"{shortened(':'.join(owners))}.{shortened(key)}: {lost}"
                    problems.note(place[1], reason, f"{shortened(key)}: {text} is stored as {item}")
        except BadValueError as error:
            problems.reject_value(place[1], left_out_reason(owners, key, error), f"{shortened(key)}: {error}")
            writer.leave_out(owners, key)
    return values


def _lost(written_value: Any, value: Value) -> Iterator[tuple[str, Value, str]]:
    """Yield the numbers and datetimes that have fewer digits than in the file, each with its text and what it lacks."""
    pairs = zip(written_value, value, strict=True) if isinstance(value, tuple) else [(written_value, value)]
    for one, item in pairs:
        text = one.get("datetime", "") if isinstance(one, dict) else str(one) if isinstance(one, int) else ""
        if lost := lost_digits(text, item):
            yield shown(text) if isinstance(one, dict) else text, item, lost


def _list(items: Iterable[Any]) -> tuple[Value, ...]:
    values = tuple(map(_scalar, items))
    types = {type_of(value) for value in values}
    if types == _NUMBERS:
        return tuple(map(float, values))
    if len(types) > 1:
        found = ", ".join(sorted(str(type_) for type_ in types))
        raise BadValueError(f"a list mixes values of the types {found}; use one type", "lists of mixed types")
    return values


def _scalar(value: Any) -> Value:
    match value:
        case bool():
            return value
        case int():
            return checked_integer(value)
        case float():
            if math.isinf(value):
                raise BadValueError("the number is too large for a float; store it as a string", "too large numbers")
            return value
        case NotFinite():
            raise BadValueError(
                f"{value} is not a value; leave out the property or store it as a string", "numbers that are not finite"
            )
        case TooLong():
            raise BadValueError(
                "an integer needs more than 64 bits; store it as a string", "integers of more than 64 bits"
            )
        case str():
            return parse_text(value)
        case {"date": str(text), **rest} if not rest:
            return parse_date(text)
        case {"datetime": str(text), **rest} if not rest:
            return parse_datetime(text)
        case {"crs": _}:
            problem = f"{written(value)} is no point with a latitude and a longitude; store its coordinates as numbers"
            raise BadValueError(problem, "points")
    raise BadValueError(
        f"{written(value)} is not a value; write a string, number, boolean, list of these, "
        '{"date": "1996-08-01"}, or {"datetime": "1996-08-01T09:30:00"}',
        "values that no property can hold",
    )
