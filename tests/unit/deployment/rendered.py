"""Render the Kubernetes manifests with `kubectl kustomize`, load docker-compose.yml, and query both."""

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
KUBECTL = shutil.which("kubectl")
OVERLAYS = ("demo", "gpu")
COMPONENTS = ("cypher", "evaluation", "monitoring", "queue-scaling", "redis-elsewhere", "redis-tls", "tracing")
# One adds TLS to the overlay's own Redis, and the other removes that Redis.
ALTERNATIVES = {"redis-elsewhere", "redis-tls"}
SECRETS_DIR = "KGQA_SECRETS_DIR"
NAME = "app.kubernetes.io/name"

needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="needs kubectl, which renders the manifests: install it")

Manifest = dict[str, Any]

_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def combinations() -> Iterator[tuple[str, ...]]:
    """Yield every set of components that an overlay can have."""
    for size in range(len(COMPONENTS) + 1):
        for chosen in itertools.combinations(COMPONENTS, size):
            if not set(chosen) >= ALTERNATIVES:
                yield chosen


def render_with(components: Sequence[str], overlay: str, folder: Path) -> list[Manifest]:
    """Render an overlay like an operator's: one of ours with components. Write its kustomization to `folder`."""
    k8s = os.path.relpath(ROOT / "k8s", folder.resolve())
    kustomization = {
        "namespace": "mine",
        "resources": [f"{k8s}/overlays/{overlay}"],
        "components": [f"{k8s}/components/{component}" for component in components],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    return render(folder)


def compose_file(**environment: str) -> Manifest:
    """Load docker-compose.yml, using defaults for the variables that `environment` lacks."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(_VARIABLE.sub(lambda found: environment.get(found[1], found[2]), text)))


def render(folder: Path) -> list[Manifest]:
    """Render all objects of a kustomization; raise AssertionError if this fails."""
    done = subprocess.run([KUBECTL or "", "kustomize", str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(yaml.load_all(done.stdout, Loader=yaml.CSafeLoader))


@dataclass(frozen=True)
class Workload:
    """Represent an object that runs pods with one long-running container each."""

    manifest: Manifest

    @property
    def pod(self) -> Manifest:
        return dict(self.manifest["spec"]["template"])

    @property
    def labels(self) -> dict[str, str]:
        return dict(self.pod["metadata"]["labels"])

    @property
    def name(self) -> str:
        return self.labels[NAME]

    @property
    def container(self) -> Manifest:
        [container] = self.pod["spec"]["containers"]
        return dict(container)

    @property
    def containers(self) -> list[Manifest]:
        """Return all containers of the pod, including its init containers."""
        return [*self.pod["spec"].get("initContainers", []), *self.pod["spec"]["containers"]]

    def secret_files(self, folder: str | None) -> list[str]:
        """Return the names of the files that Secrets provide in a folder."""
        mounted = {mount["name"] for mount in self.container["volumeMounts"] if mount["mountPath"] == folder}
        return [
            item["path"]
            for volume in self.pod["spec"]["volumes"]
            if volume["name"] in mounted
            for source in volume["projected"]["sources"]
            for item in source["secret"]["items"]
        ]


class Overlay:
    """Give access to the objects of a rendered overlay."""

    def __init__(self, manifests: list[Manifest]) -> None:
        self.manifests = manifests

    def all(self, kind: str) -> list[Manifest]:
        """Return all objects of a kind."""
        return [manifest for manifest in self.manifests if manifest["kind"] == kind]

    @property
    def workloads(self) -> list[Workload]:
        """Return the objects that run pods."""
        return [Workload(manifest) for manifest in self.manifests if "template" in manifest.get("spec", {})]

    def environment(self, workload: Workload) -> dict[str, str | None]:
        """Return a container's settings from variables and secret files; a value from a Secret is None."""
        variables: dict[str, str | None] = {
            variable["name"]: variable["value"] if "value" in variable else self._referred(variable["valueFrom"])
            for variable in workload.container.get("env", [])
        }
        return variables | dict.fromkeys(workload.secret_files(variables.get(SECRETS_DIR)))

    def _referred(self, source: Manifest) -> str | None:
        [(how, reference)] = source.items()
        if how == "configMapKeyRef":
            [held] = [m for m in self.all("ConfigMap") if m["metadata"]["name"] == reference["name"]]
            return str(held["data"][reference["key"]])
        assert how == "secretKeyRef"
        return None

    def selected(self, selector: Manifest) -> list[Workload]:
        """Return the workloads whose pods match a label selector."""
        return [workload for workload in self.workloads if _matches(selector, workload.labels)]

    def edges(self, direction: str) -> Iterator[tuple[str, str, int]]:
        """Yield the connections that the network policies allow in one direction; `*` stands for other pods."""
        peers = {"Ingress": "from", "Egress": "to"}[direction]
        for policy in self.all("NetworkPolicy"):
            for rule in policy["spec"].get(direction.lower(), []):
                for own in self.selected(policy["spec"]["podSelector"]):
                    for other in self._others(rule.get(peers)):
                        for port in rule["ports"]:
                            ends = (other, own.name) if direction == "Ingress" else (own.name, other)
                            yield (*ends, port["port"])

    def _others(self, peers: list[Manifest] | None) -> list[str]:
        if peers is None:
            return ["*"]
        inside = [peer["podSelector"] for peer in peers if "namespaceSelector" not in peer]
        return [w.name for selector in inside for w in self.selected(selector)] + ["*"] * (len(peers) - len(inside))


def _matches(selector: Manifest, labels: dict[str, str]) -> bool:
    expressions = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in expressions)
    exact = selector.get("matchLabels", {}).items() <= labels.items()
    return exact and all(labels.get(expression["key"]) in expression["values"] for expression in expressions)


def mounted_files(workload: Workload) -> set[str]:
    """Return the paths of all files that Secrets provide in a workload's container."""
    volumes = {volume["name"]: volume for volume in workload.pod["spec"]["volumes"]}
    files = set()
    for mount in workload.container["volumeMounts"]:
        volume = volumes[mount["name"]]
        sources = [source["secret"] for source in volume.get("projected", {}).get("sources", [])]
        sources += [volume["secret"]] if "secret" in volume else []
        files |= {f"{mount['mountPath']}/{item['path']}" for source in sources for item in source["items"]}
    return files
