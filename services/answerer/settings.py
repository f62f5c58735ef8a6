"""Read the answerer's settings from the environment variables `KGQA_ANSWERER_*`."""

from pathlib import Path

from pydantic_settings import SettingsConfigDict

from shared.llm.client import LanguageModelSettings
from shared.outbound.urls import HttpUrl
from shared.settings import Port, Seconds


class AnswererSettings(LanguageModelSettings):
    """Configure the addresses of the other services, and the QA model, which any OpenAI-compatible server may serve.

    `feedback_file` is the question file to which feedback is appended; without it, feedback is refused.
    Links in chat replies begin with `public_url`, the URL at which users reach this service, or else with the URL of
    the request.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_ANSWERER_", extra="ignore")

    port: Port = 8000
    retriever_url: HttpUrl = "http://127.0.0.1:8001"
    retriever_timeout_s: Seconds = 10.0
    rewriter_url: HttpUrl = "http://127.0.0.1:8002"
    rewriter_timeout_s: Seconds = 130.0
    llm_model: str = "answerer"
    feedback_file: Path | None = None
    public_url: HttpUrl | None = None
