"""No service accepts a body with text or numbers that it could not write again."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import assume, given
from hypothesis import strategies as st

from services.answerer.app import create_app as create_answerer
from services.answerer.settings import AnswererSettings
from services.llm.app import create_app as create_llm
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from services.rewriter.app import create_app as create_rewriter
from services.rewriter.settings import RewriterSettings
from tests.fakes.llm import ScriptedModel
from tests.support.command_line import WORLD
from tests.support.property_graphs import shop_graph, write_graph_file
from tests.unit.services.llm.test_app import FakeModels

Json = dict[str, Any]
_NAME: Json = {"op": "property", "variable": "a", "key": "name"}
_JSON = {"Content-Type": "application/json", "Authorization": "Bearer key"}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TestClient]]:
    home = tmp_path_factory.mktemp("home")
    (home / "graphs").mkdir()
    write_graph_file(shop_graph(), home / "graphs" / "shop.sqlite")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("KGQA_HOME", str(home))
        model = ScriptedModel([])
        apps: dict[str, FastAPI] = {
            "answerer": create_answerer(AnswererSettings(feedback_file=home / "feedback.jsonl"), model=model),
            "retriever": create_retriever(RetrieverSettings(graph="shop", model=WORLD / "retriever")),
            "rewriter": create_rewriter(RewriterSettings(), model=model),
            "llm": create_llm(FakeModels(), "key"),
        }
    yield {
        name: TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) for name, app in apps.items()
    }


@pytest.fixture(scope="module")
def routes(services: dict[str, TestClient]) -> list[tuple[str, str]]:
    """Return the service and the path of all routes that receive a body."""
    found = [
        (name, path)
        for name, client in services.items()
        for path, operations in client.get("/openapi.json").json()["paths"].items()
        if "post" in operations
    ]
    assert len(found) >= 12
    return found


def _constant(value: Any) -> Json:
    return {"op": "constant", "value": value}


def _plan(condition: Json | None = None, kinds: list[str] | None = None, **more: Any) -> Json:
    where = {"where": condition} if condition else {}
    return {"steps": [{"op": "match", "nodes": [{"variable": "a", "kinds": kinds or ["Product"]}], **where, **more}]}


def _equals(value: Any, key: str = "name") -> Json:
    return {"op": "comparison", "operator": "=", "left": {**_NAME, "key": key}, "right": _constant(value)}


def _calls(*arguments: Json, function: str) -> Json:
    return {"op": "call", "function": function, "arguments": [_NAME, *arguments]}


def _unpaired(half: str = "\ud800") -> dict[str, tuple[Json, str]]:
    where = "plan.steps.0.where"
    return {
        "constant": (_plan(_equals(half)), f"{where}.right.value"),
        "constant in a list": (_plan(_equals(["a", half])), f"{where}.right.value.1"),
        "kind": (_plan(kinds=["Product", half]), "plan.steps.0.nodes.0.kinds.1"),
        "key": (_plan(_equals("a", key=half)), f"{where}.left.key"),
        "type": (_plan(relationships=[{"types": [half]}]), "plan.steps.0.relationships.0.types.0"),
        "pattern": (_plan(_calls(_constant(half), function="matches")), f"{where}.arguments.1.value"),
        "replacement": (
            _plan(_calls(_constant("a"), _constant(half), function="replace")),
            f"{where}.arguments.2.value",
        ),
        "name of a field": ({"steps": [{"op": "match", half: 1}]}, "plan.steps.0.\\ud800"),
    }


@pytest.mark.parametrize("name", _unpaired())
@pytest.mark.parametrize("route", ["/plan", "/feedback"])
def test_a_plan_with_half_a_character_is_rejected_with_its_place(
    services: dict[str, TestClient], name: str, route: str
) -> None:
    plan, place = _unpaired()[name]

    reply = services["answerer"].post(
        route, content=json.dumps({"plan": plan, "question": "Which products?"}), headers=_JSON
    )

    assert (reply.status_code, reply.headers["Content-Type"]) == (422, "application/problem+json")
    [error] = reply.json()["errors"]
    assert error["field"] == place
    assert "has an unpaired surrogate" in error["message"]


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize(
    ("route", "body", "place"),
    [
        ("/plan", {"plan": _plan(_equals("X"))}, "plan.steps.0.where.right.value"),
        ("/plan", {"plan": _plan(_equals([1, "X"]))}, "plan.steps.0.where.right.value.1"),
        ("/ask", {"question": "q", "cost_of_wrong": "X"}, "cost_of_wrong"),
        ("/ask", {"question": "q", "min_confidence": "X"}, "min_confidence"),
        ("/feedback", {"question": "q", "answers": ["X"]}, "answers.0"),
    ],
)
def test_what_is_no_finite_number_is_rejected_with_its_place(
    services: dict[str, TestClient], route: str, body: Json, place: str, literal: str
) -> None:
    content = json.dumps(body).replace('"X"', literal)

    reply = services["answerer"].post(route, content=content, headers=_JSON)

    assert reply.status_code == 422
    [error] = reply.json()["errors"]
    assert error["field"] == place
    assert error["message"].startswith("must be a finite number")


def test_pairs_of_surrogates_are_characters(services: dict[str, TestClient]) -> None:
    content = json.dumps({"plan": _plan(_equals("\U0001f600", key="title"))})
    assert "\\ud83d\\ude00" in content

    reply = services["retriever"].post("/plan", content=content, headers=_JSON)

    assert "surrogate" not in reply.text


_HALVES = st.characters(categories=["Cs"])
_TEXTS = st.text(st.one_of(st.characters(), _HALVES), max_size=3)
_BAD_TEXTS = st.builds(lambda before, half, after: before + half + after, _TEXTS, _HALVES, _TEXTS)
_FIELDS = st.sampled_from(
    ["question", "plan", "steps", "op", "nodes", "where", "value", "graph", "answers", "messages", "content", "model"]
)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXTS | st.sampled_from(["match", "constant"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_FIELDS, inner, max_size=3),
    max_leaves=5,
)


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values that hold one of the inner values."""
    in_list = st.builds(lambda some, one: [*some, one], st.lists(_ANYTHING, max_size=2), inner)
    in_object = st.builds(
        lambda some, name, one: {**some, name: one}, st.dictionaries(_FIELDS, _ANYTHING, max_size=2), _FIELDS, inner
    )
    return in_list | in_object


_BAD_BODIES = st.recursive(
    _BAD_TEXTS | st.dictionaries(_BAD_TEXTS, _ANYTHING, min_size=1, max_size=1), _around, max_leaves=4
)


@given(body=_BAD_BODIES, data=st.data(), as_utf_8=st.booleans())
def test_no_body_with_half_a_character_fails(
    services: dict[str, TestClient], routes: list[tuple[str, str]], body: Any, data: st.DataObject, as_utf_8: bool
) -> None:
    service, path = data.draw(st.sampled_from(routes))
    content = json.dumps(body, ensure_ascii=not as_utf_8).encode(errors="surrogatepass")
    # The halves of neighbouring escapes may make a whole character.
    assume("surrogate" in _refused(json.loads(content)))

    reply = services[service].post(path, content=content, headers=_JSON)

    assert reply.status_code == (400 if path.startswith("/v1/") else 422)
    assert "has an unpaired surrogate" in reply.text


def _refused(body: Any) -> str:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return str(error)
    return ""
