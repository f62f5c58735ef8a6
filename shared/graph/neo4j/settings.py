"""Read the Neo4j settings from environment variables: `KGQA_NEO4J_*`."""

import re
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import InvalidInputError, RefusedError
from shared.outbound.urls import is_well_formed, redact_url
from shared.settings import Seconds

_NEO4J_SCHEME = re.compile(r"(?:bolt|neo4j)(?:\+s|\+ssc)?://")


class Neo4jSettings(BaseSettings):
    """Configure the connection to the database and the properties that contain names.

    Without a URL, graphs are files on this machine. `name_property` may list several properties in order of preference:
    `title,name`. The `aliases_property` holds a string or a list of strings, and `names_index` is the full-text index
    over these properties. `seconds_allowed` limits each query.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_NEO4J_", extra="ignore")

    url: str | None = None
    user: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: str = "neo4j"
    name_property: Annotated[str, Field(pattern=r"[^,\s]")] = "name"
    aliases_property: str = "aliases"
    names_index: str = "kgqa_names"
    seconds_allowed: Seconds = 2.0

    def checked_url(self) -> str:
        """Return the URL for the driver; raise InvalidInputError if it is invalid or contains credentials."""
        url = (self.url or "").strip()
        is_valid = _NEO4J_SCHEME.match(url) and is_well_formed(url)
        if is_valid and "@" not in url:
            return url
        problem = "contains a user or password" if is_valid else f"is invalid: found {self.shown_url}"
        hint = "; set user and password in KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD" if "@" in url else ""
        raise InvalidInputError(
            f"KGQA_NEO4J_URL {problem}; expected a URL like bolt://host:7687 or neo4j://host:7687, not the address of "
            f"Neo4j Browser{hint}"
        )

    @property
    def shown_url(self) -> str:
        """Return the URL in a form that is safe to show in messages."""
        return redact_url(self.url or "")

    @property
    def name_properties(self) -> list[str]:
        """Return the name properties in order of preference."""
        return [name.strip() for name in self.name_property.split(",") if name.strip()]

    def url_error(self) -> InvalidInputError:
        """Build the error for a URL that the driver rejects."""
        return InvalidInputError(f"KGQA_NEO4J_URL is invalid: expected bolt://host:7687, found {self.shown_url}")

    def auth_error(self) -> RefusedError:
        """Build the error for rejected credentials."""
        return RefusedError(
            f"Neo4j at {self.shown_url} rejected user {self.user!r}: check KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"
        )
