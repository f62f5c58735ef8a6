"""Test the output, exit codes, and one-line errors of the program; the packages behind it have their own tests."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kgqa.cli import main
from services.local_stack import check_servable
from shared import __version__

FACTS = "France\tcapital\tParis\nFrance\talias\tFR\n"


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


def test_prints_the_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"kgqa {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "nofile"),
        ("trust", "add", "Capitals", "capitals", "--plan", "nofile"),
        ("restore", "nofile"),
        ("import", "nofile", "--graph", "mine"),
        ("evaluate", "--graph", "mine", "--questions", "nofile", "--report", "report.json", "--no-answerer"),
        ("label", "--graph", "mine", "--questions", "nofile", "--out", "out"),
    ],
)
def test_a_file_that_does_not_exist_is_named_without_a_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (tmp_path / "facts.tsv").write_text(FACTS, encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "mine") == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, *words) in (1, 2)
    said = capsys.readouterr().err
    assert "nofile" in said
    assert "Errno" not in said
    assert "Traceback" not in said


def test_a_folder_in_place_of_a_file_is_named_without_a_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "replay", tmp_path) == 1
    assert capsys.readouterr().err == f"kgqa: {tmp_path}: is a directory\n"


@pytest.mark.parametrize("words", [("up",), ("keys", "add", "chatbot"), ("import", "facts.tsv", "--graph", "mine")])
def test_a_folder_for_graphs_that_cannot_be_created_is_explained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (tmp_path / "facts.tsv").write_text(FACTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    home = "/proc/kgqa"  # where not even root creates folders
    monkeypatch.setenv("KGQA_HOME", home)
    assert run(monkeypatch, *words) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"kgqa: cannot write to KGQA_HOME, which is {home}: ")
    assert said.endswith("; set KGQA_HOME to a folder that this user may create, or write to")
    assert "Errno" not in said


def test_import_says_what_it_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(FACTS, encoding="utf-8")
    assert run(monkeypatch, "import", file, "--graph", "mine") == 0
    assert "1 triple, 2 entities, 1 relation, 1 alias" in capsys.readouterr().out
    assert (tmp_path / "home" / "graphs" / "mine.sqlite").is_file()


def test_import_joins_files_and_says_how_they_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in {"h.csv": ":ID|name\n", "n.csv": "1|Ann\n2|Bo\n", "r.csv": ":START_ID|:END_ID\n1|2\n"}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    nodes, relationships = f"{tmp_path}/h.csv,{tmp_path}/n.csv", f"KNOWS={tmp_path}/r.csv"
    words = ("import", "--nodes", nodes, "--relationships", relationships, "--graph", "mine")
    assert run(monkeypatch, *words, "--delimiter", "|") == 0
    shown = capsys.readouterr().out
    assert "h.csv, n.csv, r.csv: separated by bars, not quoted, line ends LF" in shown
    assert "without a kind: 2 nodes" in shown
    assert run(monkeypatch, *words, "--delimiter", "||") == 1
    assert "--delimiter is '||'; set one character or TAB" in capsys.readouterr().err


def test_import_counts_literals_without_a_property(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.nt"
    file.write_text('<http://e.org/s> <http://e.org/p> "x"^^<http://e.org/t> .\n', encoding="utf-8")
    assert run(monkeypatch, "import", file, "--graph", "mine") == 0
    assert "kept the text of 1 literal without a property" in capsys.readouterr().out


def test_import_says_what_it_replaced_and_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(f"{FACTS}Atlantis\talias\tAT\n", encoding="utf-8")
    assert run(monkeypatch, "import", file, "--graph", "world") == 0
    first = capsys.readouterr().out
    assert "left out 1 name of entities that no fact mentions" in first
    assert "replaced" not in first
    assert run(monkeypatch, "import", file, "--graph", "world") == 0
    again = capsys.readouterr().out
    assert "replaced the existing graph of that name; a running kgqa up serves the new graph" in again
    assert "it was the demo" in again


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bolt://neo4j:pa55@db:7687"], "the URL contains a user or password"),
        (["http://db:7474"], "expected a URL like bolt://host:7687"),
        (["bolt://db:7687", "facts.tsv"], "a URL cannot be combined with other files"),
        (["bolt://db:7687", "--to", "neo4j"], "--to neo4j is only for files"),
        (["bolt://127.0.0.1:1"], "check that it is running and that the URL is correct"),
    ],
)
def test_a_wrong_url_to_import_is_one_line_without_the_password(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, "import", *words, "--graph", "mine") == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert "pa55" not in error
    assert not list(tmp_path.rglob("*.sqlite*"))


@pytest.mark.parametrize(
    ("url", "message"),
    [("", "KGQA_NEO4J_URL is not set"), ("bolt://127.0.0.1:1", "Neo4j at bolt://127.0.0.1:1 did not respond")],
)
def test_no_graph_is_replaced_if_the_database_cannot_take_a_copy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, message: str
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(FACTS, encoding="utf-8")
    if url:
        monkeypatch.setenv("KGQA_NEO4J_URL", url)
    assert run(monkeypatch, "import", file, "--graph", "mine", "--to", "neo4j") == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.sqlite*"))


def test_a_database_that_is_down_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    assert run(monkeypatch, "schema") == 1
    error = capfd.readouterr().err
    assert error.startswith("kgqa: Neo4j at bolt://127.0.0.1:1 did not respond (the connection was refused); check")
    assert error.count("\n") == 1


def test_a_report_never_takes_the_questions_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "q", "answers": []}\n', encoding="utf-8")
    assert run(monkeypatch, "evaluate", "--graph", "g", "--questions", file, "--report", file) == 2
    assert "is the question file; set a different file" in capsys.readouterr().err
    missing, report = tmp_path / "missing.jsonl", tmp_path / "report.json"
    for errors in (report, tmp_path / "report.json.outcomes.jsonl"):
        words = ("evaluate", "--graph", "g", "--questions", missing, "--report", report, "--errors", errors)
        assert run(monkeypatch, *words) == 2
        assert "set a different file for the errors" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith('{"question"')


def test_a_corpus_never_takes_another_files_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "q", "answers": []}\n', encoding="utf-8")
    server = ("--llm-url", "http://127.0.0.1:9", "--llm-model", "m")
    assert run(monkeypatch, "corpus", "build", "--graph", "g", "--questions", file, "--out", file, *server) == 2
    assert "no journal to resume" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8").startswith('{"question"')


@pytest.mark.parametrize("name", ["../up", "", "a b", "-x", "x/y", "ü"])
def test_a_graph_name_that_is_no_file_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(FACTS, encoding="utf-8")
    assert run(monkeypatch, "import", file, f"--graph={name}") == 1
    assert "is not a valid graph name" in capsys.readouterr().err


def test_a_bad_line_fails_a_strict_import_with_one_message_and_no_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(f"{FACTS}France\tcapital\n", encoding="utf-8")
    assert run(monkeypatch, "import", file, "--graph", "mine", "--strict") == 1
    error = capsys.readouterr().err
    assert "line 3" in error
    assert "Traceback" not in error
    assert not list((tmp_path / "home").rglob("*.sqlite"))


@pytest.mark.parametrize(
    "words", [["import"], ["evaluate"], ["ask", "--json"], ["fly"], ["import", "x.tsv"], ["up", "--gpu"]]
)
def test_wrong_use_is_exit_code_2(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert run(monkeypatch, *words) == 2


def test_up_without_a_graph_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "up", "--graph", "mine") == 1
    assert "kgqa import" in capsys.readouterr().err


def test_a_graph_without_a_trained_retriever_is_served_with_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(FACTS, encoding="utf-8")
    run(monkeypatch, "import", file, "--graph", "mine")
    warnings: list[str] = []

    asyncio.run(check_servable("mine", tmp_path / "none", warnings.append))

    assert [warning for warning in warnings if "kgqa train retriever --graph mine" in warning] == warnings
    assert len(warnings) == 1


def test_ask_without_a_service_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_URL", "http://127.0.0.1:9")
    assert run(monkeypatch, "ask", "capital of France?") == 1
    assert "kgqa up" in capsys.readouterr().err


@pytest.mark.parametrize("question", ["", "   ", "x" * 1001])
def test_ask_refuses_what_is_no_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], question: str
) -> None:
    assert run(monkeypatch, "ask", question) == 1
    assert "the question should have at" in capsys.readouterr().err


def test_evaluate_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "q.jsonl"
    questions.write_text(json.dumps({"question": "q", "answers": ["a"]}), encoding="utf-8")
    words = ["evaluate", "--graph", "mine", "--questions", str(questions), "--report", str(tmp_path / "r.json")]
    assert run(monkeypatch, *words, "--no-answerer") == 1
    assert "mine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mode", "paper"), "requires questions with paths; set --questions"),
        (("--encoder", "bert-base-uncased"), "--encoder applies only to --mode paper"),
        (("--mode", "other"), "'other' is not one of 'served', 'paper'"),
    ],
)
def test_options_of_training_that_do_not_go_together_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert run(monkeypatch, "train", "retriever", "--graph", "mine", *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sample", "3"], "require --formats"),
        (["--formats", "text", "--threshold", "0.5"], "conflict with --formats"),
        (["--formats", "text", "--format", "yaml"], "conflict with --formats"),
        (["--formats", "prose"], "valid formats are none, triples"),
    ],
)
def test_options_that_would_have_no_effect_are_refused(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    report = tmp_path / "report.json"
    command = ("evaluate", "--graph", "g", "--questions", tmp_path / "q.jsonl", "--report", report)
    assert run(monkeypatch, *command, *words) == 2
    assert said in capsys.readouterr().err


def test_help_shows_the_defaults(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "up", "--help") == 0
    assert "[default: the graph's own under KGQA_HOME]" in " ".join(capsys.readouterr().out.split())


def test_the_guide_is_printed_as_a_page_and_as_a_skill(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "guide") == 0
    page = capsys.readouterr().out
    assert page.startswith("# How to use kgqa's tools\n")
    assert run(monkeypatch, "guide", "--skill") == 0
    skill = capsys.readouterr().out
    assert skill.startswith("---\nname: kgqa\ndescription: ")
    assert skill.endswith(f"\n---\n\n{page}")


def test_mcp_refuses_what_is_not_a_url(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "mcp", "--url", "localhost") == 1
    assert "is not the URL of an answerer" in capsys.readouterr().err


def test_the_commands_import_no_service_until_they_need_it() -> None:
    program = "import sys, kgqa.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert not {"fastapi", "starlette", "uvicorn", "numpy", "onnxruntime", "neo4j", "mcp", "torch"} & {*shown.split()}
