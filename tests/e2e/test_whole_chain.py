"""Questions over HTTP to the real services with the real graph, retriever, language model and adapters."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from question_sets.records import open_text
from shared.exact_match import named
from tests.support.command_line import Running
from tests.support.own_process import kgqa

GRAPH = Path(__file__).parents[2] / "examples" / "world" / "graph.tsv.xz"

FORMATS = ["text", "template", "triples", "yaml", "none"]


def ask(running: Running, **body: Any) -> dict[str, Any]:
    reply = httpx.post(f"{running.urls['answerer']}/ask", json=body, timeout=60, trust_env=False)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def best(response: dict[str, Any]) -> set[str]:
    return {answer["value"] for answer in response["answers"]}


def test_one_hop_with_evidence(running: Running) -> None:
    response = ask(running, question="What is the capital of France?")
    assert best(response) == {"Paris"}
    assert "Paris" in response["answer"]
    assert not response["abstained"]
    assert response["topic_entities"][0]["entity"] == "France"
    assert response["hops"]["predicted"] == 1
    assert response["relation_paths"][0]["relations"] == ["capital"]
    (index,) = response["answers"][0]["evidence"]
    evidence = response["evidence"][index]
    assert {"subject": "France", "relation": "capital", "object": "Paris"} in evidence["triples"]
    assert "Paris" in evidence["text"]
    assert response["degraded"] == []
    assert response["timings_ms"]["total"] > 0


def test_a_query_plan_counts_filters_and_sorts(running: Running) -> None:
    plan = {
        "steps": [
            {
                "op": "match",
                "nodes": [{"variable": "country"}, {"variable": "neighbour"}],
                "relationships": [{"source": "country", "target": "neighbour", "types": ["borders"]}],
                "where": _compared("country", "name", "=", "Switzerland"),
            },
            {"op": "filter", "condition": _compared("neighbour", "area_km2", ">", 100_000)},
            {"op": "order", "keys": [{"value": _property("neighbour", "area_km2"), "descending": True}]},
            {"op": "project", "columns": [{"name": "neighbour", "value": _property("neighbour", "name")}]},
        ]
    }

    reply = httpx.post(f"{running.urls['retriever']}/plan", json={"plan": plan}, timeout=60, trust_env=False)

    assert reply.status_code == 200, reply.text
    assert (reply.json()["rows"], reply.json()["answer_type"]) == ([["France"], ["Germany"], ["Italy"]], "values")


def test_a_query_plan_that_does_not_fit_the_graph_is_explained(running: Running) -> None:
    plan = {"steps": [{"op": "match", "nodes": [{"variable": "c", "kinds": ["Film"]}]}]}

    reply = httpx.post(f"{running.urls['retriever']}/plan", json={"plan": plan}, timeout=60, trust_env=False)

    assert reply.status_code == 422
    assert reply.json()["detail"].startswith("steps.0.nodes.0.kinds.0: unknown kind 'Film'")


def _property(variable: str, key: str) -> dict[str, Any]:
    return {"op": "property", "variable": variable, "key": key}


def _compared(variable: str, key: str, operator: str, value: object) -> dict[str, Any]:
    constant = {"op": "constant", "value": value}
    return {"op": "comparison", "operator": operator, "left": _property(variable, key), "right": constant}


def test_two_things_are_connected_by_a_path_of_facts(running: Running) -> None:
    response = ask(running, question="How are Bern and Vienna connected?")

    assert (response["answer_type"], response["abstained"]) == ("paths", False)
    path, *_ = response["answers"]
    assert path["value"].startswith("Bern ") and path["value"].endswith(" Vienna")
    steps = response["evidence"][path["evidence"][0]]["triples"]
    assert {"Bern", "Switzerland", "Austria", "Vienna"} == {
        name for one in steps for name in (one["subject"], one["object"])
    }
    assert "Bern and Vienna are connected through Switzerland" in response["answer"]
    again = httpx.post(
        f"{running.urls['answerer']}/plan",
        json={"plan": {"steps": response["plan"]["steps"]}},
        timeout=60,
        trust_env=False,
    )
    assert again.status_code == 200, again.text
    assert [node["name"] for node in again.json()["rows"][0][0]] == ["Bern", "Switzerland", "Austria", "Vienna"]


def test_a_name_that_the_graph_lacks_has_no_connection_to_anything(running: Running) -> None:
    response = ask(running, question="Are Bern and Xanaduvania related?")

    assert response["abstained"]
    assert "The graph has no entity named Xanaduvania." in [one["text"] for one in response["warnings"]]


def test_what_is_connected_to_one_thing_is_no_path(running: Running) -> None:
    assert ask(running, question="Which countries are connected to Portugal?")["answer_type"] != "paths"


def test_a_list_is_complete(running: Running) -> None:
    response = ask(running, question="which countries border switzerland")
    assert best(response) == {"Austria", "France", "Germany", "Italy", "Liechtenstein"}


def test_a_long_list_is_given_whole_and_its_text_says_how_many_more(running: Running) -> None:
    with open_text(GRAPH) as lines:
        facts = [line.rstrip("\n").split("\t") for line in lines]
    cities = {subject for subject, relation, object_ in facts if (relation, object_) == ("located_in", "South Africa")}
    response = ask(running, question="Which cities are located in South Africa?")
    assert best(response) == cities
    assert len(cities) > 140
    assert not response["truncated"]
    said = named(response["answer"], cities)
    (more,) = re.findall(r"(\d+) more", response["answer"])
    assert len(said) + int(more) == len(cities)
    assert len(said) >= 5


def test_a_number_below_zero_keeps_its_sign(running: Running) -> None:
    response = ask(running, question="What is the elevation in feet of Amsterdam Airport Schiphol?")
    assert best(response) == {"-11"}
    assert named(response["answer"], ["-11", "11"]) == ["-11"]
    (evidence,) = [item["text"] for item in response["evidence"] if item["text"]]
    assert named(evidence, ["-11", "11"]) == ["-11"]


def test_more_than_one_hop(running: Running) -> None:
    response = ask(running, question="What currency is used in the country whose capital is Ankara?")
    assert best(response) == {"Turkish Lira"}
    assert response["hops"]["predicted"] == 2


def test_misspelt_and_lower_case(running: Running) -> None:
    assert best(ask(running, question="what is the capital of portugl")) == {"Lisbon"}


def test_a_given_topic_entity(running: Running) -> None:
    assert best(ask(running, question="What is its capital?", topic_entity="peru", cost_of_wrong=1)) == {"Lima"}


@pytest.mark.parametrize("knowledge", FORMATS)
def test_every_format_answers(running: Running, knowledge: str) -> None:
    response = ask(running, question="What is the capital of Norway?", format=knowledge)
    assert best(response) == {"Oslo"}
    assert "Oslo" in response["evidence"][0]["text"]


def test_what_the_graph_does_not_know(running: Running) -> None:
    response = ask(running, question="Who is the president of France?")
    assert response["abstained"]
    assert response["answers"] == []
    assert "know" in response["answer"]


def test_an_unknown_topic_entity_is_a_clear_404(running: Running) -> None:
    reply = httpx.post(
        f"{running.urls['answerer']}/ask",
        json={"question": "What is its capital?", "topic_entity": "Wakanda Forever"},
        timeout=60,
        trust_env=False,
    )
    assert reply.status_code == 404
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["type"] == "urn:kgqa:error:unknown-topic-entity"
    assert "Wakanda Forever" in reply.json()["detail"]


@pytest.mark.parametrize("service", ["answerer", "retriever", "rewriter"])
def test_operations(running: Running, service: str) -> None:
    url = running.urls[service]
    assert httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
    assert httpx.get(f"{url}/readyz", trust_env=False).json()["status"] == "ready"
    assert "kgqa_requests_total" in httpx.get(f"{url}/metrics", trust_env=False).text
    schema = httpx.get(f"{url}/openapi.json", trust_env=False).json()
    assert "examples" in json.dumps(schema["components"]["schemas"])


def test_many_at_once(running: Running) -> None:
    capitals = {"Norway": "Oslo", "Peru": "Lima", "Kenya": "Nairobi", "Japan": "Tokyo"}
    with ThreadPoolExecutor(8) as pool:
        asked = [(c, pool.submit(ask, running, question=f"What is the capital of {c}?")) for c in [*capitals] * 4]
    for country, future in asked:
        assert best(future.result()) == {capitals[country]}


def _kgqa(running: Running, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "kgqa", *words]
    return subprocess.run(command, env=running.environment, capture_output=True, text=True, timeout=90, check=False)


def test_the_command_line_asks(running: Running) -> None:
    done = _kgqa(running, "ask", "What is the capital of Chile?")
    assert done.returncode == 0, done.stderr
    assert "Santiago" in done.stdout


def test_the_command_line_explains(running: Running) -> None:
    done = kgqa(running.environment, "ask", "--explain", "What is the capital of Chile?")
    assert "plan        Chile -capital-> answer" in done.out
    assert "query       " in done.out
    assert "parameters  {" in done.out


def test_the_plan_of_an_answer_can_be_run_again(running: Running) -> None:
    response = ask(running, question="Which countries border Switzerland?")
    plan = {"steps": response["plan"]["steps"]}
    reply = httpx.post(f"{running.urls['retriever']}/plan", json={"plan": plan}, timeout=60, trust_env=False)
    assert {node["name"] for (node,) in reply.json()["rows"]} == best(response)


def test_the_command_line_prints_json(running: Running) -> None:
    done = kgqa(running.environment, "ask", "--json", "What is the capital of Chile?")
    assert json.loads(done.out)["answers"][0]["value"] == "Santiago"


def test_exit_code_3_says_that_there_is_no_answer(running: Running) -> None:
    assert kgqa(running.environment, "ask", "Who is the president of France?").code == 3


def test_a_second_up_says_which_port_is_taken(running: Running) -> None:
    done = _kgqa(running, "up")
    assert done.returncode == 1
    assert "is in use" in done.stderr
    assert "Traceback" not in done.stderr
