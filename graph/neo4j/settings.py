"""Read the Neo4j settings from environment variables: `KGQA_NEO4J_*`."""

import re
from typing import Annotated

from pydantic import AfterValidator, SecretStr
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import InvalidInputError, RefusedError
from shared.outbound.urls import is_well_formed, redact_url
from shared.settings import Seconds

_NEO4J_SCHEME = re.compile(r"(?:bolt|neo4j)(?:\+s|\+ssc)?://")

_LIST_ERROR = "property_list"


def _hideable(text: str) -> str:
    """Check a list of properties with or without a label."""
    for label, key in map(_split, _items(text)):
        if not key or label == "":
            raise PydanticCustomError(
                _LIST_ERROR, "expected properties separated by commas, such as Person.ssn,salary (salary of any label)"
            )
    return text


def _database(text: str) -> str:
    """Check the name of a database, or the names of several, each with a graph before it."""
    pairs = [item.partition("=") for item in _items(text)]
    graphs = [graph.strip() for graph, _, _ in pairs]
    if "=" in text or "," in text:
        is_valid = all(graph and name.strip() for graph, (_, _, name) in zip(graphs, pairs, strict=True))
        if not is_valid or len(set(graphs)) < len(graphs):
            raise PydanticCustomError(
                _LIST_ERROR, "expected the name of a database, or one for each graph, such as films=neo4j,people=hr"
            )
    return text


def _naming(text: str) -> str:
    """Check a list of properties with labels, with at most one property for each label."""
    pairs = [_split(item) for item in _items(text)]
    if not all(label and key for label, key in pairs):
        raise PydanticCustomError(
            _LIST_ERROR, "expected a label and a property for each name, such as Person.name,Movie.title"
        )
    if len(dict(pairs)) < len(pairs):
        raise PydanticCustomError(_LIST_ERROR, "expected one property for each label, but a label occurs twice")
    return text


class Neo4jSettings(BaseSettings):
    """Configure the connection to the database and the properties that contain names.

    Without a URL, graphs are files on this machine. `name_property` may list several properties in order of preference:
    `title,name`; without it, the schema chooses a property for each label. The `aliases_property` holds a string or a
    list of strings, and `names_index` is a full-text index over these properties, which need not exist.
    `seconds_allowed` limits each query. `database` is the name of the database, or names one for each of several
    graphs: `films=neo4j,people=hr`.

    `hide` lists properties that no part of the service may use or show: `Person.ssn` or, for all labels and
    relationship types, `ssn`. `names` overrides the properties that name the nodes of a label:
    `Person.name,Movie.title`.
    """

    # Compose passes variables that are not set as empty ones.
    model_config = SettingsConfigDict(env_prefix="KGQA_NEO4J_", extra="ignore", env_ignore_empty=True)

    url: str | None = None
    user: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: Annotated[str, AfterValidator(_database)] = "neo4j"
    name_property: str = ""
    aliases_property: str = "aliases"
    names_index: str = "kgqa_names"
    seconds_allowed: Seconds = 2.0
    hide: Annotated[str, AfterValidator(_hideable)] = ""
    names: Annotated[str, AfterValidator(_naming)] = ""

    def checked_url(self, source: str = "KGQA_NEO4J_URL") -> str:
        """Return the URL for the driver; raise InvalidInputError if it is invalid or contains credentials.

        `source` says in the message where the URL comes from.
        """
        url = (self.url or "").strip()
        is_valid = _NEO4J_SCHEME.match(url) and is_well_formed(url)
        if is_valid and "@" not in url:
            return url
        problem = "contains a user or password" if is_valid else f"is invalid: found {self.shown_url}"
        hint = "; set user and password in KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD" if "@" in url else ""
        raise InvalidInputError(
            f"{source} {problem}; expected a URL like bolt://host:7687 or neo4j://host:7687, not the address of "
            f"Neo4j Browser{hint}"
        )

    @property
    def databases(self) -> dict[str, str]:
        """Return the database of each graph, if `database` names several; else nothing."""
        pairs = (item.partition("=") for item in _items(self.database) if "=" in item)
        return {graph.strip(): name.strip() for graph, _, name in pairs}

    def of_graph(self, graph: str) -> "Neo4jSettings":
        """Return the settings for one graph; raise InvalidInputError if `database` names others, but not this one."""
        if not self.databases:
            return self
        if graph not in self.databases:
            raise InvalidInputError(
                f"KGQA_NEO4J_DATABASE has no database for the graph {graph!r}; add {graph}=DATABASE to it"
            )
        return self.model_copy(update={"database": self.databases[graph]})

    @property
    def shown_url(self) -> str:
        """Return the URL in a form that is safe to show in messages."""
        return redact_url(self.url or "")

    @property
    def name_properties(self) -> list[str]:
        """Return the properties in `name_property`, in order of preference."""
        return [name.strip() for name in self.name_property.split(",") if name.strip()]

    @property
    def chosen_names(self) -> dict[str, str]:
        """Return the property that names the nodes of each label in `names`."""
        return {label: key for label, key in map(_split, _items(self.names)) if label}

    @property
    def hidden_properties(self) -> list[tuple[str | None, str]]:
        """Return the label and the name of each property in `hide`; without a label, it is hidden everywhere."""
        return [_split(item) for item in _items(self.hide)]

    @property
    def hidden(self) -> frozenset[tuple[str, str]]:
        """Return `hidden_properties` as a set, in which `""` stands for all labels and relationship types."""
        return frozenset((label or "", key) for label, key in self.hidden_properties)

    def is_hidden(self, owner: str, key: str) -> bool:
        """Return whether a property of a label or relationship type is hidden."""
        return ("", key) in self.hidden or (owner, key) in self.hidden

    def url_error(self) -> InvalidInputError:
        """Build the error for a URL that the driver rejects."""
        return InvalidInputError(f"KGQA_NEO4J_URL is invalid: expected bolt://host:7687, found {self.shown_url}")

    def auth_error(self) -> RefusedError:
        """Build the error for rejected credentials."""
        return RefusedError(
            f"Neo4j at {self.shown_url} rejected user {self.user!r}: check KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"
        )


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _split(item: str) -> tuple[str | None, str]:
    """Split `Person.ssn` into its label and its property; the label is None if there is no dot."""
    label, dot, key = item.rpartition(".")
    return (label.strip() if dot else None), key.strip()


def reason_of(error: BaseException) -> str:
    """Say on one line why the driver failed; an empty string if it gives no reason."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused"
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(error).split())
