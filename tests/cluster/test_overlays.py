"""Apply every overlay to a real control plane, which the file named by `KGQA_TEST_KUBECONFIG` describes.

Its nodes may be simulated: the tests check how the API server, admission control, the scheduler, and the controllers
handle the manifests. The tests create the namespaces of the overlays anew, and delete them afterwards.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.node_leases import renewed_leases
from tests.support.waiting import wait_until
from tests.unit.deployment.rendered import KUBECTL, NAME, OVERLAYS, ROOT, Overlay, render, render_with

KUBECONFIG = os.environ.get("KGQA_TEST_KUBECONFIG")

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(
        KUBECONFIG is None or KUBECTL is None,
        reason="needs kubectl and a cluster for tests: set KGQA_TEST_KUBECONFIG to its kubeconfig",
    ),
]

PATIENCE_S = 600  # guards against hanging: the control plane is slow on a busy machine
# One for each volume claim in the tests; no volume is used twice.
VOLUMES = 9
_SIMULATED = "kwok.x-k8s.io/node"
NAMESPACES = {"demo": "kgqa-demo", "gpu": "kgqa"}

# The volumes and Secrets that docs/operations/kubernetes.md asks users of the gpu overlay to create.
_VOLUME = """
apiVersion: v1
kind: PersistentVolume
metadata: {{name: kgqa-test-{number}}}
spec:
  accessModes: [ReadOnlyMany, ReadWriteMany]
  capacity: {{storage: 10Gi}}
  hostPath: {{path: /tmp}}
"""
_GPU_NODE = """
apiVersion: v1
kind: Node
metadata:
  name: with-gpu
  annotations: {kwok.x-k8s.io/node: fake, node.alpha.kubernetes.io/ttl: "0"}
  labels:
    kubernetes.io/hostname: with-gpu
    kubernetes.io/os: linux
    topology.kubernetes.io/zone: b
    nvidia.com/gpu.present: "true"
spec:
  taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "50", nvidia.com/gpu: "1", ephemeral-storage: 1Ti}
  capacity: {cpu: "16", memory: 64Gi, pods: "50", nvidia.com/gpu: "1", ephemeral-storage: 1Ti}
"""


def kubectl(*words: str, put: str | None = None, check: bool = True) -> str:
    environment = {**os.environ, "KUBECONFIG": KUBECONFIG or ""}
    command = [KUBECTL or "", *words]
    done = subprocess.run(command, input=put, capture_output=True, text=True, env=environment)
    assert not check or done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def listed(kind: str, namespace: str) -> list[dict[str, Any]]:
    return list(json.loads(kubectl("-n", namespace, "get", kind, "-o", "json"))["items"])


@pytest.fixture(scope="module", autouse=True)
def nodes() -> Iterator[None]:
    for number in range(VOLUMES):
        kubectl("apply", "-f", "-", put=_VOLUME.format(number=number))
    kubectl("apply", "-f", "-", put=_GPU_NODE)
    found = json.loads(kubectl("get", "nodes", "-o", "json"))["items"]
    simulated = [one["metadata"]["name"] for one in found if _SIMULATED in one["metadata"].get("annotations", {})]
    with renewed_leases(simulated, lambda leases: kubectl("apply", "-f", "-", put=leases, check=False)):
        yield
    kubectl("delete", "node", "with-gpu")
    kubectl("delete", "pv", *(f"kgqa-test-{number}" for number in range(VOLUMES)), "--wait=false")


@pytest.fixture(scope="module", params=OVERLAYS)
def applied(request: pytest.FixtureRequest, nodes: None) -> Iterator[str]:
    """Create the Secrets that users of the overlay must create, apply the overlay, and yield its namespace."""
    folder, namespace = ROOT / "k8s" / "overlays" / request.param, NAMESPACES[request.param]
    kubectl("delete", "namespace", namespace, "--ignore-not-found")
    kubectl("apply", "-f", str(folder / "namespace.yaml"))
    if request.param == "gpu":
        secret = ["create", "secret", "generic"]
        kubectl("-n", namespace, *secret, "neo4j", "--from-literal=user=neo4j", "--from-literal=password=x")
        kubectl("-n", namespace, *secret, "redis", "--from-literal=password=x")
    kubectl("apply", "-k", str(folder))
    yield namespace
    kubectl("delete", "namespace", namespace)


def test_rollouts_finish_and_every_service_has_endpoints(applied: str) -> None:
    for workload in [*listed("deployments", applied), *listed("statefulsets", applied)]:
        kind, name = workload["kind"].lower(), workload["metadata"]["name"]
        kubectl("-n", applied, "rollout", "status", f"{kind}/{name}", f"--timeout={PATIENCE_S}s")
    slices = listed("endpointslices", applied)
    served = {piece["metadata"]["labels"]["kubernetes.io/service-name"] for piece in slices if piece["endpoints"]}
    assert served == {service["metadata"]["name"] for service in listed("services", applied)}
    for job in listed("jobs", applied):
        kubectl(
            "-n",
            applied,
            "wait",
            "--for=condition=complete",
            f"job/{job['metadata']['name']}",
            f"--timeout={PATIENCE_S}s",
        )


def test_nothing_but_vllm_lands_on_a_gpu_node(applied: str) -> None:
    rollouts_finished(applied)
    on_gpu = {
        pod["metadata"]["labels"][NAME] for pod in listed("pods", applied) if pod["spec"]["nodeName"] == "with-gpu"
    }
    assert on_gpu == ({"llm"} if applied == NAMESPACES["gpu"] else set())


def rollouts_finished(namespace: str) -> None:
    for deployment in listed("deployments", namespace):
        name = deployment["metadata"]["name"]
        kubectl("-n", namespace, "rollout", "status", f"deployment/{name}", f"--timeout={PATIENCE_S}s")


def test_a_drain_keeps_the_disruption_budgets(applied: str) -> None:
    services = ("answerer", "retriever", "rewriter")
    kubectl("-n", applied, "scale", *(f"deployment/{name}" for name in services), "--replicas=3")
    rollouts_finished(applied)
    _wait_until(lambda: all(b["status"]["disruptionsAllowed"] == 1 for b in _budgets(applied, services)))
    [pod, other, *_] = [p for p in listed("pods", applied) if p["metadata"]["labels"][NAME] == "answerer"]

    kubectl("cordon", "simulated")  # so that no other node can take the evicted pods
    try:
        # Until the budget counts the new replicas, the API refuses, and asks to try again.
        _wait_until(lambda: '"Success"' in evict(applied, pod["metadata"]["name"], check=False))
        _wait_until(lambda: _budgets(applied, ["answerer"])[0]["status"]["disruptionsAllowed"] == 0)
        with pytest.raises(AssertionError, match="disruption budget"):
            evict(applied, other["metadata"]["name"])
    finally:
        kubectl("uncordon", "simulated")


def evict(namespace: str, pod: str, check: bool = True) -> str:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
    path = f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction"
    return kubectl("create", "--raw", path, "-f", "-", put=json.dumps(eviction), check=check)


def _budgets(namespace: str, names: tuple[str, ...] | list[str]) -> list[dict[str, Any]]:
    return [b for b in listed("poddisruptionbudgets", namespace) if b["metadata"]["name"] in names]


def _wait_until(condition: Any) -> None:
    wait_until(condition, pause_s=0.5, seconds=PATIENCE_S)


def test_the_autoscaler_keeps_two_of_each(applied: str) -> None:
    kubectl("-n", applied, "scale", "deployment/answerer", "--replicas=1")
    _wait_until(lambda: _replicas(applied, "answerer") >= 2)


def _replicas(namespace: str, name: str) -> int:
    return int(json.loads(kubectl("-n", namespace, "get", "deployment", name, "-o", "json"))["spec"]["replicas"])


def test_a_pod_that_may_do_more_is_not_let_in(applied: str) -> None:
    """Check that the namespace enforces the rules that the manifests follow."""
    [first, *_] = Overlay(render(Path(ROOT / "k8s" / "overlays" / "demo"))).all("Deployment")
    spec = first["spec"]["template"]["spec"]
    del spec["containers"][0]["securityContext"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "more", "namespace": applied}, "spec": spec}
    with pytest.raises(AssertionError, match="violates PodSecurity"):
        kubectl("apply", "-f", "-", put=json.dumps(pod))


@pytest.mark.parametrize("component", ["redis-tls", "redis-elsewhere"])
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_component_for_redis_rolls_out(overlay: str, component: str, tmp_path: Path) -> None:
    namespace = "mine"
    kubectl("create", "namespace", namespace)
    try:
        kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
        objects = render_with([component], overlay, tmp_path)
        items = [manifest for manifest in objects if manifest["kind"] != "Namespace"]
        kubectl("apply", "-f", "-", put=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        for name in ("rewriter", "redis") if component == "redis-tls" else ("rewriter",):
            kubectl("-n", namespace, "rollout", "status", f"deployment/{name}", f"--timeout={PATIENCE_S}s")
    finally:
        kubectl("delete", "namespace", namespace)


def test_a_shared_evaluation_runs_all_its_parts(tmp_path: Path) -> None:
    namespace = "mine"
    kubectl("create", "namespace", namespace)
    try:
        kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
        kubectl("-n", namespace, "create", "secret", "generic", "neo4j", "--from-literal=user=x")
        objects = render_with(["evaluation"], "gpu", tmp_path)
        items = [manifest for manifest in objects if manifest["kind"] != "Namespace"]
        kubectl("apply", "-f", "-", put=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        kubectl("-n", namespace, "wait", "--for=condition=complete", "job/evaluation", f"--timeout={PATIENCE_S}s")
        [job] = listed("jobs", namespace)
        assert job["status"]["completedIndexes"] == "0-9"
    finally:
        kubectl("delete", "namespace", namespace)
