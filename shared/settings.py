"""Reading settings from the environment."""

from typing import Annotated, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings

from shared.errors import InvalidInputError

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

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
