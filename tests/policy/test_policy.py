"""checkov over every rendered overlay and component, the Dockerfiles and docker-compose.yml; hadolint over the former.

No finding is left, and each exception stands beside what it excepts, with its reason: an annotation in a manifest, a
comment in a Dockerfile. `KGQA_TEST_POLICY` names the folder of both programs; `make test-policy` installs them.
"""

import copy
import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.deployment.rendered import KUBECTL, OVERLAYS, ROOT, Manifest, combinations, render_with

TOOLS = os.environ.get("KGQA_TEST_POLICY")

pytestmark = [
    pytest.mark.policy,
    pytest.mark.skipif(
        TOOLS is None or KUBECTL is None,
        reason="needs kubectl, and checkov and hadolint: set KGQA_TEST_POLICY to the folder of the latter",
    ),
]

DOCKERFILES = sorted(ROOT.glob("Dockerfile.*"))
_SKIP = "checkov.io/skip"
_IGNORE = re.compile(r"# hadolint ignore=(\w+)")
_SHORTEST_REASON = 20
_MOST = max(map(len, combinations()))


@dataclass(frozen=True)
class Findings:
    """Hold checkov's report: failed checks and exceptions with their reasons, by file, resource, and check."""

    failed: set[tuple[str, str, str]]
    excepted: dict[tuple[str, str, str], str]
    passed: int


def checkov(framework: str, folder: Path) -> Findings:
    command = [f"{TOOLS}/checkov", "--framework", framework, "--skip-download", "-d", str(folder), "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    results = report.get("results", {"failed_checks": [], "skipped_checks": []})

    def key(record: dict[str, Any]) -> tuple[str, str, str]:
        return Path(record["file_path"]).name, record["resource"], record["check_id"]

    return Findings(
        {key(record) for record in results["failed_checks"]},
        {key(record): record["check_result"]["suppress_comment"] for record in results["skipped_checks"]},
        report.get("summary", report)["passed"],
    )


def hadolint(*files: Path) -> list[dict[str, Any]]:
    command = [f"{TOOLS}/hadolint", "--no-fail", "--format", "json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def _write(folder: Path, name: str, manifests: list[Manifest]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(yaml.safe_dump_all(manifests), encoding="utf-8")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Manifest]]:
    """Render every overlay alone, with each component, and with all compatible components, keyed by name."""
    folder = tmp_path_factory.mktemp("kustomization")
    return {
        "+".join([overlay, *components]): render_with(components, overlay, folder)
        for overlay in OVERLAYS
        for components in combinations()
        if len(components) in (0, 1, _MOST)
    }


@pytest.fixture(scope="module")
def of_manifests(rendered: dict[str, list[Manifest]], tmp_path_factory: pytest.TempPathFactory) -> Findings:
    folder = tmp_path_factory.mktemp("manifests")
    for name, manifests in rendered.items():
        _write(folder, name, manifests)
    return checkov("kubernetes", folder)


def test_no_manifest_has_a_finding(of_manifests: Findings) -> None:
    assert of_manifests.failed == set()
    assert of_manifests.passed > 1000


def test_every_exception_has_a_reason(of_manifests: Findings) -> None:
    assert of_manifests.excepted
    assert [key for key, reason in of_manifests.excepted.items() if len(reason) < _SHORTEST_REASON] == []


def test_every_exception_is_needed(of_manifests: Findings, rendered: dict[str, list[Manifest]], tmp_path: Path) -> None:
    """Prove that a workload without its annotations has exactly the findings that they except."""
    names = [name for name in rendered if name.count("+") in (0, _MOST)]
    assert len(names) >= 2 * len(OVERLAYS)
    for name in names:
        bare = copy.deepcopy(rendered[name])
        for manifest in bare:
            annotations = manifest["metadata"].get("annotations", {})
            for annotation in [found for found in annotations if found.startswith(_SKIP)]:
                del annotations[annotation]
        _write(tmp_path, name, bare)
    excepted = {key for key in of_manifests.excepted if key[0].removesuffix(".yaml") in names}
    assert checkov("kubernetes", tmp_path).failed == excepted


def _root(pod: Manifest) -> None:
    pod["securityContext"]["runAsNonRoot"] = False
    pod["securityContext"]["runAsUser"] = 0


_MUTATIONS: dict[str, Callable[[Manifest], object]] = {
    "CKV_K8S_16": lambda pod: pod["containers"][0]["securityContext"].update(privileged=True),
    "CKV_K8S_13": lambda pod: pod["containers"][0]["resources"].pop("limits"),
    "CKV_K8S_14": lambda pod: pod["containers"][0].update(image="localhost/kgqa/retriever"),
    "CKV_K8S_22": lambda pod: pod["containers"][0]["securityContext"].update(readOnlyRootFilesystem=False),
    "CKV_K8S_23": _root,
    "CKV_K8S_31": lambda pod: pod["securityContext"].pop("seccompProfile"),
    "CKV_K8S_35": lambda pod: pod["containers"][0]["env"].append(
        {"name": "X", "valueFrom": {"secretKeyRef": {"name": "neo4j", "key": "password"}}}
    ),
    "CKV_K8S_38": lambda pod: pod.update(automountServiceAccountToken=True),
}


def test_a_manifest_that_breaks_a_policy_is_found(rendered: dict[str, list[Manifest]], tmp_path: Path) -> None:
    jobs = {m["metadata"]["name"]: m for m in rendered["demo+evaluation"] if m["kind"] == "Job"}
    for check, mutate in _MUTATIONS.items():
        changed = copy.deepcopy(jobs["evaluation"])
        mutate(changed["spec"]["template"]["spec"])
        _write(tmp_path, check, [changed])
    found = {(file.removesuffix(".yaml"), check) for file, _, check in checkov("kubernetes", tmp_path).failed}
    assert {(check, check) for check in _MUTATIONS} <= found


def test_no_dockerfile_has_a_finding(tmp_path: Path) -> None:
    for file in DOCKERFILES:
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    findings = checkov("dockerfile", tmp_path)
    assert findings.failed == set()
    assert findings.passed > 100
    assert all(len(reason) >= _SHORTEST_REASON for reason in findings.excepted.values())
    assert hadolint(*DOCKERFILES) == []


def test_every_exception_of_hadolint_is_needed_and_has_a_reason(tmp_path: Path) -> None:
    for file in DOCKERFILES:
        lines = file.read_text(encoding="utf-8").splitlines()
        ignored = [(number, found[1]) for number, line in enumerate(lines) if (found := _IGNORE.fullmatch(line))]
        for number, _ in ignored:
            assert len(lines[number - 1]) >= _SHORTEST_REASON, f"{file.name}:{number}"
            assert lines[number - 1].startswith("# "), f"{file.name}:{number}"
        bare = tmp_path / file.name
        bare.write_text("\n".join(line for line in lines if not _IGNORE.fullmatch(line)), encoding="utf-8")
        assert sorted(finding["code"] for finding in hadolint(bare)) == sorted(code for _, code in ignored)


def test_a_dockerfile_that_breaks_a_policy_is_found(tmp_path: Path) -> None:
    text = "FROM docker.io/library/python\nRUN sudo pip install kgqa\nCMD python -m kgqa\n"
    (tmp_path / "Dockerfile").write_text(text, encoding="utf-8")
    found = {check for *_, check in checkov("dockerfile", tmp_path).failed}
    assert {"CKV_DOCKER_2", "CKV_DOCKER_3", "CKV_DOCKER_7", "CKV2_DOCKER_1"} <= found
    assert {"DL3004", "DL3006", "DL3025"} <= {finding["code"] for finding in hadolint(tmp_path / "Dockerfile")}


def test_no_file_of_the_deployment_holds_a_credential(tmp_path: Path) -> None:
    """Scan for credentials; tests/unit/deployment/test_compose.py checks Compose, for which checkov has no policies."""
    for file in [ROOT / "docker-compose.yml", ROOT / ".env", *DOCKERFILES, *(ROOT / "k8s").rglob("*.*")]:
        name = str(file.relative_to(ROOT)).replace("/", "-").removeprefix(".")
        (tmp_path / name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    assert checkov("secrets", tmp_path).failed == set()


def test_a_credential_is_found(tmp_path: Path) -> None:
    file = tmp_path / "docker-compose.yml"
    key = "AKIA" + "Z7QXW3LMN5RT2BVK"
    file.write_text(f"services:\n  x:\n    environment:\n      AWS_ACCESS_KEY_ID: {key}\n", encoding="utf-8")
    assert checkov("secrets", tmp_path).failed
