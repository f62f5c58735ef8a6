"""Check that a service on this machine is alive: `python -m services.healthcheck PORT` exits with 0 if it is.

Container images run this module every few seconds as their HEALTHCHECK, so it imports only what one request needs.
"""

import http.client
import sys
from urllib.parse import urlsplit

_TIMEOUT_S = 2.0


def fetch(url: str, timeout_s: float) -> tuple[int, bytes] | None:
    """Send a GET request without a proxy or redirects; return the status and body, or None if there is no response.

    `timeout_s` limits the connection attempt and, separately, each wait for data.
    """
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", parts.path)
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def is_alive(port: int) -> bool:
    """Return whether `/healthz` on this loopback port responds with 200 in time."""
    response = fetch(f"http://127.0.0.1:{port}/healthz", _TIMEOUT_S)
    return response is not None and response[0] == http.client.OK


if __name__ == "__main__":
    sys.exit(0 if is_alive(int(sys.argv[1])) else 1)
