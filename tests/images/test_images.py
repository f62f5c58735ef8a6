"""Ask a question through the images; check that they are small and unprivileged, and that they stop when told to."""

import json

import httpx
import pytest

from tests.images.conftest import ENGINE, IMAGES, Container, engine
from tests.neo4j_server import needs_neo4j

pytestmark = [
    pytest.mark.images,
    pytest.mark.skipif(ENGINE is None, reason="needs a container engine: install docker or podman"),
    needs_neo4j,
]

ANSWERER_MB = 250
# On a busy machine, the language model may exceed its time limit at first.
_ATTEMPTS = 5


def test_a_question_is_answered_through_them(containers: dict[str, Container]) -> None:
    question = {"question": "Which countries border Switzerland?"}
    for _ in range(_ATTEMPTS):
        response = httpx.post(f"{containers['answerer'].url}/ask", json=question, timeout=60, trust_env=False)
        assert response.is_success, response.text
        reply = response.json()
        if not reply["degraded"]:
            break

    names = {"Austria", "France", "Germany", "Italy", "Liechtenstein"}
    assert {answer["value"] for answer in reply["answers"]} == names
    assert all(name in reply["answer"] for name in names)
    assert reply["degraded"] == []


def test_the_answerer_is_small(built: dict[str, str]) -> None:
    assert int(engine("image", "inspect", built["answerer"], "--format", "{{.Size}}")) < ANSWERER_MB * 1_000_000


@pytest.mark.parametrize("name", IMAGES)
def test_nothing_runs_as_root_or_brings_what_builds(containers: dict[str, Container], name: str) -> None:
    assert containers[name].run("id -u") == "10001"
    assert containers[name].run("command -v gcc cc make || ls /venv/bin | grep -x pip || true") == ""
    with pytest.raises(AssertionError, match="Read-only file system"):
        containers[name].run("touch /app/x")


@pytest.mark.parametrize("name", IMAGES)
def test_its_own_health_check_finds_it_alive(
    containers: dict[str, Container], built: dict[str, str], name: str
) -> None:
    [image] = json.loads(engine("image", "inspect", built[name]))
    kind, command = (image.get("Healthcheck") or image["Config"]["Healthcheck"])["Test"]

    assert kind == "CMD-SHELL"
    containers[name].run(command)
    with pytest.raises(AssertionError):
        containers[name].run(f"KGQA_{name.upper()}_PORT=1 KGQA_EMBEDDED_LLM_PORT=1; export {_PORTS}; {command}")


_PORTS = " ".join([*(f"KGQA_{name.upper()}_PORT" for name in IMAGES), "KGQA_EMBEDDED_LLM_PORT"])


# This test must be the last one, because it stops all containers.
@pytest.mark.parametrize("name", list(reversed(IMAGES)))
def test_each_stops_when_told_to(containers: dict[str, Container], name: str) -> None:
    engine("stop", "-t", "20", containers[name].name)

    assert engine("inspect", containers[name].name, "--format", "{{.State.ExitCode}}") == "0"
