"""Reading settings from the environment."""

from typing import Annotated, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings

from shared.errors import InvalidInputError

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

Settings = TypeVar("Settings", bound=BaseSettings)


def load_settings(settings: type[Settings]) -> Settings:
    """The settings of the environment; raises InvalidInputError that names the variable that is wrong."""
    try:
        return settings()
    except ValidationError as error:
        first = error.errors()[0]
        variable = f"{settings.model_config.get('env_prefix', '')}{first['loc'][0]}".upper()
        raise InvalidInputError(f"the environment variable {variable} is not valid: {first['msg']}") from error
