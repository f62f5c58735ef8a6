"""`kgqa train rewriter` and `kgqa train answerer`, on a tiny Llama-2-like model, up to an answer over HTTP."""

import asyncio
import importlib.util
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgqa.cli import main
from services.llm.model_files import BASE_NAME, adapter_files
from services.rewriter.prompts import rewrite_prompt
from shared.llm.client import OpenAIClient
from shared.processes import free_port
from tests.support.waiting import HANGS_AFTER_S, wait_until

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="needs the train extra: make install-train"),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and peft about one another
]

KEY = "key"
FACTS = "France\tcapital\tParis\nSpain\tcapital\tMadrid\nFrance\tborders\tSpain\n"
QUESTION = {"question": "capital of France?", "topic": "France", "answers": ["Paris"], "path": ["capital"]}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    from tests.fakes.tiny_llama import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("tiny-llama"))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    facts = tmp_path / "facts.tsv"
    facts.write_text(FACTS, encoding="utf-8")
    run(monkeypatch, "import", str(facts), "--graph", "mine")


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", *words])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


@contextmanager
def served(base: Path, adapters: dict[str, Path]) -> Iterator[str]:
    """Run the embedded server with any base model, in a thread."""
    import uvicorn

    from services.llm.app import create_app
    from services.llm.engine import EmbeddedModels

    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(create_app(EmbeddedModels(base, adapters), KEY), port=port, log_level="warning", ws="none")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started, "the server never started")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(HANGS_AFTER_S)


async def said(url: str, model: str, prompt: str) -> str:
    client = OpenAIClient(url, model, KEY)
    try:
        assert await client.ready()
        return await client.complete(prompt, max_tokens=12)
    finally:
        await client.close()


def is_trained(adapter: Path) -> bool:
    from safetensors.numpy import load_file

    weights = load_file(adapter / "adapter_model.safetensors")
    return all(tensor.any() for name, tensor in weights.items() if "lora_B" in name)


def test_a_llama_is_trained_as_in_the_paper_and_answers_over_http(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.fakes.tiny_llama import as_gguf

    words = ["train", "rewriter", "--graph", "mine", "--base", base, "--preset", "paper", "--count", "40"]
    assert run(monkeypatch, *words) == 0
    shown = capsys.readouterr()
    assert re.search(r"can be served by +vLLM, llama.cpp", shown.out)
    assert "generated" in shown.err

    folder = tmp_path / "home" / "models" / "mine" / "rewriter"
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert record["settings"]["rank"] == json.loads((folder / "adapter_config.json").read_text())["r"] == 64
    assert (record["pairs"], record["data"]["graph"], record["base"]) == (40, "mine", base)

    prompt = rewrite_prompt("(France, capital, Paris)")
    with served(as_gguf(base, tmp_path / "tiny.gguf"), {"rewriter": folder / "adapter.gguf"}) as url:
        text = asyncio.run(said(url, "rewriter", prompt))
    assert text
    assert is_trained(folder)


def test_a_graphs_own_adapters_are_served_in_place_of_the_projects(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(QUESTION), encoding="utf-8")
    wordings = tmp_path / "wordings.toml"
    wordings.write_text('[capital]\nform = "country noun seat_of_government city"\n', encoding="utf-8")
    words = ["train", "answerer", "--graph", "mine", "--questions", str(questions), "--base", base, "--count", "12"]
    assert run(monkeypatch, *words, "--wordings", str(wordings)) == 0
    folder = tmp_path / "home" / "models" / "mine" / "answerer"
    assert adapter_files("mine") == adapter_files()  # llama.cpp cannot put an adapter of another model on its own

    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert (record["data"]["graph"], record["data"]["wordings"]) == ("mine", "wordings.toml")
    (folder / "training.json").write_text(json.dumps({**record, "base": BASE_NAME}), encoding="utf-8")
    assert adapter_files("mine")["answerer"] == folder / "adapter.gguf"
    assert adapter_files("other") == adapter_files() != adapter_files("mine")
    (folder / "training.json").unlink()
    assert adapter_files("mine")["answerer"] == folder / "adapter.gguf"


def test_an_adapter_that_writes_cypher_learns_the_graphs_schema(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "queries.jsonl"
    cypher = "MATCH (c {name: 'France'})-[:capital]->(x) RETURN x"
    questions.write_text(json.dumps({"question": "Capital of France?", "cypher": cypher}), encoding="utf-8")
    words = ["train", "cypher", "--graph", "mine", "--base", base, "--count", "6"]
    assert run(monkeypatch, *words, "--questions", str(questions)) == 0
    folder = tmp_path / "home" / "models" / "mine" / "cypher"
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert (record["adapter"], record["pairs"], record["settings"]["neftune"]) == ("cypher", 7, 5.0)

    questions.write_text(json.dumps(QUESTION), encoding="utf-8")
    assert run(monkeypatch, *words, "--questions", str(questions)) == 1
    assert "no question in the file has Cypher or a plan" in capsys.readouterr().err


def test_the_answerer_is_tuned_on_pairs_alone(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, folder = str(tmp_path / "tuning.json"), tmp_path / "tuned"
    assert run(monkeypatch, "corpus", "tuning", "--graph", "mine", "--out", pairs, "--count", "4") == 0
    words = ["train", "answerer", "--graph", "mine", "--pairs", pairs, "--base", base, "--out", str(folder)]
    assert run(monkeypatch, *words) == 0
    assert json.loads((folder / "training.json").read_text(encoding="utf-8"))["data"] == {"pairs": "tuning.json"}

    assert run(monkeypatch, *words, "--count", "5") == 2
    assert "training uses only --pairs" in capsys.readouterr().err


def test_pairs_from_files_are_trained_on_as_they_are(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"facts": [["France", "capital", "Paris"]], "text": "Paris is the capital of France."}
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(f"{json.dumps(line)}\n" * 40, encoding="utf-8")
    out = tmp_path / "out"
    words = ["train", "rewriter", "--graph", "mine", "--pairs", str(pairs), "--base", base, "--out", str(out)]
    assert run(monkeypatch, *words) == 0
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert (record["pairs"], record["held_out"], record["data"]) == (38, 2, {"pairs": "pairs.jsonl"})

    pairs.write_text("{", encoding="utf-8")
    assert run(monkeypatch, *words) == 1
    assert "line 1: not JSON" in capsys.readouterr().err
    assert run(monkeypatch, *words[:-1], str(pairs)) == 2
    assert run(monkeypatch, *words, "--wordings", str(pairs)) == 2


def test_a_base_that_is_none_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "train", "rewriter", "--graph", "mine", "--base", str(tmp_path), "--count", "2") == 1
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith(f"kgqa: {tmp_path} has no tokenizer")
    assert run(monkeypatch, "train", "answerer", "--graph", "missing") == 1
    assert run(monkeypatch, "train", "rewriter", "--graph", "mine", "--wordings", "missing.toml") == 1
    assert "wordings file not found: missing.toml" in capsys.readouterr().err


def test_questions_of_another_graph_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"question": "q of Mars", "topic": "Mars", "answers": ["a"], "path": ["r"]}\n', encoding="utf-8")
    words = ("train", "answerer", "--graph", "mine", "--questions", str(other), "--count", "2")
    assert run(monkeypatch, *words) == 1
    assert "check that they are about this graph" in capsys.readouterr().err
