"""Check that the dashboard and the alerts read metrics, labels, and routes that the services have."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from services.answerer.mcp.endpoint import MCP_PATH
from tests.unit.deployment.rendered import ROOT, compose_file
from tests.unit.deployment.settings_read import service_app

FOLDER = ROOT / "observability"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "grafana/dashboards/kgqa.json").read_text(encoding="utf-8"))
ALERTS: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
EXPRESSIONS += [alert["expr"] for alert in ALERTS]
JOBS = ("answerer", "retriever", "rewriter")
# Prometheus adds the first two, and histograms have the third.
_COMMON_LABELS = {"job", "instance", "le"}
_SELECTOR = re.compile(r"\b(kgqa_\w+|up)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')
_TYPE = re.compile(r"^# TYPE (\w+) (\w+)$", re.MULTILINE)
_ROW = re.compile(r"^\| `(kgqa_\w+)` \| ([^|]*) \|", re.MULTILINE)
_ENDS = {"histogram": ("_bucket", "_sum", "_count")}
DOCUMENTED = {
    name: set(re.findall(r"`(\w+)`", labels))
    for name, labels in _ROW.findall((ROOT / "docs/operations/monitoring.md").read_text(encoding="utf-8"))
}


@pytest.fixture(scope="module")
def metrics() -> dict[str, dict[str, set[str]]]:
    """Return the metrics of each service, with the names of their series."""
    return {job: asyncio.run(_metrics(job)) for job in JOBS}


@pytest.fixture(scope="module")
def served(metrics: dict[str, dict[str, set[str]]]) -> dict[str, set[str]]:
    """Return the names of the series that each service serves."""
    return {job: set().union(*found.values()) for job, found in metrics.items()}


async def _metrics(job: str) -> dict[str, set[str]]:
    """Return what /metrics of a service has, without the times at which series began."""
    transport = httpx.ASGITransport(service_app(job))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        text = (await client.get("/metrics")).text
    return {
        name: {f"{name}{end}" for end in _ENDS.get(kind, ("",))}
        for name, kind in _TYPE.findall(text)
        if not name.endswith("_created")
    }


def selectors(expression: str) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Yield the metrics that an expression reads, with the conditions on their labels."""
    for name, conditions in _SELECTOR.findall(expression):
        yield name, _MATCHER.findall(conditions)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_each_metric_is_served_by_the_services_that_are_asked(expression: str, served: dict[str, set[str]]) -> None:
    found = list(selectors(expression))
    assert found
    for name, conditions in found:
        jobs = {job for label, _, value in conditions if label == "job" for job in value.split("|")}
        assert jobs <= set(JOBS)
        if name != "up":
            assert all(name in served[job] for job in jobs), name
            assert any(name in series for series in served.values()), name


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_each_label_is_one_that_the_metric_has(expression: str) -> None:
    found = list(selectors(expression))
    known = set(_COMMON_LABELS)
    for name, conditions in found:
        documented = DOCUMENTED.get(re.sub("_(bucket|sum|count)$", "", name), set())
        assert {label for label, _, _ in conditions} <= documented | _COMMON_LABELS
        known |= documented
    grouped = re.findall(r"\bby \(([^)]*)\)", expression)
    assert {label.strip() for labels in grouped for label in labels.split(",")} <= known


def test_each_route_is_one_of_the_answerer() -> None:
    routes = {
        route
        for expression in EXPRESSIONS
        for _, conditions in selectors(expression)
        for label, _, value in conditions
        if label == "route"
        for route in value.split("|")
    }
    assert "/ask" in routes
    assert routes <= {*service_app("answerer").openapi()["paths"], MCP_PATH}


def test_every_metric_is_documented(metrics: dict[str, dict[str, set[str]]]) -> None:
    assert {name for found in metrics.values() for name in found} == set(DOCUMENTED)


def test_every_alert_says_what_is_wrong() -> None:
    assert len({alert["alert"] for alert in ALERTS}) == len(ALERTS)
    for alert in ALERTS:
        assert alert["labels"]["severity"] in ("critical", "warning")
        assert alert["annotations"].keys() == {"summary", "description"}


def test_panels_do_not_overlap() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_prometheus_reads_the_alerts() -> None:
    configuration = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))
    volumes = compose_file()["services"]["prometheus"]["volumes"]
    for name in (*configuration["rule_files"], "prometheus.yml"):
        assert f"./observability/{name}:/etc/prometheus/{name}:ro" in volumes
