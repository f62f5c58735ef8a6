"""Renew the leases of simulated nodes, as kubelets do.

A simulated node reports its status every 20 to 45 s, and the control plane takes it for lost after 50 s. On a busy
machine, a late report makes all its pods unready for good, because their simulation does not look at them again.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

_NAMESPACE = "kube-node-lease"
_PAUSE_S = 5.0
_DURATION_S = 40


@contextmanager
def renewed_leases(nodes: Sequence[str], apply: Callable[[str], object]) -> Iterator[None]:
    """Renew the leases of nodes until the block ends.

    Args:
        nodes: The names of the nodes.
        apply: Applies a manifest to the cluster; it must not raise.
    """
    ended = threading.Event()

    def renew() -> None:
        while True:
            apply(json.dumps({"apiVersion": "v1", "kind": "List", "items": [_lease(name) for name in nodes]}))
            if ended.wait(_PAUSE_S):
                return

    renewing = threading.Thread(target=renew, name="node leases", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        ended.set()
        renewing.join()


def _lease(node: str) -> dict[str, object]:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": node, "namespace": _NAMESPACE},
        "spec": {"holderIdentity": node, "leaseDurationSeconds": _DURATION_S, "renewTime": now},
    }
