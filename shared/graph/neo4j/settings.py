"""Where a Neo4j is and what its names are called, from the environment: `KGQA_NEO4J_*`."""

import re
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import InvalidInputError, RefusedError
from shared.outbound.urls import is_well_formed, redact_url
from shared.settings import Seconds

_NEO4J_SCHEME = re.compile(r"(?:bolt|neo4j)(?:\+s|\+ssc)?://")


class Neo4jSettings(BaseSettings):
    """`url`: `bolt://` or `neo4j://`, with `+s` for TLS; without it graphs are files of this machine.

    `name_property`: what people read of a node, or several with commas between, of which a node's first counts, as in
    `title,name`; `aliases_property`: a text or list of texts that it also goes by.
    `names_index`: the full-text index over both. `seconds_allowed` bounds each question to the database.
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
        """The URL as the driver takes it. Raises InvalidInputError for another kind, or one that holds a password."""
        url = (self.url or "").strip()
        is_valid = _NEO4J_SCHEME.match(url) and is_well_formed(url)
        if "@" in url:
            wrong = "holds a user or password" if is_valid else "is not valid"
            raise InvalidInputError(
                f"KGQA_NEO4J_URL {wrong}: expected a URL like bolt://host:7687 or neo4j://host:7687, and user and "
                "password in KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"
            )
        if not is_valid:
            raise InvalidInputError(
                f"KGQA_NEO4J_URL is not valid: {self.shown_url} is not like bolt://host:7687 or neo4j://host:7687 (the "
                "browser's address is another)"
            )
        return url

    @property
    def shown_url(self) -> str:
        """The URL as messages show it."""
        return redact_url(self.url or "")

    def not_taken(self) -> InvalidInputError:
        """The error of a URL that the driver rejects."""
        return InvalidInputError(
            f"KGQA_NEO4J_URL is not valid: the driver rejects {self.shown_url}; expected one like bolt://host:7687"
        )

    def refused(self) -> RefusedError:
        """The error of a database that does not take this user and password."""
        return RefusedError(
            f"Neo4j at {self.shown_url} refused user {self.user!r}: set KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"
        )

    @property
    def name_properties(self) -> list[str]:
        """The name properties in their order."""
        return [name.strip() for name in self.name_property.split(",") if name.strip()]
