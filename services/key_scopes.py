"""Check whether the scopes of API keys fit a graph, before `kgqa up` serves it."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress

from services.answerer.settings import AnswererSettings
from shared.api_keys import CallerKey, caller_keys
from shared.errors import InvalidInputError
from shared.graph.scope_conditions import check_condition, read_condition
from shared.paths import keys_file
from shared.plan.schema import GraphSchema
from shared.settings import load_settings

KEYS_VARIABLE = "KGQA_ANSWERER_API_KEYS"


def scoped_keys(graph: str) -> dict[str, CallerKey]:
    """Return the API keys for a graph that have a scope: those of the environment, or else those of `kgqa keys`."""
    return {
        name: key for name, key in _served_keys().items() if key.scope and (key.graphs is None or graph in key.graphs)
    }


def warn_of_scopes(keys: Mapping[str, CallerKey], graph: str, schema: GraphSchema, warn: Callable[[str], None]) -> None:
    """Warn of each condition that does not fit the graph, because all requests with its key are refused."""
    for name, text in ((name, text) for name, key in keys.items() for text in key.scope):
        try:
            check_condition(read_condition(text), schema)
        except InvalidInputError as error:
            warn(
                f"requests with the key {name} about the graph {graph} are refused, because its scope {text} does "
                f"not fit: {error.detail}. Remove the key with kgqa keys remove {name}, and add one that fits; "
                "kgqa schema shows the properties"
            )


def _served_keys() -> Mapping[str, CallerKey]:
    if KEYS_VARIABLE in os.environ:
        return load_settings(AnswererSettings).api_keys
    with suppress(FileNotFoundError, ValueError):  # the answerer refuses a damaged file, and says so
        return dict(caller_keys(keys_file().read_text(encoding="utf-8")))
    return {}
