"""Keep the evidence that replies cite, so that the links in them lead somewhere."""

import hashlib
from collections import OrderedDict

from shared.contracts import CitedEvidence
from shared.errors import NotFoundError

_MAX_BYTES = 16_000_000
_ID_CHARACTERS = 32


class EvidenceStore:
    """Keep evidence in memory, up to `max_bytes` of JSON; the evidence that was cited longest ago is dropped first.

    The ID of evidence is a hash of its content, so evidence that is cited again keeps its address.
    """

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def add(self, evidence: CitedEvidence) -> str:
        """Keep evidence, unless it alone is too large, and return its ID."""
        content = evidence.model_dump_json().encode()
        id_ = hashlib.sha256(content).hexdigest()[:_ID_CHARACTERS]
        self._size += len(content) - len(self._kept.pop(id_, b""))
        self._kept[id_] = content
        while self._size > self._max_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
        return id_

    def get(self, id_: str) -> CitedEvidence:
        """Return evidence; raise NotFoundError if it was never cited, or has been dropped."""
        if (content := self._kept.get(id_)) is None:
            raise NotFoundError("this evidence is no longer kept; ask the question again to get a new link")
        return CitedEvidence.model_validate_json(content)
