"""Read settings from the environment, and secrets from files."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from shared.api_keys import ApiKeys, CallerKeys
from shared.errors import InvalidInputError
from shared.outbound.urls import LOOPBACK
from shared.suggestions import did_you_mean

Port = Annotated[int, Field(ge=1, le=65535)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_SECRETS_DIR = "KGQA_SECRETS_DIR"


class ServiceSettings(BaseSettings):
    """Define the settings that all services have; each service reads them with its own prefix.

    Requests beyond `max_in_flight` are rejected. `receive_timeout_s` limits the time for receiving the body, and
    `request_timeout_s` the time for the request, including its calls to other servers. `allowed_hosts` are the accepted
    `Host` headers; `*` accepts all. By default, services on a loopback address accept only loopback names. `api_keys`
    has the hashes of the keys that callers must send, by their names; without keys, everyone may use the service.
    """

    model_config = SettingsConfigDict(extra="ignore")
    restricts_callers: ClassVar[bool] = False
    """True for a service that applies the graphs and the scopes of keys."""

    host: str = "127.0.0.1"
    port: Port = 8000
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    max_in_flight: Annotated[int, Field(ge=1)] = 256
    receive_timeout_s: Seconds = 15.0
    request_timeout_s: Seconds = 280.0
    allowed_hosts: list[str] | None = None
    api_keys: CallerKeys = Field(default_factory=dict)

    def keys(self) -> ApiKeys | None:
        """Return the keys that callers must send, or None if everyone may use the service.

        Raises InvalidInputError if a key is for some graphs or has a scope, which the service does not apply.
        """
        if not self.api_keys:
            return None
        keys = ApiKeys(self.api_keys)
        if keys.are_restricted and not self.restricts_callers:
            variable = f"{self.model_config.get('env_prefix', '')}API_KEYS"
            raise InvalidInputError(
                f"{variable} has keys for some graphs, or with a scope, which only the answerer applies; set it to the "
                "key of the answerer alone"
            )
        return keys

    def accepted_hosts(self) -> Collection[str]:
        """Return the `Host` header values that the service accepts."""
        if self.allowed_hosts is not None:
            return [host.lower() for host in self.allowed_hosts]
        return [*LOOPBACK, f"[{self.host}]" if ":" in self.host else self.host] if self.host in LOOPBACK else ["*"]


Settings = TypeVar("Settings", bound=BaseSettings)


def variables_of(*classes: type[BaseSettings]) -> set[str]:
    """Return the names of the environment variables that settings are read from."""
    return {
        f"{settings.model_config.get('env_prefix', '')}{field}".upper()
        for settings in classes
        for field in settings.model_fields
    }


def unknown_variables(names: Iterable[str], known: Collection[str], prefix: str = "KGQA_") -> list[str]:
    """Describe the variables with a prefix that are not known, and therefore have no effect; suggest similar ones.

    A variable that is misspelled leaves the setting at its default, which may be less safe.
    """
    unknown = sorted(name for name in names if name.upper().startswith(prefix) and name.upper() not in known)
    return [f"{name} is not a setting, so it has no effect{did_you_mean(name.upper(), known)}" for name in unknown]


def load_settings(settings: type[Settings]) -> Settings:
    """Read each setting from an environment variable, else from the file of the same name in `KGQA_SECRETS_DIR`.

    A mounted file keeps a secret out of the environment, which child processes and crash reports inherit. Raises
    InvalidInputError for an invalid variable; the message names the variable and never quotes its value.
    """
    folder = os.environ.get(_SECRETS_DIR) or None
    if folder and not Path(folder).is_dir():
        raise InvalidInputError(f"{_SECRETS_DIR} is {folder}, which is not a folder; mount it or unset the variable")
    try:
        return settings(_secrets_dir=folder)
    except ValidationError as error:
        first = error.errors()[0]
        variable = f"{settings.model_config.get('env_prefix', '')}{first['loc'][0]}".upper()
        # The cause quotes the value, which may be a secret.
        raise InvalidInputError(f"the environment variable {variable} is invalid: {first['msg']}") from None
    except SettingsError as error:
        # The message names the field and the source; the cause quotes the value.
        detail = f"cannot read an environment variable or its file in {_SECRETS_DIR} ({error}); write lists as JSON"
        raise InvalidInputError(detail) from None
