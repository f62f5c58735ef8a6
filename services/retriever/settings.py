"""Configure the retriever from the environment: `KGQA_RETRIEVER_*`."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from shared.errors import InvalidInputError
from shared.llm.client import OpenAIClient
from shared.outbound.urls import HttpUrl
from shared.paths import DEMO_GRAPH, GRAPH_NAME_PATTERN
from shared.settings import Port, ServiceSettings

_GRAPHS = rf"\s*{GRAPH_NAME_PATTERN}\s*(,\s*{GRAPH_NAME_PATTERN}\s*)*"


class RetrieverSettings(ServiceSettings):
    """Hold the retriever's settings.

    `graph` is the graph's name under KGQA_HOME, or several names, separated by commas, of which the first is the
    default. `model` is the folder of the trained retriever of the first graph; by default, the one trained for the
    graph, and the packaged base model if none was trained. `threshold` is the confidence below which no
    answer is returned; by default, the models' own thresholds. `llm_url` and `llm_model` are for the strategy `cypher`,
    which is not available without them, and for the chain of thought of the strategy `dense`.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_RETRIEVER_", extra="ignore", env_ignore_empty=True)

    port: Port = 8001
    graph: Annotated[str, Field(pattern=f"^{_GRAPHS}$")] = DEMO_GRAPH
    model: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    llm_url: HttpUrl | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None

    def of_each_graph(self) -> dict[str, "RetrieverSettings"]:
        """Return the settings for each graph, by its name; the default graph comes first.

        Raises InvalidInputError if a name occurs twice.
        """
        first, *others = (name.strip() for name in self.graph.split(","))
        if len({first, *others}) <= len(others):
            raise InvalidInputError("KGQA_RETRIEVER_GRAPH names a graph twice; name each graph once")
        others_own = {name: self.model_copy(update={"graph": name, "model": None}) for name in others}
        return {first: self.model_copy(update={"graph": first}), **others_own}

    def language_model(self) -> OpenAIClient | None:
        """Return a client for the model that writes queries and steps, or None if none is set.

        Raises InvalidInputError if only one of the URL and the model is set.
        """
        if not self.llm_url and not self.llm_model:
            return None
        if not self.llm_url or not self.llm_model:
            raise InvalidInputError(
                "set both KGQA_RETRIEVER_LLM_URL and KGQA_RETRIEVER_LLM_MODEL for the strategy cypher, or neither"
            )
        key = self.llm_api_key.get_secret_value() if self.llm_api_key else None
        return OpenAIClient(self.llm_url, self.llm_model, api_key=key)
