"""Check every overlay with every set of components: its images are pinned, and its secrets are files."""

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
_COMBINATIONS = [(overlay, components) for overlay in OVERLAYS for components in combinations()]


@pytest.fixture(scope="module", params=_COMBINATIONS, ids=lambda chosen: "+".join([chosen[0], *chosen[1]]))
def rendered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    overlay, components = request.param
    folder: Path = tmp_path_factory.mktemp("rendered")
    return render_with(components, overlay, folder)


def test_every_image_is_pinned(rendered: list[Manifest]) -> None:
    assert unpinned(list(container_images(rendered))) == []


def test_secrets_are_files_and_not_variables(rendered: list[Manifest]) -> None:
    seen = 0
    for workload in Overlay(rendered).workloads:
        for container in workload.containers:
            variables = {v["name"] for v in container.get("env", []) if "secretKeyRef" in v.get("valueFrom", {})}
            assert variables <= _VARIABLES, workload.name
        seen += len(mounted_files(workload))
    assert seen >= 6
