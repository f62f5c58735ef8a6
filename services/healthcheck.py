"""Check that a service of this machine is alive: `python -m services.healthcheck PORT` exits with 0 if it is.

The HEALTHCHECK of every image runs it.
"""

import sys

from shared.outbound import probe

_TIMEOUT_S = 2.0


def is_alive(port: int) -> bool:
    """Return whether `/healthz` on this port of loopback responds with 200 in time."""
    response = probe.get(f"http://127.0.0.1:{port}/healthz", _TIMEOUT_S)
    return response is not None and response[0] == 200


if __name__ == "__main__":
    sys.exit(0 if is_alive(int(sys.argv[1])) else 1)
