"""Build the images from the Dockerfiles, and run them side by side as a cluster does."""

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from services.llm.settings import random_key
from shared.processes import free_port
from tests.neo4j_server import PASSWORD, URL, clear
from tests.support.containers import find_engine
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120

IMAGES = ("retriever", "rewriter", "llm", "answerer")
_ON = "127.0.0.1"
_HARDENED = ["--read-only", "--tmpfs", "/tmp:rw,size=64m", "--cap-drop=ALL", "--security-opt=no-new-privileges"]


ENGINE = find_engine()


def engine(*words: str, check: bool = True) -> str:
    """Run a command of the container engine, and return its output."""
    done = subprocess.run([ENGINE or "", *words], cwd=ROOT, capture_output=True, text=True)
    assert not check or done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout.strip()


def _log(name: str) -> str:
    done = subprocess.run([ENGINE or "", "logs", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout[-500:]


@dataclass(frozen=True)
class Container:
    """Describe a running container: the name of its image, its own name, and its URL."""

    image: str
    name: str
    url: str

    def run(self, command: str) -> str:
        """Run a shell command in the container, and return its output."""
        return engine("exec", self.name, "sh", "-c", command)


@pytest.fixture(scope="session")
def built() -> dict[str, str]:
    """Build the images, with the options in `KGQA_TEST_BUILD_ARGS`, and return their tags, keyed by image."""
    tags = {name: f"localhost/kgqa-test/{name}" for name in IMAGES}
    for name in IMAGES:
        words = ["-f", f"Dockerfile.{name}", "-t", tags[name], *shlex.split(os.environ.get("KGQA_TEST_BUILD_ARGS", ""))]
        engine("build", *(["--format", "docker"] if "podman" in (ENGINE or "") else []), *words, ".")
    return tags


@pytest.fixture(scope="session")
def containers(built: dict[str, str], neo4j_database: None) -> Iterator[dict[str, Container]]:
    """Import the demo graph into a real Neo4j, and run all four containers on it."""
    clear()
    neo4j = {"KGQA_NEO4J_URL": URL, "KGQA_NEO4J_PASSWORD": PASSWORD}
    facts = ["python", "-m", "kgqa", "import", "examples/world/graph.tsv.xz", "--graph", "world", "--to", "neo4j"]
    engine("run", "--rm", *_words(neo4j), "--tmpfs", "/data:rw,mode=1777", built["retriever"], *facts)
    ports = {name: free_port() for name in IMAGES}
    urls = {name: f"http://{_ON}:{port}" for name, port in ports.items()}
    key = random_key()
    environments = {
        "llm": {"KGQA_EMBEDDED_LLM_PORT": str(ports["llm"]), "KGQA_EMBEDDED_LLM_API_KEY": key},
        "retriever": {**neo4j, "KGQA_RETRIEVER_MODEL": "examples/world/retriever", **_place("retriever", ports)},
        "rewriter": {
            "KGQA_REWRITER_LLM_URL": urls["llm"],
            "KGQA_REWRITER_LLM_API_KEY": key,
            **_place("rewriter", ports),
        },
        "answerer": {f"KGQA_ANSWERER_{name.upper()}_URL": url for name, url in urls.items()}
        | {"KGQA_ANSWERER_LLM_API_KEY": key, **_place("answerer", ports)},
    }
    running: dict[str, Container] = {}
    try:
        for name, environment in environments.items():
            own_name = f"kgqa-test-{name}-{ports[name]}"
            engine("run", "-d", "--name", own_name, *_words(environment), built[name])
            running[name] = Container(name, own_name, urls[name])
        _wait_until_ready(running)
        yield running
    finally:
        for container in running.values():
            engine("rm", "-f", container.name, check=False)
        clear()


def _place(name: str, ports: dict[str, int]) -> dict[str, str]:
    return {f"KGQA_{name.upper()}_PORT": str(ports[name]), f"KGQA_{name.upper()}_HOST": _ON}


def _words(environment: dict[str, str]) -> list[str]:
    values = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
    return ["--network", "host", *_HARDENED, *values]


def _wait_until_ready(running: dict[str, Container]) -> None:
    said = ""

    def is_ready() -> bool:
        nonlocal said
        try:
            reply = httpx.get(f"{running['answerer'].url}/readyz", timeout=PATIENCE_S, trust_env=False)
        except httpx.HTTPError as error:
            said = str(error)
            return False
        said = reply.text
        return reply.is_success

    def explained() -> str:
        return f"not ready: {said}; {json.dumps({name: _log(run.name) for name, run in running.items()})}"

    wait_until(is_ready, explained, pause_s=0.5, seconds=PATIENCE_S)
