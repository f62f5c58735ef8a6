"""Define the message that reports an error."""

from pydantic import BaseModel


class Problem(BaseModel):
    """An error as RFC 9457 problem+json."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[dict[str, str]] = []
