"""What the quality measurements of both adapters need: the adapter as it is served, and answers compared by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from question_sets.records import open_text
from services.llm.engine import EmbeddedModels
from services.llm.model_files import base_model_file
from shared.triple import Triple

WORLD_GRAPH = Path("examples/world/graph.tsv.xz")


class ServedAdapter:
    """An adapter in llama.cpp, as the embedded server runs it; one completion at a time."""

    def __init__(self, adapter: Path) -> None:
        self._models = EmbeddedModels(base_model_file(), {"adapter": adapter})

    def complete(self, prompt: str, max_tokens: int = 300) -> str:
        """The greedy completion of one user message."""
        messages = [{"role": "user", "content": prompt}]
        asked: dict[str, Any] = {"messages": messages, "max_tokens": max_tokens, "temperature": 0.0}
        text: str = self._models.complete("adapter", 0, asked)["choices"][0]["message"]["content"]
        return text.strip()


def read_facts(file: Path) -> list[Triple]:
    """The triples of a tab-separated file, plain or .xz."""
    with open_text(file) as lines:
        return [Triple(*line.rstrip("\n").split("\t")) for line in lines]


def percent(part: int, whole: int) -> str:
    """`97.3 % (487 of 500)`."""
    return f"{100 * part / max(1, whole):.1f} % ({part} of {whole})"


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most `count` items, evenly spread over the sequence."""
    step = max(1, len(items) // max(1, count))
    return list(items[::step][:count])
