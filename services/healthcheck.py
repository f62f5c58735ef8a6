"""Check a service on this machine for an image's HEALTHCHECK: `python -m services.healthcheck PORT` exits with 0 if up.

It imports next to nothing, so that it starts fast, and ignores proxy settings.
"""

import http.client
import sys

_TIMEOUT_S = 2.0


def is_alive(port: int) -> bool:
    """Return whether `/healthz` on this loopback port answers 200 in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_alive(int(sys.argv[1])) else 1)
