"""Read the rewriter's settings from the environment variables `KGQA_REWRITER_*`."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.cache.protocol import TextCache
from shared.llm.client import LanguageModelSettings
from shared.outbound.redis_settings import RedisSettings
from shared.settings import Port, Seconds


class RewriterSettings(LanguageModelSettings, RedisSettings):
    """Configure the language model, on any OpenAI-compatible server, and the cache for its texts.

    The process keeps up to `cache_entries` texts in memory, unless `redis_url` points to a Redis server that replicas
    share.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_REWRITER_", extra="ignore")

    port: Port = 8002
    llm_model: str = "rewriter"
    cache_entries: Annotated[int, Field(ge=0)] = 10_000
    redis_ttl_s: Seconds = 7 * 24 * 3600

    def text_cache(self) -> TextCache:
        """Create the cache: in Redis if `redis_url` is set, otherwise in the memory of the process."""
        if self.redis_url is None:
            return InMemoryTextCache(max_entries=self.cache_entries)
        from services.rewriter.cache.redis import RedisTextCache  # slow to import

        return RedisTextCache(
            self.redis_url.get_secret_value(),
            user=self.redis_user,
            password=self.redis_secret,
            ttl_s=self.redis_ttl_s,
            timeout_s=self.redis_timeout_s,
            claim_s=self.llm_timeout_s,
        )
