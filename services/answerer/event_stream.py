"""Write server-sent events."""

import json
from typing import Any

MEDIA_TYPE = "text/event-stream"
CONTENT: dict[str, Any] = {
    MEDIA_TYPE: {
        "schema": {
            "type": "object",
            "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
            "required": ["data"],
        }
    }
}
"""The content of a response for OpenAPI, whose schema is that of each event; `data` is JSON."""
# Proxies such as nginx collect a response before they pass it on, unless this header tells them not to.
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
DONE = b"data: [DONE]\n\n"
"""The end of a stream of OpenAI's API."""


def event(data: Any, name: str | None = None) -> bytes:
    """Return an event whose data is JSON on one line."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
