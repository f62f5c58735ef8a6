import socket

import pytest

from shared.processes import port_is_free


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
