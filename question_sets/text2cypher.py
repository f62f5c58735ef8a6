"""Read Neo4j's text2cypher questions as plan questions.

Source: neo4j-labs/text2cypher, synthetic questions with Cypher by GPT-4 Turbo and Claude Opus; CC0 1.0.
"""

import ast
import csv
import math
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Plan
from graph.plan.content_types import content_type
from graph.plan.naming import choose_name_property
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import Value, ValueType, as_utc
from question_sets.conversion import require_file
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet, require_fit
from question_sets.records import open_text
from shared.errors import InvalidInputError

EVALUATED = ("movies", "northwind", "stackoverflow2")
"""The databases whose graphs the project measures itself on."""

_GENERATORS = ("gpt4turbo", "claudeopus")
_TYPES = {
    "STRING": ValueType.STRING,
    "INTEGER": ValueType.INTEGER,
    "FLOAT": ValueType.FLOAT,
    "BOOLEAN": ValueType.BOOLEAN,
    "DATE": ValueType.DATE,
    "DATE_TIME": ValueType.DATETIME,
    "LIST": ValueType.LIST,
}
_COUNT, _DISTINCT = 1000, 0.6  # Used where the schemas count nothing; they count only indexed values, and no nodes.


def read_text2cypher(folder: Path, without: Collection[str] = EVALUATED) -> PlanQuestionSet:
    """Read the questions of all generators, without those about some databases.

    Args:
        folder: The folder with `text2cypher_*.csv`, plain or .xz.
        without: The names of databases to leave out.

    Returns:
        Each question whose Cypher has a plan, once per plan.
    """
    schemas = {
        row["database"]: read_schema(ast.literal_eval(row["structured_schema"]))
        for row in _rows(folder, "text2cypher_schemas.csv")
        if row["database"] not in without
    }
    found: dict[tuple[str, str, Plan], PlanQuestion] = {}
    skipped: Counter[str] = Counter()
    for generator in _GENERATORS:
        for row in _rows(folder, f"text2cypher_{generator}.csv"):
            if row["database"] in without:
                continue
            try:
                question = _question(row, schemas, generator)
            except UnsupportedCypherError as error:
                skipped[f"unsupported Cypher: {error}"] += 1
            except InvalidInputError as error:
                skipped[f"invalid: {str(error).split(': ')[-1]}"] += 1
            else:
                if question is not found.setdefault((question.schema, question.question, question.plan), question):
                    skipped["repeated"] += 1
    return PlanQuestionSet(schemas, list(found.values()), dict(skipped))


def read_schema(structured: Mapping[str, Any]) -> GraphSchema:
    """Read a structured schema: the properties of labels and relationship types, and what the types connect."""
    ends: dict[str, set[tuple[str, str]]] = {}
    for one in structured["relationships"]:
        ends.setdefault(one["type"], set()).add((one["start"], one["end"]))
    kinds = {kind for pairs in ends.values() for pair in pairs for kind in pair} | structured["node_props"].keys()
    relationships = {
        type_: RelationshipSchema(_COUNT, frozenset(pairs), _properties(structured["rel_props"].get(type_, ()), _COUNT))
        for type_, pairs in ends.items()
    }
    return GraphSchema(
        {kind: _kind(kind, structured["node_props"].get(kind, ())) for kind in sorted(kinds)}, relationships
    )


def _kind(name: str, described: Sequence[Mapping[str, Any]]) -> KindSchema:
    # There are at least as many nodes as values.
    count = max((one.get("distinct_count") or 0 for one in described), default=0) or _COUNT
    properties = _properties(described, count)
    return KindSchema(count, properties, choose_name_property(name, count, properties))


def _rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    csv.field_size_limit(sys.maxsize)  # The schemas are long.
    with open_text(require_file(folder, name, "text2cypher")) as lines:
        yield from csv.DictReader(lines)


def _question(row: Mapping[str, str], schemas: Mapping[str, GraphSchema], generator: str) -> PlanQuestion:
    for column, reason in (("syntax_error", "a syntax error"), ("timeout", "a time-out")):
        if row[column] == "True":
            raise InvalidInputError(f"the query had {reason}")
    if row["false_schema"]:
        raise InvalidInputError("the query names what the schema does not have")
    if row["database"] not in schemas:
        raise InvalidInputError("the database has no schema")
    plan = read_cypher(row["cypher"])
    require_fit(plan, schemas[row["database"]])
    return PlanQuestion(row["question"].strip(), plan, row["database"], f"text2cypher:{generator}")


def _properties(described: Sequence[Mapping[str, Any]], count: int) -> dict[str, PropertySchema]:
    return {one["property"]: _property(one, count) for one in described if one["type"] in _TYPES}


def _property(described: Mapping[str, Any], count: int) -> PropertySchema:
    stored = _TYPES[described["type"]]
    texts = described.get("values") or [described[end] for end in ("min", "max") if described.get(end) is not None]
    values = [value for text in texts if (value := _converted(text, stored)) is not None]
    content = content_type(described["property"], values) if stored is ValueType.STRING and values else stored
    samples = [value for one in values if (value := _converted(one, content)) is not None]
    known = described.get("distinct_count")
    distinct = known / count if known else _DISTINCT
    return PropertySchema(frozenset((stored,)), content, count, distinct, tuple(samples))


def _converted(value: Any, type_: ValueType | None) -> Value:
    """Convert a value of the schema file, where most are texts; None if it has no such value."""
    text = str(value)
    try:
        match type_:
            case ValueType.INTEGER:
                return int(float(text))
            case ValueType.FLOAT:
                return number if math.isfinite(number := float(text)) else None
            case ValueType.BOOLEAN:
                return text.lower() == "true"
            case ValueType.DATE:
                return date.fromisoformat(text[:10])
            case ValueType.DATETIME:
                return as_utc(datetime.fromisoformat(text[:19]))
            case ValueType.LIST:
                return None
    except ValueError:  # such as "NULL" among numbers
        return None
    return text
