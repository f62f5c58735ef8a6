"""Pairs of knowledge-graph tuning state what the graph holds."""

import json
import sys
from pathlib import Path

import pytest

from kgqa.cli import main
from question_sets.records import QuestionRecord
from shared.triple import Triple
from training.rewriter.pairs import read_pairs
from training.tuning.prompts import answers_in, reasoned_reply
from training.tuning.task import Task
from training.tuning.tasks import TuningTasks

_FACTS = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("France", "borders", "Italy"),
    Triple("Spain", "capital", "Madrid"),
    Triple("Italy", "capital", "Rome"),
    Triple("Paris", "mayor", "Ann"),
]
_QUESTION = QuestionRecord(question="What are the capitals of the neighbours of France?", topic="France",
                           answers=("Madrid", "Rome"), path=("borders", "capital"))  # fmt: skip


@pytest.mark.parametrize("task", Task)
def test_pairs_are_distinct_and_reproducible(task: Task) -> None:
    pairs = TuningTasks(_FACTS, [_QUESTION], 1).pairs(task, 5)

    assert 0 < len(pairs) == len(set(pairs)) <= 5
    assert pairs == TuningTasks(_FACTS, [_QUESTION], 1).pairs(task, 5)


def test_a_masked_entity_does_not_stand_in_the_prompt() -> None:
    for pair in TuningTasks(_FACTS, [], 1).pairs(Task.ENTITY, 3):
        assert pair.completion not in pair.prompt
        assert '"?"' in pair.prompt


def test_the_relations_between_two_entities_are_named() -> None:
    pairs = TuningTasks([*_FACTS, Triple("France", "near", "Spain")], [], 1).pairs(Task.RELATION, 20)

    found = {pair.prompt: pair.completion for pair in pairs}
    assert found["How is France related to Spain in the knowledge graph?"] == "borders; near"


def test_reasoning_ends_with_the_answers() -> None:
    pairs = TuningTasks(_FACTS, [_QUESTION], 3).pairs(Task.REASONING, 20)

    asked = [pair for pair in pairs if f"Question: {_QUESTION.question}\n" in pair.prompt]
    assert asked
    for pair in asked:
        assert set(answers_in(pair.completion)) == {"Madrid", "Rome"}
        assert "The capital of Spain is Madrid." in pair.completion


def test_answers_are_read_back() -> None:
    assert answers_in(reasoned_reply("Because.", ["A, B", "C"])) == ["A, B", "C"]
    assert answers_in("I do not know.") == []


def test_the_command_writes_what_the_answerers_training_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    (tmp_path / "facts.tsv").write_text("".join(f"{f.subject}\t{f.relation}\t{f.object}\n" for f in _FACTS))
    _run(monkeypatch, "import", str(tmp_path / "facts.tsv"), "--graph", "mine")
    out = tmp_path / "tuning.json"

    _run(monkeypatch, "corpus", "tuning", "--graph", "mine", "--out", str(out), "--task", "graph", "--task", "entity")

    rows = json.loads(out.read_text(encoding="utf-8"))
    assert {row["task"] for row in rows} == {"graph", "entity"}
    assert [pair.completion for pair in read_pairs(out)] == [row["output"] for row in rows]
    assert f"wrote {len(rows)} pairs" in capsys.readouterr().out


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["kgqa", *words])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    assert not ended.value.code
