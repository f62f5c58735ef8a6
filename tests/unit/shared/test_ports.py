import socket
from pathlib import Path

import pytest

from shared.processes import free_port, port_is_free

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_port_is_free_until_somebody_listens(family: int, host: str) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as other:
        try:
            other.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no {host}")
        port = other.getsockname()[1]
        other.listen()
        assert not port_is_free(host, port)
    assert port_is_free(host, port)


def test_no_connection_takes_a_free_port() -> None:
    if not _EPHEMERAL.exists():
        pytest.skip("this system does not tell which ports it gives to connections")
    first, last = map(int, _EPHEMERAL.read_text(encoding="ascii").split())
    chosen = [free_port() for _ in range(200)]
    assert [port for port in chosen if first <= port <= last] == []
    assert len(set(chosen)) == len(chosen)
