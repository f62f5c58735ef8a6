"""Issue and recognise the API keys of callers. Only hashes of keys are kept."""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_settings import NoDecode

from shared.access import EVERYTHING, Access
from shared.cost_of_wrong import is_cost_of_wrong
from shared.errors import InvalidInputError
from shared.paths import is_graph_name
from shared.scope_conditions import read_condition

log = logging.getLogger(__name__)

_PREFIX = "kgqa_"
_HASH = re.compile("[0-9a-f]{64}")
_FIELDS = ("hash", "per_minute", "graphs", "scope", "cost_of_wrong")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def new_key() -> str:
    """Return a new random key, with 256 bits of entropy."""
    return _PREFIX + secrets.token_urlsafe(32)


def hash_of(key: str) -> str:
    """Return the hash of a key, in hexadecimal. Keys are random, so a fast hash without salt is safe."""
    return hashlib.sha256(key.encode()).hexdigest()


def bearer_token(authorization: str) -> str | None:
    """Return the token in the value of an `Authorization` header, or None if it has another scheme, or no token."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def is_key_name(name: str) -> bool:
    """Return whether a name is 1 to 64 letters, digits, '.', '_' or '-', and begins with a letter or digit."""
    return bool(_NAME.fullmatch(name))


@dataclass(frozen=True, slots=True)
class CallerKey:
    """Hold the hash of a caller's key, what limits the caller, and the default of its requests.

    Attributes:
        hash: The hash of the key.
        per_minute: How many requests the caller may send per minute; None for any number.
        graphs: The names of the graphs that the caller may ask, the default one first; None for all.
        scope: Conditions that limit what the caller sees of each graph, such as `Document.tenant = 42`.
        cost_of_wrong: How many right answers a wrong one outweighs for the caller; None for the service's default.
    """

    hash: str
    per_minute: int | None = None
    graphs: tuple[str, ...] | None = None
    scope: tuple[str, ...] = ()
    cost_of_wrong: float | None = None

    @property
    def access(self) -> Access:
        """Return what the caller may see."""
        return Access(self.graphs, self.scope)

    def as_json(self) -> str | dict[str, Any]:
        """Return the form in settings and files: the hash alone if nothing else is set."""
        limits = {"per_minute": self.per_minute, "graphs": list(self.graphs or ()), "scope": list(self.scope)}
        given: dict[str, Any] = {name: value for name, value in limits.items() if value}
        if self.cost_of_wrong is not None:  # a wrong answer may cost nothing
            given["cost_of_wrong"] = self.cost_of_wrong
        return {"hash": self.hash, **given} if given else self.hash


def caller_keys(value: Any) -> Any:
    """Read `{"NAME": "HASH"}`, or `{"NAME": {"hash": "HASH", "per_minute": 60}}`, from a setting; "" has no keys.

    A key may also have `graphs`, a list of names, `scope`, a list of conditions, and `cost_of_wrong`.

    Raises ValueError, which does not quote the value.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except ValueError:
            raise ValueError("expected JSON such as the output of `kgqa keys export`") from None
    keys = {str(name): _caller_key(key) for name, key in value.items()} if isinstance(value, dict) else {"": None}
    if not all(is_key_name(name) and key for name, key in keys.items()):
        raise ValueError("expected names with SHA-256 hashes, such as the output of `kgqa keys export`, and no keys")
    return keys


def read_keys(file: Path) -> dict[str, CallerKey]:
    """Read the keys of a file, which need not exist; raise InvalidInputError if it is damaged or cannot be read."""
    try:
        return dict(caller_keys(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidInputError(f"cannot read the API keys in {file}: {error.strerror or error}") from None
    except ValueError as error:
        raise InvalidInputError(f"{file}: {error}") from None


def _caller_key(value: Any) -> CallerKey | None:
    """Return a key, or None if the value does not describe one."""
    if isinstance(value, str):
        value = {"hash": value}
    if isinstance(value, CallerKey):
        return value
    if not isinstance(value, dict) or not value.keys() <= set(_FIELDS):
        return None
    hashed, per_minute, graphs, scope, cost = map(value.get, _FIELDS)
    if not (isinstance(hashed, str) and _HASH.fullmatch(hashed)):
        return None
    # A limit that cannot be read must not become no limit.
    if per_minute is not None and not (type(per_minute) is int and per_minute >= 1):
        return None
    if graphs is not None and not (isinstance(graphs, list) and graphs and all(map(_is_graph_name, graphs))):
        return None
    if scope is not None and not (isinstance(scope, list) and scope and all(map(_is_condition, scope))):
        return None
    if cost is not None and not is_cost_of_wrong(cost):
        return None
    return CallerKey(hashed, per_minute, tuple(graphs) if graphs else None, tuple(scope or ()), cost)


def _is_condition(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(read_condition(value))
    except InvalidInputError:
        return False


def _is_graph_name(value: Any) -> bool:
    return isinstance(value, str) and is_graph_name(value)


CallerKeys = Annotated[dict[str, CallerKey], NoDecode, BeforeValidator(caller_keys)]
"""Setting with the keys of callers, by their names."""


class ApiKeys:
    """Recognise callers by their keys."""

    def __init__(self, keys: Mapping[str, CallerKey]) -> None:
        self._keys = dict(keys)

    def caller(self, key: str) -> str | None:
        """Return the name of the caller that a key belongs to, or None; the time taken does not depend on the key."""
        hashed, found = hash_of(key), None
        for name, known in self._keys.items():
            if hmac.compare_digest(hashed, known.hash):
                found = name
        return found

    def per_minute(self, caller: str) -> int | None:
        """Return how many requests a caller may send per minute, or None if its key has no limit."""
        return self._keys[caller].per_minute

    def access(self, caller: str) -> Access:
        """Return what a caller may see."""
        return self._keys[caller].access

    def cost_of_wrong(self, caller: str) -> float | None:
        """Return what a wrong answer costs a caller, or None if its key does not say."""
        return self._keys[caller].cost_of_wrong

    @property
    def are_restricted(self) -> bool:
        """Return whether some callers may see less than others."""
        return any(key.access != EVERYTHING for key in self._keys.values())


class KeyFile(ApiKeys):
    """Recognise callers by the keys in a file, and look for changes of the file before each request.

    While the file is missing or damaged, no key is valid: a key that was removed must not work again. Raises
    InvalidInputError on creation if the file is damaged.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._state = self._look()
        super().__init__(read_keys(file))

    def caller(self, key: str) -> str | None:
        """Return the name of the caller that a key in the file belongs to now, or None."""
        self._reload()
        return super().caller(key)

    @property
    def are_restricted(self) -> bool:
        """Return whether some callers may now see less than others."""
        self._reload()
        return super().are_restricted

    def _reload(self) -> None:
        state = self._look()
        if state == self._state:
            return
        self._state = state
        try:
            self._keys = read_keys(self._file)
        except InvalidInputError as error:
            self._keys = {}
            log.error("no API key is accepted, because the keys cannot be read: %s", error)

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
