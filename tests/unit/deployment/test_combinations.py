"""Check every overlay with sets of components: its images are pinned, and its secrets are files.

Sets of at most two components, and the largest ones, show which components do not fit together; the policy suite
checks all the others.
"""

from pathlib import Path

import pytest

from tests.unit.deployment.images import container_images, unpinned
from tests.unit.deployment.rendered import (
    OVERLAYS,
    Manifest,
    Overlay,
    combinations,
    mounted_files,
    needs_kubectl,
    render_with,
)

pytestmark = needs_kubectl

# Secrets that vLLM reads only from the environment.
_VARIABLES = {"VLLM_API_KEY", "HF_TOKEN"}
_SIZES = {0, 1, 2, max(map(len, combinations()))}
COMBINATIONS = [(overlay, components) for overlay in OVERLAYS for components in combinations()]
OF_THE_GATE = [chosen for chosen in COMBINATIONS if len(chosen[1]) in _SIZES]


def shown(chosen: tuple[str, tuple[str, ...]]) -> str:
    return "+".join([chosen[0], *chosen[1]])


@pytest.fixture(scope="module", params=OF_THE_GATE, ids=shown)
def rendered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    overlay, components = request.param
    folder: Path = tmp_path_factory.mktemp("rendered")
    return render_with(components, overlay, folder)


def test_every_image_is_pinned(rendered: list[Manifest]) -> None:
    assert unpinned(list(container_images(rendered))) == []


def test_secrets_are_files_and_not_variables(rendered: list[Manifest]) -> None:
    assert_secrets_are_files(rendered)


def assert_secrets_are_files(rendered: list[Manifest]) -> None:
    seen = 0
    for workload in Overlay(rendered).workloads:
        for container in workload.containers:
            variables = {v["name"] for v in container.get("env", []) if "secretKeyRef" in v.get("valueFrom", {})}
            assert variables <= _VARIABLES, workload.name
        seen += len(mounted_files(workload))
    assert seen >= 6
