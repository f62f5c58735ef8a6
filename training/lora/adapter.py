"""From training pairs to an adapter that vLLM and llama.cpp can serve: fine-tune, export, and write down how."""

import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingestion.atomic_write import atomic_write
from services.llm.model_files import BASE_NAME
from shared.paths import ADAPTER_FILE, TRAINING_RECORD, home
from training.lora.task import LoraSettings, Pair

# Before torch is first imported: threads that wait by spinning slow a busy machine down many times over.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from training.lora.base_model import hugging_face_folder
from training.lora.gguf_adapter import export_adapter, is_exportable, read_adapter
from training.lora.lora import Reports, train_lora


class TrainingRecord(BaseModel):
    """How an adapter came about, kept beside it. `loss`: nats a completion token on pairs that it was not trained on.

    `data` names what the pairs were made of; `preset` the settings, which stand beside it in full; `started_from` the
    adapter that it went on from, by its file's digest.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    adapter: str
    base: str
    preset: str
    started_from: str | None
    settings: dict[str, float]
    data: dict[str, str]
    pairs: int
    too_long: int
    held_out: int
    loss: float | None
    seconds: float
    for_llama_cpp: bool


@dataclass(frozen=True, slots=True)
class AdapterTraining:
    """What to train: `base` is a folder or a hub name, None the model that runs embedded.

    `start`: the GGUF adapter to go on from; its rank and alpha take the place of the settings'.
    """

    name: str
    base: str | None
    preset: str
    settings: LoraSettings
    data: dict[str, str]
    start: Path | None = None


def train_adapter(
    training: AdapterTraining, pairs: Sequence[Pair], held_out: Sequence[Pair], out: Path, reports: Reports
) -> TrainingRecord:
    """Fine-tune on `pairs` and write the folder `out`: the adapter for peft and vLLM, and for llama.cpp if it can be.

    A training that was broken off goes on where it was. Raises InvalidInputError for a base that cannot be trained.
    The dequantised embedded model is kept under KGQA_HOME (0.5 GB).
    """
    base = training.base or str(hugging_face_folder(home() / "models" / "smollm2"))
    settings, start = training.settings, read_adapter(training.start, base) if training.start else None
    if start:
        settings = replace(settings, rank=start.rank, alpha=start.alpha)

    def export() -> None:
        if is_exportable(base):
            with atomic_write(out / ADAPTER_FILE) as unfinished:
                export_adapter(out, base, unfinished, training.name)

    result = train_lora(base, pairs, held_out, out, settings, reports, start, export)
    record = TrainingRecord(
        adapter=training.name,
        base=training.base or BASE_NAME,
        preset=training.preset,
        started_from=start.mark if start else None,
        settings=asdict(settings),
        data=training.data,
        pairs=len(pairs),
        too_long=result.too_long,
        held_out=len(held_out),
        loss=None if math.isnan(result.loss) else round(result.loss, 4),
        seconds=round(result.seconds, 1),
        for_llama_cpp=is_exportable(base),
    )
    (out / TRAINING_RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return record
