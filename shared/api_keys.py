"""Issue and recognise the API keys of callers. Only hashes of keys are kept."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_settings import NoDecode

_PREFIX = "kgqa_"
_HASH = re.compile("[0-9a-f]{64}")
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


def key_hashes(value: Any) -> Any:
    """Read `{"NAME": "HASH"}` from a setting; an empty text has no keys. Raise ValueError without quoting the value."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except ValueError:
            raise ValueError("expected JSON such as the output of `kgqa keys export`") from None
    valid = isinstance(value, dict) and all(
        is_key_name(str(name)) and isinstance(hashed, str) and _HASH.fullmatch(hashed) for name, hashed in value.items()
    )
    if not valid:
        raise ValueError("expected names with SHA-256 hashes, such as the output of `kgqa keys export`, and no keys")
    return value


KeyHashes = Annotated[dict[str, str], NoDecode, BeforeValidator(key_hashes)]
"""Setting with the hashes of keys, by the name of the caller that a key belongs to."""


class ApiKeys:
    """Recognise callers by their keys."""

    def __init__(self, hashes: Mapping[str, str]) -> None:
        self._hashes = dict(hashes)

    def caller(self, key: str) -> str | None:
        """Return the name of the caller that a key belongs to, or None; the time taken does not depend on the key."""
        hashed, found = hash_of(key), None
        for name, known in self._hashes.items():
            if hmac.compare_digest(hashed, known):
                found = name
        return found
