"""Read settings from the environment, and secrets from files."""

import os
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SecretsSettingsSource, SettingsError

from shared.errors import InvalidInputError

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_SECRETS_DIR = "KGQA_SECRETS_DIR"


class EnvironmentSettings(BaseSettings):
    """Settings from environment variables, else from files of the same names in the folder `KGQA_SECRETS_DIR`.

    A mounted file keeps a secret out of the process's environment, which children and crash reports inherit.
    """

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Add the folder of secrets, if there is one, as the last source."""
        folder = os.environ.get(_SECRETS_DIR)
        if not folder:
            return init_settings, env_settings
        if not Path(folder).is_dir():
            raise InvalidInputError(
                f"{_SECRETS_DIR} names {folder}, which is not a folder: mount it or unset the variable"
            )
        return init_settings, env_settings, SecretsSettingsSource(settings_cls, folder)


Settings = TypeVar("Settings", bound=BaseSettings)


def load_settings(settings: type[Settings]) -> Settings:
    """Read settings from the environment; raise InvalidInputError, naming the variable, if one is not valid."""
    try:
        return settings()
    except ValidationError as error:
        first = error.errors()[0]
        variable = f"{settings.model_config.get('env_prefix', '')}{first['loc'][0]}".upper()
        # Without the cause, which quotes the value: it may be a secret.
        raise InvalidInputError(f"the environment variable {variable} is not valid: {first['msg']}") from None
    except SettingsError as error:
        # Its own message names the field and the source, its cause quotes the value.
        detail = f"a variable, or its file in {_SECRETS_DIR}, cannot be read ({error}); write lists as JSON"
        raise InvalidInputError(detail) from None
