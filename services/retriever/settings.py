"""Settings of the retriever, from the environment: `KGQA_RETRIEVER_*`."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.settings import Port, ServiceSettings


class RetrieverSettings(ServiceSettings):
    """`graph`: the graph's name under KGQA_HOME; `model`: the trained folder, by default the graph's own.

    `threshold`: no answer below this confidence; by default the model's own.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_RETRIEVER_", extra="ignore")

    port: Port = 8001
    graph: str = "world"
    model: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
