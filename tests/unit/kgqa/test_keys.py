from pathlib import Path

import pytest

from shared.access import Access
from shared.api_keys import ApiKeys, caller_keys
from shared.paths import graph_file, keys_file
from tests.unit.kgqa.test_cli import run


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))


def test_a_key_is_printed_once_and_only_its_hash_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "keys", "add", "chatbot") == 0
    key = capsys.readouterr().out.strip()
    assert run(monkeypatch, "keys", "export") == 0
    exported = capsys.readouterr().out

    assert ApiKeys(caller_keys(exported)).caller(key) == "chatbot"
    assert key not in exported + keys_file().read_text(encoding="utf-8")
    assert keys_file().stat().st_mode & 0o777 == 0o600


def test_callers_are_listed_and_removed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "keys", "add", "page") == 0
    assert run(monkeypatch, "keys", "add", "chatbot", "--per-minute", "60") == 0
    capsys.readouterr()
    assert run(monkeypatch, "keys", "list") == 0
    assert capsys.readouterr().out.splitlines() == ["chatbot  60 per minute", "page"]
    assert run(monkeypatch, "keys", "remove", "page") == 0
    assert "A kgqa up that was started with a key sees the change at once" in capsys.readouterr().err
    assert run(monkeypatch, "keys", "remove", "page") == 1
    assert "there is no key of page" in capsys.readouterr().err
    assert run(monkeypatch, "keys", "remove", "chatbot") == 0
    assert "refuses everyone" in capsys.readouterr().err


def test_that_there_are_no_keys_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "keys", "list") == 0
    assert capsys.readouterr() == ("", "there are no keys, so kgqa up answers everyone; add one: kgqa keys add NAME\n")


def test_a_key_may_say_what_a_wrong_answer_costs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "keys", "add", "page", "--cost-of-wrong", "0") == 0
    assert run(monkeypatch, "keys", "add", "reports", "--cost-of-wrong", "2.5") == 0
    capsys.readouterr()
    assert run(monkeypatch, "keys", "list") == 0
    assert capsys.readouterr().out.splitlines() == ["page  a wrong answer costs 0", "reports  a wrong answer costs 2.5"]
    assert run(monkeypatch, "keys", "export") == 0
    keys = ApiKeys(caller_keys(capsys.readouterr().out))
    assert (keys.cost_of_wrong("page"), keys.cost_of_wrong("reports"), keys.are_restricted) == (0, 2.5, False)
    assert run(monkeypatch, "keys", "add", "other", "--cost-of-wrong", "1001") == 2


def test_a_key_may_be_for_some_graphs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "keys", "add", "chatbot", "--graph", "films", "--graph", "people") == 0
    key = capsys.readouterr().out.strip()
    assert run(monkeypatch, "keys", "list") == 0
    assert capsys.readouterr().out == "chatbot  only films, people\n"
    assert run(monkeypatch, "keys", "export") == 0
    keys = ApiKeys(caller_keys(capsys.readouterr().out))
    assert keys.caller(key) == "chatbot"
    assert keys.access("chatbot") == Access(("films", "people"))
    assert run(monkeypatch, "keys", "add", "page", "--graph", "../films") == 1
    assert "not a name of a graph" in capsys.readouterr().err


def test_a_key_for_a_graph_that_does_not_exist_is_created_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "keys", "add", "early", "--graph", "films") == 0
    assert "warning: there is no graph 'films' yet; there are no graphs" in capsys.readouterr().err
    for name in ("films", "people"):
        graph_file(name).parent.mkdir(parents=True, exist_ok=True)
        graph_file(name).touch()
    assert run(monkeypatch, "keys", "add", "chatbot", "--graph", "film", "--graph", "people", "--graph", "world") == 0
    said = capsys.readouterr().err
    assert "warning: there is no graph 'film' yet; did you mean 'films'? the graphs are films, people" in said
    assert said.count("warning") == 1, "the graph exists, or kgqa up imports it"


@pytest.mark.parametrize(("databases", "is_warned"), [("neo4j", False), ("films=neo4j,people=hr", True)])
def test_graphs_of_a_database_have_the_names_of_its_settings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], databases: str, is_warned: bool
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:7687")
    monkeypatch.setenv("KGQA_NEO4J_DATABASE", databases)
    assert run(monkeypatch, "keys", "add", "chatbot", "--graph", "films", "--graph", "nope") == 0
    said = capsys.readouterr().err
    assert ("there is no graph 'nope' yet; the graphs are films, people" in said) is is_warned
    assert "'films'" not in said


def test_a_key_may_have_a_scope(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "keys", "add", "chatbot", "--scope", "Document.tenant=42", "--scope", 'A.b = "c"') == 0
    capsys.readouterr()
    assert run(monkeypatch, "keys", "list") == 0
    assert capsys.readouterr().out == 'chatbot  where Document.tenant = 42  where A.b = "c"\n'
    assert run(monkeypatch, "keys", "export") == 0
    keys = ApiKeys(caller_keys(capsys.readouterr().out))
    assert keys.access("chatbot") == Access(None, ("Document.tenant = 42", 'A.b = "c"'))
    assert keys.are_restricted
    assert run(monkeypatch, "keys", "add", "page", "--scope", "tenant = 42") == 1
    assert "such as Document.tenant = 42" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "said"), [("a b", "not a name of a caller"), ("chatbot", "has a key already")])
def test_a_wrong_caller_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    run(monkeypatch, "keys", "add", "chatbot")
    assert run(monkeypatch, "keys", "add", name) == 1
    assert said in capsys.readouterr().err


def test_a_damaged_file_is_explained(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    keys_file().parent.mkdir(parents=True)
    keys_file().write_text("{", encoding="utf-8")
    assert run(monkeypatch, "keys", "list") == 1
    assert "api-keys.json: expected JSON" in capsys.readouterr().err
