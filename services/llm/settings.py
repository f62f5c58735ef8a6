"""Read the settings of the embedded language model from the environment: `KGQA_EMBEDDED_LLM_*`."""

import secrets

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import InvalidInputError
from shared.settings import load_settings

DEFAULT_PORT = 8003
PORT_VARIABLE = "KGQA_EMBEDDED_LLM_PORT"
KEY_VARIABLE = "KGQA_EMBEDDED_LLM_API_KEY"


class EmbeddedSettings(BaseSettings):
    """Hold the server's secrets; `api_key` is the key that clients must send."""

    model_config = SettingsConfigDict(env_prefix="KGQA_EMBEDDED_LLM_", extra="ignore")

    api_key: SecretStr = SecretStr("")


def read_key() -> str:
    """Read and check the key from the environment, ignoring the newline that often ends a mounted secret."""
    key = load_settings(EmbeddedSettings).api_key.get_secret_value().strip()
    if not key:
        raise InvalidInputError(
            f"no key is set; set {KEY_VARIABLE} to the key that clients must send, such as the output of "
            "`openssl rand -hex 32`"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidInputError(
            f"the key in {KEY_VARIABLE} contains characters that are invalid in an HTTP header; change the key"
        )
    return key


def random_key() -> str:
    """Return a new random key."""
    return secrets.token_urlsafe(32)
