"""Find a container engine, and run a Neo4j server in a container for the tests."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import yaml

_COMPOSE = Path(__file__).parents[2] / "docker-compose.yml"
_MEMORY = {"NEO4J_server_memory_heap_max__size": "768M", "NEO4J_server_memory_pagecache_size": "256M"}
_PULL_LIMIT_S = 600


class ContainerFailedError(Exception):
    """A container could not be started; the message is what the engine said."""


@cache
def find_engine() -> str | None:
    """Return the path of podman or docker, whichever works; None if neither does, or without a daemon."""
    for program in filter(None, (shutil.which("podman"), shutil.which("docker"))):
        if subprocess.run([program, "info"], capture_output=True, check=False).returncode == 0:
            return program
    return None


@contextmanager
def neo4j_container(engine: str, port: int, password: str) -> Iterator[None]:
    """Start the Neo4j of docker-compose.yml with its Bolt port on loopback, and remove it on exit.

    The server may not be ready yet.

    Raises:
        ContainerFailedError: The image cannot be fetched, or the container cannot be started.
    """
    environment = {"NEO4J_AUTH": f"neo4j/{password}", **_MEMORY}
    options = ["--detach", "--rm", "--publish", f"127.0.0.1:{port}:7687"]
    options += [word for name, value in environment.items() for word in ("--env", f"{name}={value}")]
    started = _call(engine, "run", *options, _image())
    if started.returncode:
        raise ContainerFailedError(started.stderr.strip().rpartition("\n")[2])
    try:
        yield
    finally:
        _call(engine, "rm", "--force", "--volumes", started.stdout.strip())


def _image() -> str:
    image: str = yaml.safe_load(_COMPOSE.read_text(encoding="utf-8"))["services"]["neo4j"]["image"]
    return image.removeprefix("${NEO4J_IMAGE:-").removesuffix("}")


def _call(engine: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([engine, *words], capture_output=True, text=True, check=False, timeout=_PULL_LIMIT_S)
