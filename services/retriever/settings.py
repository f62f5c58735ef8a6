"""Configure the retriever from the environment: `KGQA_RETRIEVER_*`."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.paths import DEMO_GRAPH
from shared.settings import Port, ServiceSettings


class RetrieverSettings(ServiceSettings):
    """Hold the retriever's settings.

    `graph` is the graph's name under KGQA_HOME. `model` is the folder of the trained retriever; by default, the one
    trained for the graph, and the packaged base model if none was trained. `threshold` is the confidence below which no
    answer is returned; by default, the models' own thresholds.
    """

    model_config = SettingsConfigDict(env_prefix="KGQA_RETRIEVER_", extra="ignore")

    port: Port = 8001
    graph: str = DEMO_GRAPH
    model: Path | None = None
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
