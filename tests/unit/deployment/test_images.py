"""Check that every deployed image is pinned, and that no public registry can serve this project's images."""

import re
from pathlib import Path

import pytest
import yaml

from tests.unit.deployment.images import OURS, container_images, image_faults, unpinned
from tests.unit.deployment.rendered import (
    COMPONENTS,
    OVERLAYS,
    ROOT,
    combinations,
    compose_file,
    needs_kubectl,
    render,
    render_with,
)

DOCKERFILES = sorted(ROOT.glob("Dockerfile.*"))


@needs_kubectl
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_combination_of_all_components_renders_their_workloads(overlay: str, tmp_path: Path) -> None:
    """Check that the workloads of every component are rendered, and therefore checked for pinned images."""
    largest = max(combinations(), key=len)
    names = {manifest["metadata"]["name"] for manifest in render_with(largest, overlay, tmp_path)}
    assert {"evaluation", "answerer", "retriever", "rewriter", "llm"} <= names


@needs_kubectl
def test_every_file_below_k8s_is_rendered() -> None:
    kustomizations = {path.parent for path in (ROOT / "k8s").rglob("kustomization.yaml")}
    expected = {ROOT / "k8s/base"}
    expected |= {ROOT / "k8s/overlays" / name for name in OVERLAYS}
    expected |= {ROOT / "k8s/components" / name for name in COMPONENTS}
    assert kustomizations == expected


def test_every_image_in_compose_is_pinned() -> None:
    assert unpinned([service["image"] for service in compose_file()["services"].values()]) == []


def test_compose_builds_this_projects_images_and_never_pulls_them() -> None:
    for service in compose_file()["services"].values():
        assert ("build" in service) == service["image"].startswith(OURS)
        assert service.get("pull_policy") == ("build" if "build" in service else None)


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_every_base_image_is_pinned(dockerfile: Path) -> None:
    text = dockerfile.read_text(encoding="utf-8")
    defaults = dict(re.findall(r"^ARG (\w+)=(\S+)", text, re.MULTILINE))
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))
    named = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    bases = {re.sub(r"\$\{(\w+)\}", lambda argument: defaults[argument[1]], base) for base in named} - stages
    assert bases
    assert [fault for base in bases for fault in image_faults(base)] == []


@needs_kubectl
def test_an_operators_registry_and_digest_reach_every_workload(tmp_path: Path) -> None:
    """Apply the change to an overlay's copy that docs/operations/kubernetes.md describes."""
    digest = "sha256:" + "0123456789abcdef" * 4
    render_with(["evaluation"], "gpu", tmp_path)
    path = tmp_path / "kustomization.yaml"
    chosen = {"name": "localhost/kgqa/retriever", "newName": "registry.example.com/kgqa/retriever", "digest": digest}
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "images": [chosen]}))
    images = [image for image in container_images(render(tmp_path)) if "retriever" in image]
    assert images == [f"registry.example.com/kgqa/retriever@{digest}"] * 2  # the Deployment and the evaluation Job


@pytest.mark.parametrize(
    ("image", "fault"),
    [
        ("localhost/kgqa/retriever", "neither tag nor digest"),
        ("localhost:5000/kgqa/retriever", "neither tag nor digest"),
        ("docker.io/library/redis:latest", "tagged latest"),
        ("redis:7.4-alpine", "names no registry"),
        ("kgqa/retriever:0.1.0", "names no registry"),
        ("docker.io/library/redis@sha256:12", "malformed digest"),
        ("", "neither tag nor digest"),
    ],
)
def test_an_image_that_is_not_pinned_is_found(image: str, fault: str) -> None:
    assert any(fault in found for found in image_faults(image))


@pytest.mark.parametrize(
    "image",
    [
        "localhost/kgqa/retriever:0.1.0",
        "localhost:5000/kgqa/retriever:0.1.0",
        "docker.io/library/redis:7.4-alpine",
        f"registry.example.com/kgqa/llm@sha256:{'0' * 64}",
    ],
)
def test_an_image_that_is_pinned_has_no_fault(image: str) -> None:
    assert image_faults(image) == []


@pytest.mark.parametrize("version", ["0.0.9", "latest"])
def test_an_image_of_another_version_is_found(version: str) -> None:
    assert unpinned([f"localhost/kgqa/retriever:{version}"])


_POD = {"containers": [{"image": "a"}], "initContainers": [{"image": "b"}], "ephemeralContainers": [{"image": "c"}]}


@pytest.mark.parametrize(
    "manifest",
    [
        {"kind": "Pod", "spec": _POD},
        {"kind": "Job", "spec": {"template": {"spec": _POD}}},
        {"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": _POD}}}}},
        {"kind": "List", "items": [{"kind": "StatefulSet", "spec": {"template": {"spec": _POD}}}]},
    ],
    ids=lambda manifest: manifest["kind"],
)
def test_images_are_found_in_every_kind_of_workload_and_container(manifest: dict[str, object]) -> None:
    assert sorted(container_images(manifest)) == ["a", "b", "c"]


def test_a_container_without_an_image_is_found() -> None:
    assert list(container_images({"containers": [{"name": "x"}]})) == [""]
