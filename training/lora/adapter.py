"""Train an adapter, export it for peft, vLLM, and llama.cpp, and record how it was trained."""

import math
import os
from dataclasses import asdict, replace

from pydantic import BaseModel, ConfigDict

from ingestion.atomic_write import atomic_write
from services.llm.model_files import BASE_NAME
from shared.paths import ADAPTER_FILE, TRAINING_RECORD, home
from training.lora.plan import AdapterTraining
from training.lora.task import Reports

# Must be set before torch is imported. Threads that spin while they wait slow a busy machine down many times over.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from training.lora.base_model import hugging_face_folder
from training.lora.gguf_adapter import export_adapter, is_exportable, read_adapter
from training.lora.trainer import train_lora


class TrainingRecord(BaseModel):
    """Record how an adapter was trained; the record is stored next to the adapter.

    `started_from` is the digest of the adapter that training started from. `loss` is the loss on the held-out pairs, in
    nats per completion token. `seconds` is the total training time, including interrupted runs.
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


def train_adapter(training: AdapterTraining, reports: Reports) -> TrainingRecord:
    """Fine-tune an adapter and write its folder.

    An interrupted run resumes from its last checkpoint. The dequantised embedded model is kept under `KGQA_HOME`
    (0.5 GB).

    Args:
        training: The training plan.
        reports: Callbacks for progress and validation results.

    Raises:
        InvalidInputError: The base model is unsuitable for training, or the starting adapter does not fit it.
    """
    base = training.options.base or str(hugging_face_folder(home() / "models" / "smollm2"))
    out, settings = training.folder, training.settings
    start = read_adapter(training.start, base) if training.start else None
    if start:
        settings = replace(settings, rank=start.rank, alpha=start.alpha)
    out.mkdir(parents=True, exist_ok=True)

    def export() -> None:
        if is_exportable(base):
            with atomic_write(out / ADAPTER_FILE) as unfinished:
                export_adapter(out, base, unfinished, training.name)

    result = train_lora(base, training.pairs, training.held_out, out, settings, reports, start, export)
    record = TrainingRecord(
        adapter=training.name,
        base=training.options.base or BASE_NAME,
        preset=training.options.preset,
        started_from=start.digest if start else None,
        settings=asdict(settings),
        data=dict(training.data),
        pairs=len(training.pairs),
        too_long=result.too_long,
        held_out=len(training.held_out),
        loss=None if math.isnan(result.loss) else round(result.loss, 4),
        seconds=round(result.seconds, 1),
        for_llama_cpp=is_exportable(base),
    )
    (out / TRAINING_RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return record
