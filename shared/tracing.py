"""The id that follows one request through all services."""

import re
import uuid
from contextvars import ContextVar

HEADER = "X-Request-ID"

_SAFE = re.compile(r"[A-Za-z0-9._-]{1,64}")

current_request_id: ContextVar[str] = ContextVar("current_request_id", default="")


def accept_request_id(offered: str | None) -> str:
    """The caller's id when it is short and harmless to log, else a new one."""
    return offered if offered and _SAFE.fullmatch(offered) else uuid.uuid4().hex
