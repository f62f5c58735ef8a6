"""Commands without `--graph` and `--url` are about the only instance of `kgqa up` that runs."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from contracts.graphs import SchemaResponse
from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from graph.plan.schema_json import schema_as_json
from kgqa.console import DEFAULT_URL
from kgqa.running import answerer_url, chosen_graph, graph_schema, open_served_graph
from services.instances import Instance, record_instance
from services.log_folders import log_folder
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import home, retriever_folder
from tests.fakes.serving import serving
from tests.unit.kgqa.test_cli import run

SCHEMA = GraphSchema({"Pet": KindSchema(2, {})}, {"OWNS": RelationshipSchema(1, frozenset({("Pet", "Pet")}))})


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    for name in ("KGQA_URL", "KGQA_NEO4J_URL", "KGQA_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def instances() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def start(instances: ExitStack, *graphs: str, url: str = "http://127.0.0.1:1", is_file: bool = True) -> None:
    """Record an instance that runs until the test ends."""
    folder = instances.enter_context(log_folder(home() / "logs")).path
    retriever, urls = retriever_folder(graphs[0]), {"answerer": url}
    record_instance(folder, Instance(graphs=graphs, is_file=is_file, retriever=retriever, urls=urls))


def test_without_an_instance_the_default_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (chosen_graph(None), answerer_url(None)) == ("world", DEFAULT_URL)
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    assert chosen_graph(None) == "neo4j"


def test_the_only_instance_is_taken(instances: ExitStack) -> None:
    start(instances, "vet", "films", url="http://127.0.0.1:2")
    assert (chosen_graph(None), answerer_url(None)) == ("vet", "http://127.0.0.1:2")
    assert (chosen_graph("films"), answerer_url("http://127.0.0.1:3")) == ("films", "http://127.0.0.1:3")


def test_of_several_instances_the_one_on_the_default_port_is_asked_which_is_said(
    instances: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", "films", url="http://127.0.0.1:8010")
    start(instances, "world", url=DEFAULT_URL)
    assert answerer_url(None) == DEFAULT_URL
    assert capsys.readouterr().err == (
        "2 instances of kgqa up run; this asks http://127.0.0.1:8000 (graph world); to ask another: "
        "--url http://127.0.0.1:8010 (graphs vet, films)\n"
    )
    assert answerer_url("http://127.0.0.1:8010") == "http://127.0.0.1:8010"
    assert capsys.readouterr().err == ""


def test_of_several_instances_the_only_one_with_the_graph_is_asked(
    instances: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", url="http://127.0.0.1:8010")
    start(instances, "world", url=DEFAULT_URL)
    assert answerer_url(None, "vet") == "http://127.0.0.1:8010"
    assert capsys.readouterr().err == ""
    start(instances, "vet", "world", url="http://127.0.0.1:8020")
    assert answerer_url(None, "vet") == DEFAULT_URL
    assert "--url http://127.0.0.1:8020 (graphs vet, world)" in capsys.readouterr().err


def test_several_instances_without_one_on_the_default_port_are_all_named(
    instances: ExitStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", url="http://127.0.0.1:1")
    start(instances, "films", url="http://127.0.0.1:2")
    monkeypatch.setattr("kgqa.running.DEFAULT_URL", "http://127.0.0.1:3")
    assert run(monkeypatch, "ask", "Who?") == 1
    said = capsys.readouterr().err
    assert "this asks http://127.0.0.1:3, which is none of them; to ask another: --url " in said
    assert said.count("http://127.0.0.1:1 (graph vet)") == said.count("http://127.0.0.1:2 (graph films)") == 2


def test_a_graph_that_no_instance_serves_is_said(instances: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
    start(instances, "vet", url=DEFAULT_URL)
    start(instances, "films", url="http://127.0.0.1:2")

    assert answerer_url(None, "nope") == DEFAULT_URL

    assert "2 instances of kgqa up run, and none serves the graph nope; this asks" in capsys.readouterr().err


def test_several_instances_leave_the_choice_of_a_graph_to_the_caller(
    instances: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", url="http://127.0.0.1:2")
    start(instances, "films", url="http://127.0.0.1:3")
    assert chosen_graph(None) == "world"
    said = capsys.readouterr().err
    assert said.startswith("2 instances of kgqa up run; this is about the graph world; for another: --graph NAME")
    assert chosen_graph("vet") == "vet"
    assert capsys.readouterr().err == ""


def test_a_file_is_not_taken_for_the_database_of_the_environment(
    instances: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(instances, "vet")
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    assert chosen_graph(None) == "neo4j"


async def test_the_services_describe_a_database_whose_address_only_they_know(instances: ExitStack) -> None:
    asked: list[str] = []

    async def schema(request: Request) -> JSONResponse:
        asked.append(request.query_params["graph"])
        return JSONResponse(SchemaResponse(**schema_as_json(SCHEMA), graph_version="1").model_dump(mode="json"))

    async with serving(Starlette(routes=[Route("/schema", schema)])) as url:
        start(instances, "vet", url=url, is_file=False)
        assert await graph_schema("vet") == SCHEMA

    assert asked == ["vet"]
    with pytest.raises(InvalidInputError, match="vet is in Neo4j; set KGQA_NEO4J_URL"):
        open_served_graph("vet")
    with pytest.raises(NotFoundError, match="kgqa import"):
        open_served_graph("films")


def test_doctor_and_ask_are_about_the_only_instance(
    instances: ExitStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", is_file=False)
    run(monkeypatch, "doctor", "--port", "9")
    [line] = [line for line in capsys.readouterr().out.splitlines() if " graph " in line]
    assert line.startswith("ok ")
    assert "vet is in Neo4j" in line
    assert run(monkeypatch, "ask", "Who?") == 1
    assert "http://127.0.0.1:1" in capsys.readouterr().err


def test_doctor_checks_the_ports_of_the_only_instance(
    instances: ExitStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start(instances, "vet", url="http://127.0.0.1:18123")
    run(monkeypatch, "doctor")
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines() if " port " in line] == ["18123"]

    start(instances, "films", url="http://127.0.0.1:18127")
    run(monkeypatch, "doctor")
    assert "18123" not in capsys.readouterr().out


def test_trusted_questions_are_those_of_the_only_instance(
    instances: ExitStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "facts.tsv").write_text("Rex\t:LABEL\tPet\n", encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "vet") == 0
    start(instances, "vet")
    plan = {"steps": [{"op": "match", "nodes": [{"variable": "p", "kinds": ["Pet"]}]}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    assert run(monkeypatch, "trust", "add", "Pets", "all pets", "--plan", tmp_path / "plan.json") == 0
    assert str(home() / "trusted" / "vet.jsonl") in capsys.readouterr().err
    assert run(monkeypatch, "trust", "list") == 0
    assert capsys.readouterr().out == "Pets\n  all pets\n"
    assert run(monkeypatch, "trust", "remove", "Pets") == 0
