"""Check that secrets are files rather than variables, and that passwords leave the namespace only over TLS."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from tests.unit.deployment.rendered import (
    OVERLAYS,
    ROOT,
    SECRETS_DIR,
    Overlay,
    Workload,
    mounted_files,
    needs_kubectl,
    render,
    render_with,
)

pytestmark = needs_kubectl

CLIENTS_OF_REDIS = ("answerer", "rewriter")


@pytest.fixture(scope="module", params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> Overlay:
    return Overlay(render(ROOT / "k8s" / "overlays" / request.param))


def _workload(overlay: Overlay, name: str) -> Workload:
    [found] = [workload for workload in overlay.workloads if workload.name == name]
    return found


def test_every_password_file_that_a_program_is_told_of_is_mounted(overlay: Overlay) -> None:
    seen = 0
    for workload in overlay.workloads:
        for variable in workload.container.get("env", []):
            if variable["name"] in ("REDIS_PASSWORD_FILE", "NEO4J_AUTH_PATH"):
                assert variable["value"] in mounted_files(workload)
                seen += 1
            if variable["name"] == SECRETS_DIR:
                assert workload.secret_files(variable["value"])
                seen += 1
    assert seen >= 4


def test_secret_files_are_not_for_everybody(overlay: Overlay) -> None:
    for workload in overlay.workloads:
        for volume in workload.pod["spec"].get("volumes", []):
            if secret := volume.get("projected") or volume.get("secret"):
                assert secret["defaultMode"] == 0o440
                assert workload.pod["spec"]["securityContext"]["fsGroup"]


def test_the_demos_neo4j_starts_with_the_password_that_the_services_use() -> None:
    kustomization = yaml.safe_load((ROOT / "k8s/overlays/demo/kustomization.yaml").read_text(encoding="utf-8"))
    [literals] = [secret["literals"] for secret in kustomization["secretGenerator"] if secret["name"] == "neo4j"]
    values = dict(literal.split("=", 1) for literal in literals)
    assert values["auth"] == f"{values['user']}/{values['password']}"


def test_a_neo4j_outside_of_the_overlay_is_reached_by_tls(overlay: Overlay) -> None:
    services = {service["metadata"]["name"] for service in overlay.all("Service")}
    url = urlsplit(overlay.environment(_workload(overlay, "retriever"))["KGQA_NEO4J_URL"] or "")
    assert url.hostname in services or url.scheme == "neo4j+s"


@pytest.mark.parametrize("service", CLIENTS_OF_REDIS)
def test_clients_are_the_user_that_redis_knows(overlay: Overlay, service: str) -> None:
    script = (ROOT / "k8s/base/redis-start.sh").read_text(encoding="utf-8")
    environment = overlay.environment(_workload(overlay, service))
    assert f"user {environment[f'KGQA_{service.upper()}_REDIS_USER']} on" in script
    assert f"KGQA_{service.upper()}_REDIS_PASSWORD" in environment


@pytest.mark.parametrize("service", CLIENTS_OF_REDIS)
def test_redis_speaks_tls_with_its_component(tmp_path: Path, service: str) -> None:
    rendered = Overlay(render_with(["redis-tls"], "gpu", tmp_path))
    redis, client = _workload(rendered, "redis"), _workload(rendered, service)
    url = urlsplit(rendered.environment(client)[f"KGQA_{service.upper()}_REDIS_URL"] or "")
    options = dict(argument.removeprefix("--").split("=", 1) for argument in redis.container["args"])

    assert (url.scheme, url.hostname, url.port) == ("rediss", "redis", int(options["tls-port"]))
    assert parse_qs(url.query)["ssl_ca_certs"][0] in mounted_files(client)
    assert options["port"] == "0"
    assert {options["tls-cert-file"], options["tls-key-file"]} <= mounted_files(redis)


def test_a_redis_elsewhere_takes_the_place_of_the_overlays_own(tmp_path: Path) -> None:
    rendered = Overlay(render_with(["redis-elsewhere"], "gpu", tmp_path))
    left = {(m["kind"], m["metadata"]["name"]) for m in rendered.manifests if "redis" in m["metadata"]["name"]}
    before = Overlay(render(ROOT / "k8s" / "overlays" / "gpu"))

    assert left == {("NetworkPolicy", "to-redis")}
    for service in CLIENTS_OF_REDIS:
        environment = rendered.environment(_workload(rendered, service))
        redis = f"KGQA_{service.upper()}_REDIS"
        assert environment[f"{redis}_URL"] is None  # from the Secret's file
        others = {name for name in before.environment(_workload(before, service)) if not name.startswith(redis)}
        assert {name for name in environment if not name.startswith(redis)} - {"redis-ca.crt"} == others
        assert f"{redis}_USER" not in environment
        edges = {edge for edge in rendered.edges("Egress") if edge[:2] == (service, "*")}
        assert {port for *_, port in edges} == {53, 6379, 6380}


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_model_that_writes_queries_is_reached_with_its_key(name: str, tmp_path: Path) -> None:
    rendered, before = (Overlay(render_with(chosen, name, tmp_path)) for chosen in (["cypher"], []))
    environment = rendered.environment(_workload(rendered, "retriever"))
    url = urlsplit(environment["KGQA_RETRIEVER_LLM_URL"] or "")
    edge = ("retriever", "llm", 8003)

    assert (url.hostname, url.port) == edge[1:]
    assert environment["KGQA_RETRIEVER_LLM_API_KEY"] is None
    assert environment.keys() - before.environment(_workload(before, "retriever")).keys() == {
        f"KGQA_RETRIEVER_LLM_{setting}" for setting in ("URL", "MODEL", "API_KEY")
    }
    for direction in ("Egress", "Ingress"):
        assert set(rendered.edges(direction)) - set(before.edges(direction)) == {edge}
