"""Take a retriever's folder apart, and put one together from a path model and a plan model."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE
from services.retriever.paths.model_folder import MANIFEST_FILE, PathEvidence, read_manifest
from services.retriever.paths.paper.model import HEADS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE
from services.retriever.paths.relation_scorer import WEIGHTS_FILE
from services.retriever.plans.predictor.plan_manifest import MANIFEST_FILE as PLAN_MANIFEST_FILE
from services.retriever.plans.predictor.plan_manifest import PLANS_FOLDER
from shared.errors import InvalidInputError

_PATH_FILES = (
    ENCODER_FILE, TOKENIZER_FILE, WEIGHTS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE, HEADS_FILE, MANIFEST_FILE,
)  # fmt: skip
_UNFINISHED = "unfinished-"  # of a training by an earlier version


@dataclass(frozen=True, slots=True)
class ModelParts:
    """Name the folders of the two models of a retriever; without one of plans, the packaged model reads questions."""

    paths: Path | None = None
    plans: Path | None = None


def parts_of(folder: Path) -> ModelParts:
    """Return the parts that a retriever's folder has; none if it does not exist."""
    plans = folder / PLANS_FOLDER
    return ModelParts(
        folder if (folder / MANIFEST_FILE).is_file() else None,
        plans if (plans / PLAN_MANIFEST_FILE).is_file() else None,
    )


def require_replaceable(folder: Path) -> None:
    """Raise InvalidInputError if a folder has files that belong to no model, since publishing a model removes them."""
    known = {*_PATH_FILES, PLANS_FOLDER}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.name not in known and not file.name.startswith((_UNFINISHED, ".")):
            raise InvalidInputError(f"{folder} has a file that is no model's, {file.name}; choose another folder")


def assemble(parts: ModelParts, out: Path, evidence: PathEvidence | None) -> None:
    """Copy both models into an empty folder, and record the evidence for new paths, if there is any."""
    if parts.paths is not None:
        for name in _PATH_FILES:
            if (parts.paths / name).is_file():
                shutil.copyfile(parts.paths / name, out / name)
    record_evidence(out, evidence)
    if parts.plans is not None:
        shutil.copytree(parts.plans, out / PLANS_FOLDER)


def record_evidence(folder: Path, evidence: PathEvidence | None) -> None:
    """Record in a folder that nobody serves yet that its paths answer better than plans; None changes nothing."""
    if evidence is not None:
        manifest = read_manifest(folder).model_copy(update={"evidence": evidence})
        (folder / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
