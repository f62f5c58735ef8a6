import errno
from pathlib import Path

import pytest

from shared.paths import home_problem

# Not even root creates folders here.
_NOWHERE = "/proc/kgqa"


def _denied(place: str | Path | None) -> OSError:
    return PermissionError(errno.EACCES, "Permission denied", place if place is None else str(place))


@pytest.mark.parametrize("place", [_NOWHERE, f"{_NOWHERE}/graphs/films.sqlite", "/proc"])
def test_a_folder_that_cannot_be_created_is_named(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("KGQA_HOME", _NOWHERE)
    said = "cannot write to KGQA_HOME, which is /proc/kgqa: Permission denied; set KGQA_HOME to a folder"
    assert (home_problem(_denied(place)) or "").startswith(said)


def test_the_default_folder_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGQA_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/proc")
    said = "cannot write to the folder for graphs, /proc/kgqa: Permission denied; set KGQA_HOME to a folder"
    assert (home_problem(_denied(_NOWHERE)) or "").startswith(said)


@pytest.mark.parametrize("place", ["/etc/facts.tsv", "", None])
def test_other_places_are_not_blamed_on_the_folder(monkeypatch: pytest.MonkeyPatch, place: str | None) -> None:
    monkeypatch.setenv("KGQA_HOME", _NOWHERE)
    assert home_problem(_denied(place)) is None


def test_a_folder_that_can_be_written_is_not_the_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    assert home_problem(_denied(tmp_path / "graphs")) is None


def test_an_error_does_not_hide_behind_a_folder_that_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", __file__)
    assert home_problem(_denied("/etc/facts.tsv")) is None
