import json
import lzma
from pathlib import Path

import pytest

from question_sets.spider.questions import read_spider
from shared.errors import NotFoundError
from tests.unit.question_sets.spider.databases import cinema, company


def _write(folder: Path) -> Path:
    questions = [
        {
            "db_id": "cinema",
            "question": "What  is from 1999?",
            "query": "SELECT title FROM film WHERE year = 1999",
        },
        {"db_id": "cinema", "question": "Which?", "query": "SELECT CASE WHEN year > 2 THEN 1 END FROM film"},
    ]
    (folder / "tables.jsonl").write_text("\n".join(map(json.dumps, (cinema(), company()))), encoding="utf-8")
    (folder / "train.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, questions)).encode()))
    return folder


def test_questions_have_plans_over_the_schemas_of_their_databases(tmp_path: Path) -> None:
    found = read_spider(_write(tmp_path), "train")
    assert [(one.question, one.schema, one.source) for one in found.questions] == [
        ("What is from 1999?", "cinema", "spider:cinema")
    ]
    assert list(found.schemas) == ["cinema"]
    assert found.skipped == {"case as a value": 1}


def test_the_error_names_the_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"dev\.jsonl"):
        read_spider(_write(tmp_path), "dev")
