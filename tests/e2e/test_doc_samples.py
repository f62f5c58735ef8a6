"""The samples of the first pages run against a running `kgqa up`, and print what the pages say."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.processes import free_port
from tests.support.command_line import LLM_KEY, Running, kgqa_up
from tests.support.doc_samples import Command, Sample, prints, read_samples

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs/get-started.md", ROOT / "docs/how-to/chatbot.md"]
SAMPLES = [sample for page in PAGES for sample in read_samples(page)]
RUN = [sample for sample in SAMPLES if not sample.reason]
pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl: apt-get install curl")
_ADDRESS = "http://127.0.0.1:8000"
_TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run `kgqa up` without any setting, as readers do, and give it a file of facts to import."""
    with kgqa_up(tmp_path_factory.mktemp("home")) as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the reader's folder, with a file of facts."""
    (tmp_path / "facts.tsv").write_text("Ann\twrote\tThe Lighthouse\n", encoding="utf-8")
    return tmp_path


def _shell(words: str, demo: Running, folder: Path) -> str:
    """Run a command line, and return what it prints; only a question without an answer may exit with another code."""
    words = re.sub(r"(?:\.venv/bin/)?kgqa (?=[a-z])", f"{sys.executable} -m kgqa ", words)
    words = words.replace(_ADDRESS, demo.urls["answerer"])
    done = subprocess.run(
        ["bash", "-c", words], env=demo.environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == (3 if done.stdout.startswith("I don't know.") else 0), done.stderr
    return done.stdout.replace(demo.urls["answerer"], _ADDRESS)


def _start(words: str, demo: Running) -> None:
    """Start a further `kgqa up` with the options of a sample, on a free port; it uses the demo's language model."""
    options = words.removeprefix("kgqa up ").split()
    options[options.index("--port") + 1] = str(free_port())
    settings: dict[str, str] = {}
    for service in ("REWRITER", "ANSWERER"):
        model = {"URL": demo.urls["embedded_llm"], "MODEL": service.lower(), "API_KEY": LLM_KEY}
        settings |= {f"KGQA_{service}_LLM_{name}": value for name, value in model.items()}
    with kgqa_up(Path(demo.environment["KGQA_HOME"]), *options, settings=settings) as started:
        assert f"the graph {options[options.index('--graph') + 1]}" in started.ready


def _check(command: Command, demo: Running, folder: Path) -> None:
    if command.words.startswith("make "):
        target = command.words.removeprefix("make ").strip()
        assert target in _TARGETS
        if command.printed:
            assert demo.ready.replace(demo.urls["answerer"], _ADDRESS) in command.printed.splitlines()
    elif command.words.startswith("kgqa up "):
        _start(command.words, demo)
    elif command.words != ". .venv/bin/activate":
        printed = _shell(command.words, demo, folder)
        assert command.printed is None or prints(command.printed, printed), printed


@pytest.mark.parametrize("sample", RUN, ids=[sample.name for sample in RUN])
def test_a_sample_runs(sample: Sample, demo: Running, folder: Path) -> None:
    if sample.language == "python":
        (folder / "sample.py").write_text(sample.text.replace(_ADDRESS, demo.urls["answerer"]), encoding="utf-8")
        printed = _shell(f"{sys.executable} sample.py", demo, folder)
        assert prints(sample.printed, printed), printed
    else:
        for command in sample.commands():
            _check(command, demo, folder)


def _is_part(said: Any, found: Any) -> bool:
    """Return whether a reply holds what a page shows of it; numbers may differ in the third decimal."""
    if isinstance(said, dict):
        return all(name in found and _is_part(value, found[name]) for name, value in said.items())
    if isinstance(said, list):
        return len(said) == len(found) and all(map(_is_part, said, found))
    return bool(said == (pytest.approx(found, abs=0.005) if isinstance(said, float) else found))


def test_the_reply_of_get_started_is_part_of_what_is_sent(demo: Running, folder: Path) -> None:
    page = PAGES[1]
    [shown] = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    [asked] = [sample for sample in read_samples(page) if sample.text.startswith("curl")]
    reply = json.loads(_shell(asked.text, demo, folder))
    assert _is_part(json.loads(shown), reply), reply


def test_the_pages_have_samples_of_each_kind() -> None:
    assert {sample.language for sample in RUN} == {"sh", "console", "python"}
    assert len(SAMPLES) - len(RUN) == 5
