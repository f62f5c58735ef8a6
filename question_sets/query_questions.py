"""Read questions with gold queries that no plan need express: SpCQL and R3-NL2GQL.

SpCQL (Guo et al., CIKM 2022) asks in Chinese for Cypher over OwnThink; read in the decomposed form of SpCQL-Decomp.
R3-NL2GQL (2023) asks in Chinese and English for nGQL, the language of NebulaGraph, over three small graphs. nGQL's
MATCH reads like Cypher; LOOKUP, GO, and FETCH do not.
"""

import ast
import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from question_sets.conversion import parse_lines, require_file
from question_sets.records import open_text
from shared.errors import InvalidInputError
from shared.validation import error_text

_UNQUOTED_CLASS = re.compile(r"(\"class\"\s*:\s*)'([^'\"]*)'")


class QueryLanguage(StrEnum):
    """Name the language of a query."""

    CYPHER = "cypher"
    NGQL = "ngql"


class QueryQuestion(BaseModel, frozen=True):
    """Pair a question with its gold query.

    Attributes:
        question: The question.
        query: The gold query.
        language: The language of the query.
        graph: The name of the graph.
        entities: The entities that the question names, if the set lists them.
        rows: The gold result, if the set has it.
    """

    question: str = Field(min_length=1)
    query: str = Field(min_length=1)
    language: QueryLanguage
    graph: str
    entities: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] | None = None


def read_spcql(folder: Path) -> list[QueryQuestion]:
    """Read the dev questions of SpCQL-Decomp from `decomp/dev.json`, plain or .xz.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: The file is no list of questions with queries.
    """
    file = require_file(folder / "decomp", "dev.json", "SpCQL-Decomp")
    with open_text(file) as opened:
        text = opened.read()
    try:
        rows = json.loads(text)
        if not isinstance(rows, list):
            raise ValueError("it is no list")
        return [_of_spcql(row) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(f"{file}: expected a list of questions with `target_text`: {_reason(error)}") from error


def read_r3_nl2gql(folder: Path) -> list[QueryQuestion]:
    """Read the test questions of R3-NL2GQL from `test_data_shuffle.jsonl`, plain or .xz.

    Rows about one of the graphs quote its name as no JSON does; these quotes are corrected.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: A line is malformed.
    """
    file = require_file(folder, "test_data_shuffle.jsonl", "R3-NL2GQL")
    return list(parse_lines(file, _of_r3, "a JSON object with prompt, content, class, and result"))


def _of_spcql(row: dict[str, Any]) -> QueryQuestion:
    return QueryQuestion(
        question=row["query"].strip(),
        query=row["target_text"].strip(),
        language=QueryLanguage.CYPHER,
        graph="ownthink",
        entities=tuple(row.get("entities", ())),
    )


def _of_r3(line: str) -> QueryQuestion:
    try:
        row = from_json(_UNQUOTED_CLASS.sub(r'\1"\2"', line))
        return QueryQuestion(
            question=row["prompt"].strip(),
            query=row["content"].strip(),
            language=QueryLanguage.NGQL,
            graph=row["class"],
            rows=tuple(_cells(row["result"])),
        )
    except (KeyError, TypeError, AttributeError, SyntaxError, ValueError) as error:
        raise ValueError(_reason(error)) from error


def _cells(result: list[str] | str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a result; each is a text with a JSON list, or a single value if it is none.

    Some results are lists of Python's notation in a text.
    """
    texts = ast.literal_eval(result) if isinstance(result, str) else result
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("the result is no list of texts")
    for text in texts:
        try:
            row = json.loads(text)
        except ValueError:
            row = text
        yield tuple(row) if isinstance(row, list) else (row,)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {error_text(first)}"
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)
