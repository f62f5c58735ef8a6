"""Whether a service of this machine is alive: `python -m services.healthcheck PORT` ends with 0 if it is.

For an image's HEALTHCHECK, so it imports next to nothing and asks no proxy.
"""

import http.client
import sys

_TIMEOUT_S = 2.0


def is_alive(port: int) -> bool:
    """Whether `/healthz` at this port of loopback answers 200 in time."""
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
