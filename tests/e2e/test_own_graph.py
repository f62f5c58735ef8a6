"""A user's own graph through the command line: import, train, evaluate."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import clean_environment

pytestmark = pytest.mark.train

FILMS = {"Red Dust": ("Ann Lee", "1999"), "Blue Hour": ("Bo Kim", "2004"), "Long Road": ("Ann Lee", "2011")}
WORDINGS = {
    ("directed_by",): ["who directed {x}", "who is the director of {x}", "{x} was directed by whom"],
    ("release_year",): ["when was {x} released", "what year did {x} come out", "release year of {x}"],
    ("^directed_by",): ["what did {x} direct", "films directed by {x}", "which films did {x} make", "movies of {x}"],
    ("^directed_by", "release_year"): ["when did the films of {x} come out", "years of {x}'s films"],
    (): ["who composed the music of {x}", "what did {x} cost", "is {x} any good"],
}  # fmt: skip


def _answers(topic: str, path: tuple[str, ...]) -> list[str]:
    directed = [film for film, (director, _) in FILMS.items() if director == topic]
    match path:
        case ("directed_by",):
            return [FILMS[topic][0]]
        case ("release_year",):
            return [FILMS[topic][1]]
        case ("^directed_by",):
            return directed
        case ("^directed_by", "release_year"):
            return [FILMS[film][1] for film in directed]
        case _:
            return []


def write_films(folder: Path) -> tuple[Path, Path]:
    """Write the facts about three films, and questions with paths."""
    facts, questions = folder / "films.tsv", folder / "questions.jsonl"
    facts.write_text(
        "".join(f"{film}\tdirected_by\t{who}\n{film}\trelease_year\t{year}\n" for film, (who, year) in FILMS.items()),
        encoding="utf-8",
    )
    lines = []
    for path, wordings in WORDINGS.items():
        topics = [who for who, _ in FILMS.values()] if path and path[0].startswith("^") else list(FILMS)
        for wording in wordings:
            for topic in dict.fromkeys(topics):
                row = {
                    "question": wording.format(x=topic),
                    "topic": topic,
                    "answers": _answers(topic, path),
                    "path": path,
                }
                lines.append(json.dumps(row) + "\n")
    questions.write_text("".join(lines), encoding="utf-8")
    return facts, questions


def test_an_interrupted_training_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    facts, questions = write_films(tmp_path)
    few = questions.read_text(encoding="utf-8")
    # Enough to train on for longer than it takes to say so.
    questions.write_text("".join(few.replace('", "topic"', f' {n}", "topic"') for n in range(20)), encoding="utf-8")
    environment = clean_environment(tmp_path / "home")
    program = [sys.executable, "-m", "kgqa"]
    subprocess.run([*program, "import", str(facts), "--graph", "films"], env=environment, check=True)
    out = tmp_path / "model"
    command = [*program, "train", "retriever", "--graph", "films", "--questions", str(questions), "--out", str(out)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        # Its first sign of life comes in the midst of training.
        assert process.stderr is not None
        assert "training: " in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert "interrupted; the packaged base model stays in service" in said
    assert process.returncode != 0
    assert not out.exists()


def test_questions_that_no_answer_bears_out_are_warned_of(tmp_path: Path) -> None:
    facts, questions = write_films(tmp_path)
    records = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    questions.write_text("".join(json.dumps({**one, "answers": []}) + "\n" for one in records), encoding="utf-8")
    environment = clean_environment(tmp_path / "home")
    program = [sys.executable, "-m", "kgqa"]
    subprocess.run([*program, "import", str(facts), "--graph", "films"], env=environment, check=True)
    command = [*program, "train", "retriever", "--graph", "films", "--questions", str(questions), "--force"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no answers to fit it to" in done.stdout


def test_import_train_and_evaluate(tmp_path: Path) -> None:
    facts, questions = write_films(tmp_path)
    environment = clean_environment(tmp_path / "home")

    def kgqa(*words: str) -> str:
        command = [sys.executable, "-m", "kgqa", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    kgqa("import", str(facts), "--graph", "films")
    files = ["--questions", str(questions), "--valid", str(questions)]
    said = kgqa("train", "retriever", "--graph", "films", *files, "--force")
    assert "path accuracy" in said
    assert "questions kept aside" in said
    report = tmp_path / "report.json"
    evaluate = ["evaluate", "--graph", "films", "--questions", str(questions), "--report", str(report)]
    evaluate += ["--topic", "linked", "--no-answerer"]
    kgqa(*evaluate, "--threshold", "1", "--beam", "1", "--max-paths", "1")
    silent = json.loads(report.read_text(encoding="utf-8"))
    assert silent["abstained"] == silent["questions"]
    kgqa(*evaluate)
    figures = json.loads(report.read_text(encoding="utf-8"))
    # Forty questions are enough to show that the chain learns, not how well.
    assert figures["strict_hits1"] > 0.75
    assert figures["linking_accuracy"] > 0.9
    assert figures["answerer_hits1"] is None
