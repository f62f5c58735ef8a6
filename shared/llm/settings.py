"""The settings of a service that asks a language model."""

from typing import Annotated

from pydantic import Field, SecretStr

from shared.llm.client import OpenAIClient
from shared.outbound.urls import HttpUrl
from shared.settings import Seconds
from shared.web.service import ServiceSettings


class LanguageModelSettings(ServiceSettings):
    """Any OpenAI-compatible server by URL, and the name of a model or adapter on it.

    `llm_queue`: prompts that may be in flight at a time; more are refused at once.
    """

    llm_url: HttpUrl = "http://127.0.0.1:8003"
    llm_model: str
    llm_api_key: SecretStr | None = None
    llm_timeout_s: Seconds = 60.0
    llm_queue: Annotated[int, Field(ge=1)] = 256

    def language_model(self) -> OpenAIClient:
        """A client for the model; raises InvalidInputError for a URL that is none."""
        key = self.llm_api_key.get_secret_value() if self.llm_api_key else None
        return OpenAIClient(self.llm_url, self.llm_model, api_key=key, timeout_s=self.llm_timeout_s)
