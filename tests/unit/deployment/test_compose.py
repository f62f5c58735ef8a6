"""Check that docker-compose.yml agrees with the services and the manifests."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.unit.deployment.images import OURS, own_name
from tests.unit.deployment.rendered import KUBECTL, OVERLAYS, ROOT, Overlay, compose_file, render
from tests.unit.deployment.settings_read import SETTINGS

FILE = compose_file()
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
TRACING = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "KGQA_TRACE_CONTENTS")


def test_every_image_of_ours_is_built_from_its_dockerfile() -> None:
    ours = {name: service for name, service in SERVICES.items() if service["image"].startswith(OURS)}
    assert {own_name(service["image"]) for service in ours.values()} == set(SETTINGS)
    for service in ours.values():
        text = (ROOT / service["build"]["dockerfile"]).read_text(encoding="utf-8")
        if target := service["build"].get("target"):
            assert re.search(rf"^FROM .* AS {target}$", text, re.MULTILINE)


def test_every_variable_is_one_that_the_program_reads() -> None:
    seen = 0
    for service in SERVICES.values():
        for variable in service.get("environment", {}):
            if variable.startswith("KGQA_"):
                assert variable in SETTINGS[own_name(service["image"])]
                seen += 1
    assert seen > 8


def test_every_address_is_a_service_and_its_port() -> None:
    ports = {"retriever": 8001, "rewriter": 8002, "model": 8003, "neo4j": 7687, "redis": 6379}
    addresses = {
        (urlsplit(value).hostname, urlsplit(value).port)
        for service in SERVICES.values()
        for value in service.get("environment", {}).values()
        if "://" in str(value)
    }
    assert addresses == set(ports.items())
    for name, port in ports.items():
        for service in (s for n, s in SERVICES.items() if n == name and s["image"].startswith(OURS)):
            text = (ROOT / service["build"]["dockerfile"]).read_text(encoding="utf-8")
            assert f"EXPOSE {port}" in text


def test_one_language_model_or_the_other_goes_by_one_name() -> None:
    models = [service for service in SERVICES.values() if "model" in str(service.get("networks"))]
    assert [(service["profiles"], service["networks"]["default"]["aliases"]) for service in models] == [
        (["cpu"], ["model"]),
        (["gpu"], ["model"]),
    ]
    assert "COMPOSE_PROFILES=cpu,demo" in (ROOT / ".env").read_text(encoding="utf-8").splitlines()


def test_only_this_machine_reaches_what_is_published() -> None:
    for service in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_strangers_are_served_beyond_this_machine_only_if_the_operator_says_so() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert 'ports: ["${KGQA_PUBLISH:-127.0.0.1:8000}:8000"]' in text
    assert "KGQA_ANSWERER_PUBLISHED_AT: ${KGQA_PUBLISH:-127.0.0.1:8000}" in text
    assert 'KGQA_ANSWERER_ALLOW_ANONYMOUS: "${KGQA_ANSWERER_ALLOW_ANONYMOUS:-false}"' in text


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_hardened_and_limited(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert 0 < service["pids_limit"] <= 4096
    assert _bytes(service["mem_limit"]) <= 32 * 2**30
    assert all("size=" in mount for mount in service["tmpfs"])
    assert not {"privileged", "pid", "ipc", "devices"} & service.keys()


@pytest.mark.parametrize("name", SERVICES)
def test_only_the_step_that_hands_over_a_volume_runs_as_root(name: str) -> None:
    service = SERVICES[name]
    if service["image"].startswith(OURS):
        assert "user" not in service  # the Dockerfile's 10001
    elif name == "vllm-cache":
        assert (service["cap_add"], service["network_mode"], service["restart"]) == (["CHOWN"], "none", "no")
        assert service["entrypoint"] == ["chown", SERVICES["vllm"]["user"], "/cache"]
    else:
        assert service["user"].partition(":")[0] not in ("0", "root")
        assert "cap_add" not in service


@pytest.mark.skipif(KUBECTL is None, reason="needs kubectl, which renders the manifests: install it")
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_memory_limits_are_those_of_kubernetes(overlay: str) -> None:
    names = {"demo-graph": "demo"} | ({"llm": "vllm"} if overlay == "gpu" else {})
    workloads = Overlay(render(ROOT / "k8s" / "overlays" / overlay)).workloads
    assert workloads
    for workload in workloads:
        service = SERVICES[names.get(workload.name, workload.name)]
        assert _bytes(service["mem_limit"]) == _bytes(workload.container["resources"]["limits"]["memory"])


def _bytes(size: str) -> int:
    """Parse a size as Compose or Kubernetes writes it; Compose's `m` also means 2**20."""
    parsed = re.fullmatch(r"(\d+)([mg])i?", size.lower())
    assert parsed, size
    return int(parsed[1]) * {"m": 2**20, "g": 2**30}[parsed[2]]


def test_neo4j_may_write_where_it_must() -> None:
    """Check the folders that Neo4j writes to; it loads native libraries from /tmp."""
    neo4j = SERVICES["neo4j"]
    writable = {volume.split(":")[1] for volume in neo4j["volumes"]}
    assert writable == {"/data", "/logs", "/var/lib/neo4j/conf"}
    assert neo4j["tmpfs"] == ["/tmp:size=64m,exec"]
    assert neo4j["environment"]["NEO4J_server_directories_run"] == "/tmp"


def test_redis_knows_the_user_and_password_of_its_clients() -> None:
    chosen = compose_file(KGQA_REWRITER_REDIS_PASSWORD="chosen")["services"]
    for services in (SERVICES, chosen):
        rewriter, redis = services["rewriter"]["environment"], services["redis"]["environment"]
        assert redis["REDIS_PASSWORD"] == rewriter["KGQA_REWRITER_REDIS_PASSWORD"] != ""
        answerer = services["answerer"]["environment"]
        assert {
            name.replace("ANSWERER", "REWRITER"): value for name, value in answerer.items() if "REDIS" in name
        }.items() <= rewriter.items()
    assert chosen["redis"]["environment"]["REDIS_PASSWORD"] == "chosen"
    script = (ROOT / "k8s/base/redis-start.sh").read_text(encoding="utf-8")
    assert f"user {SERVICES['rewriter']['environment']['KGQA_REWRITER_REDIS_USER']} on" in script
    assert "ports" not in SERVICES["redis"]


def test_a_managed_redis_is_set_by_its_url() -> None:
    url = "rediss://user:password@redis.example.com:6380/0"
    assert compose_file(KGQA_REWRITER_REDIS_URL=url)["services"]["rewriter"]["environment"][
        "KGQA_REWRITER_REDIS_URL"
    ] == (url)


def test_the_model_that_writes_queries_is_set_outside_and_its_key_is_not_here() -> None:
    environment = SERVICES["retriever"]["environment"]
    settings = {name for name in SETTINGS["kgqa/retriever"] if "_LLM_" in name}
    assert settings
    assert {name: environment[name] for name in settings} == dict.fromkeys(settings)


def test_variables_of_traces_reach_the_services_that_record_them() -> None:
    for name in ("answerer", "retriever", "rewriter"):
        environment = SERVICES[name]["environment"]
        assert {variable: environment[variable] for variable in TRACING} == dict.fromkeys(TRACING)


def test_dependencies_are_services_that_can_tell_that_they_are_there() -> None:
    for service in SERVICES.values():
        for name, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                other = SERVICES[name]
                assert other["image"].startswith(OURS) or "test" in other["healthcheck"]


def test_every_mounted_file_is_there() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("./") and source != "./adapters":  # that one is the user's
                assert (ROOT / source).exists(), source
            elif not source.startswith("."):
                assert source in FILE["volumes"]


@pytest.mark.skipif(KUBECTL is None, reason="needs kubectl, which renders the manifests: install it")
def test_vllm_is_started_as_in_kubernetes() -> None:
    overlay = Overlay(render(ROOT / "k8s" / "overlays" / "gpu"))
    [llm] = [workload for workload in overlay.workloads if workload.name == "llm"]
    environment = overlay.environment(llm)
    arguments = [re.sub(r"\$\((\w+)\)", lambda m: environment[m[1]] or "", a) for a in llm.container["args"]]

    assert SERVICES["vllm"]["entrypoint"] == llm.container["command"]
    assert SERVICES["vllm"]["command"] == arguments
    assert SERVICES["vllm"]["image"] == llm.container["image"]


def test_prometheus_asks_every_service() -> None:
    configuration = yaml.safe_load((ROOT / "observability/prometheus.yml").read_text(encoding="utf-8"))
    asked = {(d["names"][0], d["port"]) for job in configuration["scrape_configs"] for d in job["dns_sd_configs"]}
    assert asked == {("answerer", 8000), ("retriever", 8001), ("rewriter", 8002)}
