"""Keep the evidence that replies cite, so that the links in them lead somewhere."""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from contracts.ask import CitedEvidence
from shared.access import EVERYTHING, Access
from shared.errors import NotFoundError

_MAX_BYTES = 16_000_000
_ID_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class _Kept:
    """Evidence as JSON, the graph that it comes from, and the scope within which it was found."""

    content: bytes
    graph: str | None
    scope: tuple[str, ...]

    def is_visible(self, access: Access) -> bool:
        return access.may_see(self.graph) and access.scope in ((), self.scope)


class EvidenceStore:
    """Keep evidence in memory, up to `max_bytes` of JSON; the evidence that was cited longest ago is dropped first.

    The ID of evidence is a hash of its content, so evidence that is cited again keeps its address. If it comes from a
    named graph, or was found within a scope, nobody can compute its ID from its content.
    """

    def __init__(self, access: Callable[[], Access] = lambda: EVERYTHING, max_bytes: int = _MAX_BYTES) -> None:
        """Keep evidence for callers; `access` returns what the caller of the current request may see."""
        self._access = access
        self._max_bytes = max_bytes
        self._size = 0
        self._secret = secrets.token_bytes(32)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def add(self, evidence: CitedEvidence, graph: str | None = None) -> str:
        """Keep evidence from a graph that the caller asked, unless it alone is too large, and return its ID."""
        access = self._access()
        kept = _Kept(evidence.model_dump_json().encode(), access.graph(graph), access.scope)
        id_ = self._id(kept)
        if (replaced := self._kept.pop(id_, None)) is not None:
            self._size -= len(replaced.content)
        self._size += len(kept.content)
        self._kept[id_] = kept
        while self._size > self._max_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped.content)
        return id_

    def get(self, id_: str) -> CitedEvidence:
        """Return evidence that the caller may see; raise NotFoundError if it was never cited, or has been dropped."""
        kept = self._kept.get(id_)
        if kept is None or not kept.is_visible(self._access()):
            raise _gone()
        return CitedEvidence.model_validate_json(kept.content)

    def linked(self, id_: str) -> CitedEvidence:
        """Return the evidence behind a link, which browsers open without a key; see `get`."""
        if (kept := self._kept.get(id_)) is None:
            raise _gone()
        return CitedEvidence.model_validate_json(kept.content)

    def _id(self, kept: _Kept) -> str:
        if kept.graph is None and not kept.scope:
            return hashlib.sha256(kept.content).hexdigest()[:_ID_CHARACTERS]
        content = repr((kept.graph, kept.scope)).encode() + kept.content
        return hmac.new(self._secret, content, hashlib.sha256).hexdigest()[:_ID_CHARACTERS]


def _gone() -> NotFoundError:
    return NotFoundError("this evidence is no longer kept; ask the question again to get a new link")
