"""Send one synchronous GET to a server of this machine, without the imports that an HTTP client costs."""

import http.client
from urllib.parse import urlsplit


def get(url: str, timeout_s: float) -> tuple[int, bytes] | None:
    """Fetch an http URL; follow no redirect and use no proxy.

    Args:
        url: The URL, such as `http://127.0.0.1:8000/readyz`.
        timeout_s: Limit for each of connecting, sending, and receiving.

    Returns:
        Status and body, or None if the server does not respond.
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
