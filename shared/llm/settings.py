"""Define the settings of services that call a language model."""

from typing import Annotated

from pydantic import Field, SecretStr

from shared.llm.client import OpenAIClient
from shared.outbound.urls import HttpUrl
from shared.settings import Seconds, ServiceSettings


class LanguageModelSettings(ServiceSettings):
    """Select a model or adapter on an OpenAI-compatible server.

    Attributes:
        llm_queue: Maximum number of prompts in flight at a time; further prompts are rejected.
    """

    llm_url: HttpUrl = "http://127.0.0.1:8003"
    llm_model: str
    llm_api_key: SecretStr | None = None
    llm_timeout_s: Seconds = 60.0
    llm_queue: Annotated[int, Field(ge=1)] = 256

    def language_model(self) -> OpenAIClient:
        """Return a client for the model."""
        key = self.llm_api_key.get_secret_value() if self.llm_api_key else None
        return OpenAIClient(self.llm_url, self.llm_model, api_key=key, timeout_s=self.llm_timeout_s)
