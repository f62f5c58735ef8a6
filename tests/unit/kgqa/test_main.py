"""The program ends without a traceback if Ctrl-C interrupts it before or while a command runs."""

import sys
from collections.abc import Sequence
from types import ModuleType

import pytest

from kgqa.__main__ import main


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


class _InterruptedImport:
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == "kgqa.cli":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_commands_are_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "kgqa.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_InterruptedImport(), *sys.meta_path])

    with pytest.raises(SystemExit, match="130"):
        main()

    assert capsys.readouterr().err == "interrupted\n"


def test_ctrl_c_while_a_command_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("kgqa.cli")
    module.main = _interrupted  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "kgqa.cli", module)

    with pytest.raises(SystemExit, match="130"):
        main()

    assert capsys.readouterr().err == "interrupted\n"
