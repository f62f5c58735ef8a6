"""Variables that no part reads are named, with what they may be meant to be."""

import re
from pathlib import Path

import pytest

from services.known_settings import known_variables, unknown_settings

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "configuration.md"
_PARTS = ("ANSWERER", "RETRIEVER", "REWRITER")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in unknown_settings():
        monkeypatch.delenv(name.split()[0])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("KGQA_LLM_PORT", "'KGQA_EMBEDDED_LLM_PORT'"),
        ("KGQA_NEO4J_HIDES", "'KGQA_NEO4J_HIDE'"),
        ("kgqa_answerer_api_key", "'KGQA_ANSWERER_API_KEYS'"),
    ],
)
def test_an_unknown_variable_is_named_without_its_value(name: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "secret")
    [problem] = unknown_settings()
    assert problem.startswith(f"{name} is not a setting, so it has no effect; did you mean {meant}")
    assert "secret" not in problem


def test_all_documented_variables_are_known_and_the_other_way_round() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    named = set(re.findall(r"KGQA_[A-Z0-9*_]*[A-Z0-9]", text))
    documented = {name.replace("*", part) for name in named for part in _PARTS}
    documented = {name for name in documented if not name.startswith("KGQA_TEST_")} - {"KGQA_PUBLISH"}
    known = {name for name in known_variables() if name.startswith("KGQA_")}
    assert documented == known


def test_known_variables_and_those_of_other_programs_are_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KGQA_HOME", "KGQA_TEST_ANYTHING", "KGQAX", "OTEL_ANYTHING", "kgqa_answerer_port"):
        monkeypatch.setenv(name, "1")
    assert unknown_settings() == []
