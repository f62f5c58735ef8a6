"""Describe a training job and publish the trained model; both modes share these steps."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from question_sets.records import QuestionRecord
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.model_folder import MANIFEST_FILE, Manifest
from services.retriever.prediction.paper.model import PaperModel
from shared.graph.store import GraphStore
from training.retriever.calibration import fit_calibration
from training.retriever.dataset import Dataset
from training.retriever.export import TrainedFiles, export_model, write_manifest
from training.retriever.optimizer import Hyperparameters
from training.retriever.scoring import PathScores

_UNFINISHED = "unfinished-model"

Model = TypeVar("Model", RetrieverModel, PaperModel)


@dataclass(frozen=True)
class TrainingJob:
    """Describe what to train on, how, and where to write the model.

    Without `valid`, a tenth of the distinct training questions is held out. `graph`, `train_name` and `valid_name` name
    the graph and the question files in the manifest.
    """

    store: GraphStore
    graph: str
    train: Sequence[QuestionRecord]
    valid: Sequence[QuestionRecord] | None
    out: Path
    train_name: str = "train"
    valid_name: str = "valid"
    hyperparameters: Hyperparameters = field(default_factory=Hyperparameters)
    started: float = field(default_factory=time.monotonic)

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the settings that a checkpoint depends on."""
        return self.train_name, self.valid_name, self.hyperparameters


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Report on a training.

    `trained` and `served` are the validation scores of the network and of the exported int8 model; `agreement` is the
    share of choices on which both agree. `examples_shown` counts repetitions.
    """

    questions: int
    dataset: Dataset[Any]
    trained: PathScores
    served: PathScores
    agreement: float
    examples_shown: int
    seconds: float


async def publish(
    job: TrainingJob,
    dataset: Dataset[Any],
    kind: type[Model],
    files: TrainedFiles,
    synonyms: Mapping[str, Sequence[str]],
    **described: Any,
) -> Model:
    """Export a model, calibrate it, and move it to its folder, where an earlier model stays complete until then.

    `described` holds those fields of the manifest that neither the job nor the data set knows.
    """
    unfinished = job.out / _UNFINISHED
    manifest = Manifest(
        graph=job.graph,
        data={job.train_name: len(job.train), job.valid_name: dataset.validation_questions},
        learnt_from=dataset.learnt_from,
        seed=job.hyperparameters.seed,
        walk_rule=dataset.walk_rule,
        question_words=dataset.question_words,
        **described,
    )
    export_model(files, manifest, unfinished)
    model = kind.load(unfinished)
    calibration = await fit_calibration(job.store, model, dataset.held_out, synonyms, manifest.seed)
    write_manifest(manifest.model_copy(update={"calibration": calibration}), unfinished)
    (job.out / MANIFEST_FILE).unlink(missing_ok=True)
    # The manifest moves last, so that a folder with a manifest is complete.
    for file in sorted(unfinished.iterdir(), key=lambda file: file.name == MANIFEST_FILE):
        file.replace(job.out / file.name)
    unfinished.rmdir()
    return model


def figures(dataset: Dataset[Any], scores: PathScores, examples_shown: int) -> dict[str, float | int | str]:
    """Return the figures of a training for the manifest."""
    return {
        "examples_shown": examples_shown,
        "validation_hop_accuracy": round(scores.hops, 4),
        "validation_path_accuracy": round(scores.paths, 4),
        **{f"answer_f1_{name}": round(f1, 4) for name, f1 in dataset.walk_rules.items()},
    }
