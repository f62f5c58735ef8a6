"""A Neo4j for the tests starts in a container, here by a program in place of docker; runs end with what they skip."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.containers import ContainerFailedError, find_engine, neo4j_container

ROOT = Path(__file__).resolve().parents[2]
_DOCKER = """#!/bin/sh
echo "$@" >>"$DOCKER_CALLS"
case "$1" in
  info) exit "$DOCKER_WORKS" ;;
  run) [ "$DOCKER_RUNS" = 0 ] && echo 0123abcd || { echo pulling >&2; echo "no such image" >&2; exit 125; } ;;
esac
"""
_NEEDY = "from tests.neo4j_server import needs_neo4j\n\n@needs_neo4j\ndef test_it(): pass\n"


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a docker that works onto the PATH, and return the file of its calls."""
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(_DOCKER, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/bin:/usr/bin")
    for name, value in {"WORKS": "0", "RUNS": "0", "CALLS": str(tmp_path / "calls")}.items():
        monkeypatch.setenv(f"DOCKER_{name}", value)
    find_engine.cache_clear()
    yield tmp_path / "calls"
    find_engine.cache_clear()


def test_the_server_of_compose_runs_on_loopback_and_is_removed(calls: Path) -> None:
    with neo4j_container("docker", 20123, "secret-word"):
        started = calls.read_text(encoding="utf-8")
    assert started.startswith("run --detach --rm --publish 127.0.0.1:20123:7687 --env NEO4J_AUTH=neo4j/secret-word ")
    assert started.rstrip().endswith("docker.io/library/neo4j:5.26-community")
    assert calls.read_text(encoding="utf-8").removeprefix(started) == "rm --force --volumes 0123abcd\n"


def test_what_the_engine_says_is_the_reason(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_RUNS", "1")
    with pytest.raises(ContainerFailedError, match=r"^no such image$"), neo4j_container("docker", 20123, "secret-word"):
        pass
    assert "rm" not in calls.read_text(encoding="utf-8").split()


def test_an_engine_without_a_daemon_is_none(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(calls.parent / "bin"))
    monkeypatch.setenv("DOCKER_WORKS", "1")
    assert find_engine() is None


@pytest.mark.parametrize(
    ("works", "reason"),
    [
        ("1", "needs a Neo4j: install docker or podman, or set KGQA_TEST_NEO4J_URL"),
        ("0", "docker cannot start one (no such image); set KGQA_TEST_NEO4J_URL"),
    ],
)
def test_a_run_without_a_neo4j_ends_with_how_to_provide_one(calls: Path, works: str, reason: str) -> None:
    module = calls.parent / "test_needy.py"
    module.write_text(_NEEDY, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KGQA_", "PYTEST_"))}
    environment |= {"DOCKER_WORKS": works, "DOCKER_RUNS": "1", "PATH": str(calls.parent / "bin")}
    options = ["-c", "pyproject.toml", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, str(module)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    *_, heading, said, more, last = run.stdout.splitlines()
    assert "NOT TESTED HERE: 1 skipped" in heading
    assert said.strip().startswith("1  needs a Neo4j: ") and reason in said
    assert "CONTRIBUTING.md" in more
    assert last.startswith("1 skipped")
