"""Configure the retriever from the environment: `KGQA_RETRIEVER_*`."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.settings import Port, ServiceSettings


class RetrieverSettings(ServiceSettings):
    """Settings of the retriever.

    `graph`: the graph's name under KGQA_HOME. `model`: the folder of the trained retriever, by default the graph's.
    `threshold`: the confidence below which there is no answer, by default the model's.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_RETRIEVER_", extra="ignore")

    port: Port = 8001
    graph: str = "world"
    model: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
