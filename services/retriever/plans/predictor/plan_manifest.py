"""Describe an exported plan model: `manifest.json` in its folder."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from shared.errors import InvalidInputError, NotFoundError

MANIFEST_FILE = "manifest.json"
PLANS_FOLDER = "plans"
"""The folder of a plan model within the folder of a retriever."""
BASE_MODEL = Path(__file__).with_name("base")
"""The folder of the packaged model, which has read many schemas."""
FORMAT = 2


class PlanManifest(BaseModel):
    """Hold what serving needs beside the weights.

    Attributes:
        format: The version of the files; a model of another version is refused.
        ranking: How readings are ordered by their features; by their probability if it is missing.
        calibration: How the confidence follows from the features of the first reading.
        threshold: The confidence below which there is no answer.
        trained_on: The graph whose questions the model was trained on; null for the base model.
        graph_version: The version of that graph.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    ranking: PlanCalibration | None = None
    calibration: PlanCalibration = PlanCalibration()
    threshold: float = Field(default=0.2, ge=0.0, le=1.0)
    trained_on: str | None = None
    graph_version: str | None = None


def plans_folder(retriever: Path) -> Path:
    """Return the folder of the plan model for a retriever's folder: its own, or the packaged base model."""
    own = retriever / PLANS_FOLDER
    return own if (own / MANIFEST_FILE).is_file() else BASE_MODEL


def read_plan_manifest(folder: Path) -> PlanManifest:
    """Read the manifest of a model folder.

    Raises:
        NotFoundError: There is no model.
        InvalidInputError: The manifest is damaged, or belongs to another version.
    """
    file = folder / MANIFEST_FILE
    if not file.is_file():
        raise NotFoundError(
            f"{folder} holds no plan model; install the package again, or train one with: kgqa train retriever"
        )
    try:
        found = PlanManifest.model_validate_json(file.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"{file}: the manifest is damaged; copy the folder again or retrain the model"
        ) from error
    if found.format != FORMAT:
        raise InvalidInputError(f"{file}: the model has format {found.format}, but this version reads format {FORMAT}")
    return found
