"""The page on trusted questions is true of a running `kgqa up`."""

import re
import shlex
from pathlib import Path

import pytest

from kgqa.client import Client
from tests.support.command_line import Running
from tests.support.own_process import kgqa

_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "trusted-questions.md"


def test_the_question_of_the_page_is_pinned_and_served(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    [plan] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    [commands] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    (tmp_path / "plan.json").write_text(plan, encoding="utf-8")
    add, listed, remove = map(shlex.split, commands.splitlines())

    monkeypatch.chdir(tmp_path)

    def run(words: list[str]) -> str:
        ended = kgqa(running.environment, *words[1:])
        assert ended.code == 0, ended.err
        return ended.out

    with Client(running.urls["answerer"]) as client:
        run(add)
        assert run(listed).startswith("Neighbours\n  neighbours of {country:Country}\n")
        reply = client.ask("Who are Portugal's neighbours?")
        assert (reply.trusted, [one.value for one in reply.answers], reply.confidence) == ("Neighbours", ["Spain"], 1.0)
        assert client.ask("neighbours of France without Spain").trusted is None
        run(remove)
        assert client.ask("Who are Portugal's neighbours?").trusted is None
