"""Read the answerer's settings from the environment variables `KGQA_ANSWERER_*`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from shared.api_keys import ApiKeys, KeyFile
from shared.cost_of_wrong import MAX_COST_OF_WRONG
from shared.errors import InvalidInputError
from shared.llm.client import LanguageModelSettings
from shared.outbound.redis_settings import RedisSettings
from shared.outbound.urls import LOOPBACK, HttpUrl
from shared.settings import Port, Seconds


class Wording(StrEnum):
    """Select what words the answers: the QA model, with grammar where its text fails the checks, or grammar alone."""

    MODEL = "model"
    GRAMMAR = "grammar"


class AnswererSettings(LanguageModelSettings, RedisSettings):
    """Configure the addresses of the other services, and the QA model, which any OpenAI-compatible server may serve.

    `feedback_file` is the question file to which feedback is appended; without it, feedback is refused. `{graph}` in it
    stands for the name of the graph.
    `audit_log` is the file to which a line is appended for each answered question; without it, there is no audit log.
    Links in chat replies begin with `public_url`, the URL at which users reach this service, or else with the URL of
    the request.

    `cost_of_wrong` is how many right answers a wrong one outweighs for callers of whom neither the request nor the key
    says it. 10 suits programs whose answers nobody looks at; people who see other readings can afford 1.

    With the `wording` of grammar, the QA model is not asked.

    Without `api_keys`, everyone who reaches the service may ask; on other addresses than loopback, that takes
    `allow_anonymous`. If the service listens inside a container, what counts is the address at which its port is
    published, `published_at`: `HOST:PORT`, or a port of all addresses. `api_keys_file` is a file that holds the keys
    instead; its changes take effect at once.

    A caller whose key has no limit may send `requests_per_minute`, and so may all callers without a key together;
    replicas count them in the Redis server at `redis_url`, or each for itself. Scripts of pages from `cors_origins` may
    call the service.

    `retriever_api_key` and `rewriter_api_key` are sent to the other services.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_ANSWERER_", extra="ignore")

    restricts_callers: ClassVar[bool] = True

    port: Port = 8000
    retriever_url: HttpUrl = "http://127.0.0.1:8001"
    retriever_timeout_s: Seconds = 10.0
    rewriter_url: HttpUrl = "http://127.0.0.1:8002"
    rewriter_timeout_s: Seconds = 130.0
    llm_model: str = "answerer"
    wording: Wording = Wording.MODEL
    feedback_file: Path | None = None
    audit_log: Path | None = None
    public_url: HttpUrl | None = None
    allow_anonymous: bool = False
    api_keys_file: Path | None = None
    published_at: str | None = None
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    cost_of_wrong: Annotated[float, Field(ge=0, le=MAX_COST_OF_WRONG)] = 10.0
    cors_origins: list[str] = Field(default_factory=list)
    retriever_api_key: SecretStr | None = None
    rewriter_api_key: SecretStr | None = None

    def keys(self) -> ApiKeys | None:
        """Return the keys that callers must send, or None if everyone may ask.

        Raises InvalidInputError if strangers could reach the service, and nobody said that they may, or if the file of
        keys is damaged.
        """
        if self.api_keys and self.api_keys_file:
            raise InvalidInputError("set only one of KGQA_ANSWERER_API_KEYS and KGQA_ANSWERER_API_KEYS_FILE")
        # Also of a file without keys: a service that restarts after its last key was removed must not open itself.
        keys = KeyFile(self.api_keys_file) if self.api_keys_file else super().keys()
        if keys is None and self._reachable_at not in LOOPBACK and not self.allow_anonymous:
            variable = "KGQA_ANSWERER_HOST" if self.published_at is None else "KGQA_PUBLISH"
            raise InvalidInputError(
                f"{variable} is {self.published_at or self.host}, where others can reach the answerer, and no API keys "
                "are set; for kgqa up, create one with `kgqa keys add NAME`; for Compose, set KGQA_API_KEYS, and "
                "elsewhere KGQA_ANSWERER_API_KEYS, to the output of `kgqa keys export`; or set "
                "KGQA_ANSWERER_ALLOW_ANONYMOUS to true if a gateway checks who asks"
            )
        return keys

    @property
    def _reachable_at(self) -> str:
        """Return the host at which others may reach the service; an empty string stands for all addresses."""
        return self.host if self.published_at is None else self.published_at.rpartition(":")[0].strip("[]")
