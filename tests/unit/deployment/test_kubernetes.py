"""Check the rendered manifests against the Kubernetes schema and against the services."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from typer.main import get_group

from kgqa.cli import app
from services.llm.app import create_app as create_llm
from shared.web.health import ServiceMetrics
from shared.web.server import STOP_TIMEOUT_S
from tests.unit.deployment.images import OURS, own_name
from tests.unit.deployment.rendered import NAME, OVERLAYS, ROOT, Overlay, needs_kubectl, render, render_with
from tests.unit.deployment.settings_read import SETTINGS, service_app

pytestmark = needs_kubectl

SERVICES = ("answerer", "retriever", "rewriter")
# From the first of these versions on, preStop's `sleep` needs no feature gate.
VERSIONS = ("1.31", "1.34")


@pytest.fixture(scope="module", params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> Overlay:
    return Overlay(render(ROOT / "k8s" / "overlays" / request.param))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_what_kubernetes_expects(overlay: Overlay, version: str) -> None:
    for manifest in overlay.manifests:
        kubernetes_validate.validate(manifest, version, strict=True)


def test_every_selector_selects(overlay: Overlay) -> None:
    for manifest in overlay.all("Deployment") + overlay.all("StatefulSet"):
        assert manifest["spec"]["selector"]["matchLabels"].items() <= (
            manifest["spec"]["template"]["metadata"]["labels"].items()
        )
    for service in overlay.all("Service"):
        [workload] = overlay.selected({"matchLabels": service["spec"]["selector"]})
        ports = {port["name"]: port["containerPort"] for port in workload.container["ports"]}
        for port in service["spec"]["ports"]:
            assert ports[port["targetPort"]] == port["port"]
    for budget in overlay.all("PodDisruptionBudget"):
        assert len(overlay.selected(budget["spec"]["selector"])) == 1
    for workload in overlay.workloads:
        for spread in workload.pod["spec"].get("topologySpreadConstraints", []):
            assert overlay.selected(spread["labelSelector"]) == [workload]


def test_what_scales_has_a_budget_and_two_replicas_or_more(overlay: Overlay) -> None:
    scaled = {scaler["spec"]["scaleTargetRef"]["name"]: scaler for scaler in overlay.all("HorizontalPodAutoscaler")}
    budgets = {budget["spec"]["selector"]["matchLabels"][NAME] for budget in overlay.all("PodDisruptionBudget")}
    assert set(scaled) == set(SERVICES)
    assert set(scaled) <= budgets
    assert all(scaler["spec"]["minReplicas"] >= 2 for scaler in scaled.values())
    assert all("replicas" not in d["spec"] for d in overlay.all("Deployment") if d["metadata"]["name"] in scaled)


def _probes(container: dict[str, dict[str, dict[str, str]]]) -> Iterator[str]:
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if asked := container[probe].get("httpGet"):
            yield asked["path"]


def test_probes_ask_routes_that_there_are(overlay: Overlay) -> None:
    for workload in overlay.workloads:
        if workload.name in SERVICES:
            assert set(_probes(workload.container)) <= _routes(service_app(workload.name))
        elif "kgqa/llm" in workload.container["image"]:
            assert set(_probes(workload.container)) <= _routes(create_llm(_NoModels(), "key"))


class _NoModels:
    names: tuple[str, ...] = ("base",)

    def complete(self, *_: object) -> dict[str, object]:
        raise AssertionError

    def close(self) -> None:
        pass


def _routes(app: FastAPI) -> set[str]:
    return {route.path for route in app.routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())}


def test_every_variable_is_one_that_the_program_reads(overlay: Overlay) -> None:
    seen = 0
    for workload in overlay.workloads:
        for variable in overlay.environment(workload):
            if variable.startswith("KGQA_"):
                assert variable in SETTINGS[own_name(workload.container["image"])], (workload.name, variable)
                seen += 1
    assert seen > 10


def test_every_file_that_a_container_is_told_of_is_mounted_or_in_its_image(overlay: Overlay) -> None:
    [retriever] = [workload for workload in overlay.workloads if workload.name == "retriever"]
    model = overlay.environment(retriever)["KGQA_RETRIEVER_MODEL"] or ""
    mounts = [mount["mountPath"] for mount in retriever.container["volumeMounts"]]
    in_image = model.startswith("/app/") and (ROOT / model.removeprefix("/app/") / "manifest.json").is_file()
    assert in_image or any(model.startswith(f"{mount}/") for mount in mounts)


def test_network_policies_allow_what_is_used_and_nothing_else(overlay: Overlay) -> None:
    services = {service["metadata"]["name"]: service for service in overlay.all("Service")}
    used = set()
    for workload in overlay.workloads:
        for value in overlay.environment(workload).values():
            url = urlsplit(value or "")
            if (service := services.get(url.hostname or "")) is not None:
                [target] = overlay.selected({"matchLabels": service["spec"]["selector"]})
                used.add((workload.name, target.name, url.port))

    for direction in ("Ingress", "Egress"):
        assert {edge for edge in overlay.edges(direction) if "*" not in edge} == used
    assert [policy for policy in overlay.all("NetworkPolicy") if policy["metadata"]["name"] == "deny-all"]
    assert {edge for edge in overlay.edges("Ingress") if "*" in edge} == {("*", "answerer", 8000)}


def test_requests_have_time_to_finish(overlay: Overlay) -> None:
    for workload in overlay.workloads:
        if workload.name in SERVICES:
            drain = workload.container["lifecycle"]["preStop"]["sleep"]["seconds"]
            assert workload.pod["spec"]["terminationGracePeriodSeconds"] > drain + STOP_TIMEOUT_S


def test_every_container_has_a_memory_limit_and_every_scratch_volume_a_size(overlay: Overlay) -> None:
    for workload in overlay.workloads:
        for container in workload.containers:
            assert container["resources"]["limits"]["memory"]
            assert container["resources"]["requests"].keys() >= {"cpu", "memory"}
        for volume in workload.pod["spec"].get("volumes", []):
            assert "emptyDir" not in volume or volume["emptyDir"]["sizeLimit"], (workload.name, volume)


def test_our_images_are_built_here(overlay: Overlay) -> None:
    for workload in overlay.workloads:
        if (image := workload.container["image"]).startswith(OURS):
            file = own_name(image).removeprefix("kgqa/")
            assert (ROOT / f"Dockerfile.{file}").is_file()


def test_monitoring_finds_every_service(tmp_path: Path) -> None:
    rendered = Overlay(render_with(["monitoring"], "demo", tmp_path))
    [monitor] = rendered.all("ServiceMonitor")
    ports = {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]}
    watched = [s for s in rendered.all("Service") if s["metadata"]["labels"].get(NAME) in SERVICES]
    assert len(watched) == len(SERVICES)
    assert all(ports <= {port["name"] for port in service["spec"]["ports"]} for service in watched)


def test_scaling_by_queue_asks_for_a_metric_that_there_is(tmp_path: Path) -> None:
    rendered = Overlay(render_with(["queue-scaling"], "demo", tmp_path))
    [metric] = [described.name for described in ServiceMetrics().in_flight.describe()]
    scaled = [h["metadata"]["name"] for h in rendered.all("HorizontalPodAutoscaler") if metric in str(h)]
    assert scaled == ["answerer", "rewriter"]


def test_an_evaluation_has_as_many_parts_as_its_job(tmp_path: Path) -> None:
    rendered = Overlay(render_with(["evaluation"], "gpu", tmp_path))
    for manifest in rendered.manifests:
        kubernetes_validate.validate(manifest, VERSIONS[-1], strict=True)
    [job] = [workload for workload in rendered.workloads if workload.name == "evaluation"]
    completions = job.manifest["spec"]["completions"]
    words = [*job.container["command"], *job.container["args"]]
    assert f"--shard=$(JOB_COMPLETION_INDEX)/{completions}" in words
    known = SETTINGS["kgqa/retriever"] | SETTINGS["kgqa/rewriter"] | SETTINGS["kgqa/answerer"]
    names = {name for name in rendered.environment(job) if name.startswith("KGQA_")}
    assert {"KGQA_NEO4J_PASSWORD", "KGQA_ANSWERER_LLM_API_KEY"} <= names <= known
    options = {option for command in get_group(app).commands["evaluate"].params for option in command.opts}
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= options
    assert {edge for edge in rendered.edges("Ingress") if "evaluation" in edge} == {("evaluation", "llm", 8003)}
