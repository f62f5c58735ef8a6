"""`kgqa train dense` writes an encoder that kgqa index uses, and dense answers with it."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from question_sets.records import QuestionRecord
from services.retriever.dense.dense_encoder import encoder_folder
from services.retriever.dense.triple_index import Topic, open_index, open_index_if_any
from shared.errors import InvalidInputError
from shared.paths import dense_folder, graph_file
from tests.unit.kgqa.test_cli import run

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the train extra: make install-train"),
]

_CAPITALS = {"France": "Paris", "Spain": "Madrid", "Peru": "Lima", "Kenya": "Nairobi", "Chad": "Ndjamena"}
_WORDINGS = {
    ("capital",): ("seat of government of {}", "from where is {} ruled"),
    ("capital", "mayor"): ("who runs the seat of government of {}", "who runs the place from where {} is ruled"),
}


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    facts = [
        line
        for country, city in _CAPITALS.items()
        for line in (
            f"{country}\tcapital\t{city}",
            f"{country}\tcurrency\t{country} franc",
            f"{city}\tmayor\tM. {city}",
        )
    ]
    (tmp_path / "facts.tsv").write_text("\n".join(facts) + "\n", encoding="utf-8")
    graph_file("mine").parent.mkdir(parents=True)
    import_files([tmp_path / "facts.tsv"], graph_file("mine"))


def questions() -> list[QuestionRecord]:
    return [
        QuestionRecord(question=wording.format(country), topic=country, answers=("?",), path=path)
        for path, wordings in _WORDINGS.items()
        for wording in wordings
        for country in _CAPITALS
    ]


def test_a_trained_encoder_replaces_the_packaged_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from training.dense import train

    monkeypatch.setattr(train, "OPTIONS", replace(train.OPTIONS, max_examples=240, batch_size=8))
    file = tmp_path / "train.jsonl"
    file.write_text("".join(f"{one.model_dump_json()}\n" for one in questions()), encoding="utf-8")
    assert run(monkeypatch, "index", "--graph", "mine") == 0

    assert run(monkeypatch, "train", "dense", "--graph", "mine", "--questions", file) == 0

    assert "use it with: kgqa index --graph mine" in capsys.readouterr().out
    assert encoder_folder("mine") == dense_folder("mine")
    assert sorted(one.name for one in dense_folder("mine").iterdir()) == [
        "encoder.onnx",
        "manifest.json",
        "tokenizer.json",
    ]
    reason = open_index_if_any("mine")
    assert isinstance(reason, str) and "another encoder; build it again with: kgqa index --graph mine" in reason
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    index = open_index("mine")
    found = index.search(["who runs the seat of government of Peru"], 2, [Topic("Peru")])
    index.close()
    assert found.paths[0].relations == ("capital", "mayor")
    assert {triple.object.name for triple in found.triples} == {"Lima", "M. Lima"}


def test_questions_without_a_path_are_no_training(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "train.jsonl"
    file.write_text(json.dumps({"question": "capital of Peru", "topic": "Peru", "answers": ["Lima"]}), encoding="utf-8")

    assert run(monkeypatch, "train", "dense", "--graph", "mine", "--questions", file) == 1

    error = capsys.readouterr().err
    assert "no question can be used (1 with no path): training needs questions with `topic` and `path`" in error
    assert not dense_folder("mine").exists()


async def test_questions_are_masked_and_the_others_counted() -> None:
    from training.dense.examples import hop_examples, path_questions
    from training.dense.graph_walks import STOP_ROW, WalkedGraph

    graph, store = WalkedGraph(graph_file("mine")), SqliteGraphStore(graph_file("mine"))
    given = [
        QuestionRecord(question="capital of Peru", topic="Peru", answers=("Lima",), path=("capital",)),
        QuestionRecord(question="mayor of Peru", topic="Peru", answers=(), path=("mayor",)),
        QuestionRecord(question="weather in Peru", topic="Peru", answers=()),
    ]
    try:
        found, left_out = await path_questions(store, graph, given)
        with pytest.raises(InvalidInputError, match="the graph has no relation 'king'"):
            await path_questions(store, graph, [given[0].model_copy(update={"path": ("king",)})])
    finally:
        await store.close()

    assert left_out == {"no path": 1, "a path that leads nowhere": 1}
    first, end = hop_examples(graph, found[0], 2, np.random.default_rng(1))
    assert (first.text, graph.triples.sentence(first.positive)) == (
        "step 1: capital of [MASK]",
        "The capital of Peru is Lima.",
    )
    assert (end.text, end.positive) == ("step 2: capital of [MASK]", STOP_ROW)


def test_triples_of_other_questions_with_the_same_relation_are_neutral() -> None:
    from training.dense.examples import HopExample
    from training.dense.graph_walks import WalkedGraph
    from training.dense.train import neutral, rows_of

    graph = WalkedGraph(graph_file("mine"))
    by_sentence = {graph.triples.sentence(row): row for row in range(len(graph.triples.ids))}
    peru, chad = by_sentence["The capital of Peru is Lima."], by_sentence["The capital of Chad is Ndjamena."]
    money = by_sentence["The currency of Peru is Peru franc."]
    examples = [HopExample("a", peru, (money,)), HopExample("b", chad, ())]
    rows = rows_of(examples)

    found = neutral(graph, examples, rows)

    assert [[row for row, is_neutral in zip(rows, one, strict=True) if is_neutral] for one in found.tolist()] == [
        [chad],
        [peru],
    ]
