"""Settings of the rewriter, from the environment: `KGQA_REWRITER_*`."""

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from shared.service import Port, ServiceSettings


class RewriterSettings(ServiceSettings):
    """Where the verbalising model is served (any OpenAI-compatible server) and how much text is cached."""

    model_config = SettingsConfigDict(env_prefix="KGQA_REWRITER_", extra="ignore")

    port: Port = 8002
    llm_url: str = "http://127.0.0.1:8003"
    llm_model: str = "rewriter"
    llm_api_key: SecretStr | None = None
    llm_timeout_s: float = 60.0
    cache_entries: int = 10_000
