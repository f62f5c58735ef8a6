"""Settings of the rewriter, from the environment: `KGQA_REWRITER_*`."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.llm.settings import LanguageModelSettings
from shared.service import Port


class RewriterSettings(LanguageModelSettings):
    """Where the verbalising model is served (any OpenAI-compatible server) and how much text is cached."""

    model_config = SettingsConfigDict(env_prefix="KGQA_REWRITER_", extra="ignore")

    port: Port = 8002
    llm_model: str = "rewriter"
    cache_entries: Annotated[int, Field(ge=0)] = 10_000
