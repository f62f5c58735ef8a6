"""Read questions over many schemas as plan questions: sets of Cypher over graphs, and of SQL over tables.

Each set is a folder with `schemas.jsonl.xz` and `questions.jsonl.xz`. The sets are published under licences of their
own; see NOTICE.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Plan
from graph.plan.schema import GraphSchema, PropertySchema
from question_sets.conversion import read_objects
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet, require_fit
from question_sets.spider.parsing import UnsupportedSqlError
from question_sets.spider.questions import read_databases
from question_sets.spider.sql import read_sql
from question_sets.text2cypher import read_schema
from shared.errors import InvalidInputError

CYPHER_SETS = ("cypherbench", "mind_the_query", "multi_domain", "text2cypher_cleaned")
"""The sets of Cypher whose questions no other set of the project has."""
EVERYDAY = "everyday"
"""The set of everyday wordings, as people of a trade type them."""
SQL_SETS = ("bird", "spider_extra", "spider_syn")

_OF_CATEGORY = 0.1  # distinct values, of all
_SPLITS = frozenset({"dev", "manual only"})
"""Splits to validate on, and questions whose query failed an automatic check."""
_DOUBTED = frozenset({"INCORRECT", "UNANSWERABLE", "unanswerable"})
_TYPES = {
    "str": "STRING", "string": "STRING", "int": "INTEGER", "integer": "INTEGER", "long": "INTEGER", "float": "FLOAT",
    "double": "FLOAT", "bool": "BOOLEAN", "boolean": "BOOLEAN", "date": "DATE", "date_time": "DATE_TIME",
    "datetime": "DATE_TIME", "list": "LIST", "list[str]": "LIST",
}  # fmt: skip
_NUMBERS = frozenset({"number", "integer", "real", "float", "int"})
_TIMES = frozenset({"date", "datetime", "time", "timestamp"})


@dataclass(frozen=True, slots=True)
class _Source:
    """Hold the schemas of a set, and how to read a query over one of them."""

    schemas: Mapping[str, GraphSchema]
    plan: Callable[[str, str], Plan]


def read_schema_corpus(folder: Path, name: str, only_dev: bool = False) -> PlanQuestionSet:
    """Read the questions of one set.

    Args:
        folder: The folder of the corpus.
        name: One of `CYPHER_SETS` or `SQL_SETS`, or `EVERYDAY`.
        only_dev: Whether to read the questions to validate on instead of those to train on.

    Returns:
        The questions whose query has a plan, without those about graphs that the project measures itself on, and
        without those that a judge called wrong.
    """
    rows = [row for row in read_objects(folder / name, "questions.jsonl", name) if _is_wanted(row, only_dev)]
    source = (_sql_source if name in SQL_SETS else _cypher_source)(folder / name, rows)
    found: dict[tuple[str, str], PlanQuestion] = {}
    skipped: Counter[str] = Counter()
    for row in rows:
        question, schema = " ".join(row["question"].split()), row["schema"]
        try:
            plan = source.plan(schema, row["query"])
            require_fit(plan, source.schemas[schema])
        except (UnsupportedCypherError, UnsupportedSqlError) as error:
            skipped[f"unsupported: {error}"] += 1
        except InvalidInputError as error:
            skipped[f"invalid: {str(error).split(': ')[-1]}"] += 1
        else:
            found.setdefault((schema, question), PlanQuestion(question, plan, schema, f"{name}:{schema}"))
    return PlanQuestionSet(source.schemas, list(found.values()), dict(skipped))


def _is_wanted(row: Mapping[str, Any], only_dev: bool) -> bool:
    if "near" in row or row.get("verdict") in _DOUBTED:
        return False
    return (row.get("split") == "dev") if only_dev else row.get("split") not in _SPLITS


def _schemas(folder: Path, rows: Collection[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Read the schemas of some questions."""
    used = {row["schema"] for row in rows}
    return [row for row in read_objects(folder, "schemas.jsonl", folder.name) if row["id"] in used]


def _cypher_source(folder: Path, rows: Collection[Mapping[str, Any]]) -> _Source:
    schemas = {row["id"]: _with_names(read_schema(_structured(row)), row) for row in _schemas(folder, rows)}
    return _Source(schemas, lambda _, query: read_cypher(query))


def _with_names(schema: GraphSchema, row: Mapping[str, Any]) -> GraphSchema:
    """Name the nodes of each kind by the property that the set says names them; other short texts are categories."""
    named_by = {kind["name"]: kind["named_by"] for kind in row["kinds"] if kind.get("named_by")}
    kinds = {}
    for name, kind in schema.kinds.items():
        key = named_by.get(name, kind.name_property)
        properties = {one: found if one == key else _as_category(found) for one, found in kind.properties.items()}
        kinds[name] = replace(kind, name_property=key, properties=properties)
    return replace(schema, kinds=kinds)


def _as_category(found: PropertySchema) -> PropertySchema:
    """Return a property with few distinct values if its samples look like categories."""
    texts = [one for one in found.samples if isinstance(one, str)]
    is_category = len(texts) > 1 and all(len(one.split()) < 3 and one.replace(" ", "").isalpha() for one in texts)
    return replace(found, distinct=_OF_CATEGORY) if is_category else found


def _structured(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a graph schema in the form of text2cypher's."""
    properties: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in row["relationships"]:
        known = {described["property"] for described in properties[one["type"]]}
        properties[one["type"]] += [new for new in _described(one["properties"]) if new["property"] not in known]
    return {
        "node_props": {kind["name"]: _described(kind["properties"]) for kind in row["kinds"]},
        "rel_props": properties,
        "relationships": [
            {"type": one["type"], "start": one["from"], "end": one["to"]} for one in row["relationships"]
        ],
    }


def _described(properties: Collection[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "property": one["name"],
            "type": _TYPES.get(one["type"].lower(), one["type"]),
            "values": one.get("samples", ()),
        }
        for one in properties
    ]


def _sql_source(folder: Path, rows: Collection[Mapping[str, Any]]) -> _Source:
    tables = list(map(_tables_row, _schemas(folder, rows)))
    databases = read_databases(tables, [{"db_id": row["schema"], "query": row["query"]} for row in rows])
    schemas = {name: one.schema for name, one in databases.items()}
    return _Source(schemas, lambda name, query: read_sql(query, databases[name].tables, schemas[name]))


def _tables_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a relational schema in the form of Spider's."""
    columns = [(number, one) for number, table in enumerate(row["tables"]) for one in table["columns"]]
    places: dict[tuple[str, str], int] = {}
    for position, (number, one) in enumerate(columns, 1):
        table = row["tables"][number]
        places[table["name"], one["name"]] = places[table["original"], one["original"]] = position

    def found(key: Sequence[str]) -> int | None:
        return places.get((key[0], key[1]))

    keys = [(found(one["column"]), found(one["references"])) for one in row["foreign_keys"]]
    return {
        "db_id": row["id"],
        "table_names": [table["name"] for table in row["tables"]],
        "table_names_original": [table["original"] for table in row["tables"]],
        "column_names": [[-1, "*"], *([number, one["name"]] for number, one in columns)],
        "column_names_original": [[-1, "*"], *([number, one["original"]] for number, one in columns)],
        "column_types": ["text", *(_column_type(one["type"]) for _, one in columns)],
        "foreign_keys": [pair for pair in keys if None not in pair],
        "primary_keys": [place for key in row["primary_keys"] if (place := found(key)) is not None],
    }


def _column_type(published: str) -> str:
    type_ = published.lower().split("(")[0]
    return "number" if type_ in _NUMBERS else "time" if type_ in _TIMES else "text"
