"""Check whether the scopes of API keys fit a graph, before `kgqa up` serves it."""

from collections.abc import Callable, Mapping

from graph.plan.schema import GraphSchema
from graph.scope_conditions import check_condition
from services.answerer.settings import AnswererSettings
from shared.api_keys import CallerKey, read_keys
from shared.errors import InvalidInputError
from shared.paths import keys_file
from shared.scope_conditions import read_condition
from shared.settings import ServiceSettings, load_settings

KEYS_VARIABLE = "KGQA_ANSWERER_API_KEYS"
KEYS_FILE_VARIABLE = "KGQA_ANSWERER_API_KEYS_FILE"
_SETTINGS_OF_KEYS = {"api_keys", "api_keys_file"}


def stored_keys(settings: ServiceSettings) -> dict[str, str]:
    """Return the variable for the file of `kgqa keys`, if it has keys and the answerer's settings name no others.

    Raises InvalidInputError if the file is damaged.
    """
    if _SETTINGS_OF_KEYS & settings.model_fields_set or not read_keys(keys_file()):
        return {}
    return {KEYS_FILE_VARIABLE: str(keys_file().absolute())}


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
    settings = load_settings(AnswererSettings)
    if "api_keys" in settings.model_fields_set:
        return settings.api_keys
    return read_keys(settings.api_keys_file or keys_file())
