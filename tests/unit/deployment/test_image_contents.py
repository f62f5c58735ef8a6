"""Check that each image contains what its service imports when it starts with the variables of its deployment."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.deployment.image_contents import copy_sources, missing_modules
from tests.unit.deployment.rendered import OVERLAYS, ROOT, SECRETS_DIR, Overlay, compose_file, needs_kubectl, render

_SERVICES = ("answerer", "retriever", "rewriter")
_START = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))  # importing one of these raises ModuleNotFoundError
from services.{name}.app import create_app
from services.{name}.settings import {title}Settings
create_app({title}Settings())
"""
_PROGRAM = "import sys; sys.modules.update(dict.fromkeys(sys.argv[1:])); import kgqa.cli"


@pytest.mark.parametrize("name", _SERVICES)
def test_a_service_starts_with_the_variables_of_compose(name: str, tmp_path: Path) -> None:
    assert _error(name, _start(name), compose_file()["services"][name]["environment"], tmp_path) == ""


@needs_kubectl
@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("name", _SERVICES)
def test_a_service_starts_with_the_variables_of_kubernetes(name: str, overlay: str, tmp_path: Path) -> None:
    rendered = Overlay(render(ROOT / "k8s" / "overlays" / overlay))
    [workload] = [workload for workload in rendered.workloads if workload.name == name]
    environment = {**rendered.environment(workload)}
    del environment[SECRETS_DIR]
    assert _error(name, _start(name), environment, tmp_path) == ""


def test_the_program_starts_in_the_image_that_imports_the_demo(tmp_path: Path) -> None:
    assert compose_file()["services"]["demo"]["build"]["dockerfile"] == "Dockerfile.retriever"
    assert _error("retriever", _PROGRAM, {}, tmp_path) == ""


def _start(name: str) -> str:
    return _START.format(name=name, title=name.title())


def _error(image: str, code: str, environment: Mapping[str, str | None], folder: Path) -> str:
    """Run code on what the image contains, and return the last line of its error, or an empty text."""
    copy_sources(image, folder)
    values = {name: value.replace("/app/", f"{folder}/") for name, value in environment.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-c", code, *missing_modules(image, folder)],
        cwd=folder,
        env={**values, "PATH": os.environ["PATH"], "PYTHONPATH": str(folder), "KGQA_HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stderr.splitlines()[-1]
