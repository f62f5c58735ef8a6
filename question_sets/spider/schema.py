"""Describe the graph that a relational schema becomes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from graph.plan.content_types import content_type, words_of
from graph.plan.naming import choose_name_property
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import Value, ValueType
from question_sets.spider.keys import Place
from question_sets.spider.tables import Column, Database, Table

_COUNT = 1000  # The data set has no rows.
_DISTINCT, _DISTINCT_NAMES, _DISTINCT_CATEGORIES = 0.6, 0.9, 0.02
NAME_WORDS = {"name", "title", "fname", "lname", "firstname", "lastname", "surname", "forename"}
_CATEGORIES = {"type", "code", "status", "category", "gender", "sex", "color", "level", "class", "state", "grade"}
_FLOATS = {"price", "rate", "gpa", "percent", "percentage", "ratio", "latitude", "longitude", "rating"}
_MAX_SAMPLES = 8
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_DATES = (ValueType.DATE, ValueType.DATETIME)

Literals = Mapping[Place, Sequence[str]]
"""The texts of the literals that queries compare with a column, by table and column in lower case."""


def graph_schema(database: Database, literals: Literals) -> GraphSchema:
    """Describe the graph of a database; the literals of its queries determine types and samples."""
    kinds: dict[str, KindSchema] = {}
    ends: dict[str, set[tuple[str, str]]] = {}
    properties: dict[str, dict[str, PropertySchema]] = {}
    for table in database.tables.values():
        own = _properties(table, literals)
        if table.type:
            first, second = (database.tables[key.target].kind for key in table.foreign_keys)
            ends.setdefault(table.type, set()).add((first, second))
            properties.setdefault(table.type, {}).update(own)
            continue
        kinds[table.kind] = KindSchema(_COUNT, own, choose_name_property(table.kind, _COUNT, _with_names(own)))
        for key in table.foreign_keys:
            ends.setdefault(key.type, set()).add((table.kind, database.tables[key.target].kind))
    relationships = {
        type_: RelationshipSchema(_COUNT, frozenset(pairs), properties.get(type_, {})) for type_, pairs in ends.items()
    }
    return GraphSchema(kinds, relationships)


def converted(text: str, content: ValueType | None) -> Value:
    """Convert a literal to the type of a property; raise ValueError if it has another type."""
    match content:
        case ValueType.INTEGER:
            number = float(text)
            return int(number) if number.is_integer() else number
        case ValueType.FLOAT:
            return float(text)
        case ValueType.DATE:
            return date.fromisoformat(text[:10])
        case ValueType.DATETIME:
            return datetime.fromisoformat(text[:19])
    return text


def _properties(table: Table, literals: Literals) -> dict[str, PropertySchema]:
    return {
        table.columns[name].key: _property(name, table.columns[name], literals.get((table.name, name), ()))
        for name in table.plain_columns
    }


def _property(name: str, column: Column, literals: Sequence[str]) -> PropertySchema:
    content = _content(name, column, literals)
    is_category = content is ValueType.STRING and bool(_CATEGORIES & set(words_of(name)))
    samples = dict.fromkeys(converted(one.strip("%"), content) for one in literals)
    distinct = _DISTINCT_CATEGORIES if is_category else _DISTINCT
    return PropertySchema(frozenset((content,)), content, _COUNT, distinct, tuple(samples)[:_MAX_SAMPLES])


def _content(name: str, column: Column, literals: Sequence[str]) -> ValueType:
    if column.type == "number" and all(map(_NUMBER.fullmatch, literals)):
        has_fraction = any("." in one for one in literals) or bool(_FLOATS & set(words_of(name)))
        return ValueType.FLOAT if has_fraction else ValueType.INTEGER
    if literals and column.type in ("time", "text"):
        found = content_type(name, literals)
        try:
            for one in literals:
                converted(one, found)
        except ValueError:  # such as 2017-02-30
            return ValueType.STRING
        return found if found in _DATES else ValueType.STRING
    return ValueType.STRING


def _with_names(properties: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
    """Make properties whose keys say so look like names; their few known values, such as `%a%`, say nothing."""
    return {
        key: replace(one, distinct=_DISTINCT_NAMES, samples=("Some Name",))
        if one.content is ValueType.STRING and NAME_WORDS & set(words_of(key))
        else one
        for key, one in properties.items()
    }
