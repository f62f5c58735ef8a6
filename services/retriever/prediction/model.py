"""The trained retriever as it is read from its folder; in served mode manifest, encoder, light step."""

from dataclasses import dataclass, replace
from pathlib import Path

from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.prediction.encoder import Encoder, OnnxEncoder
from services.retriever.prediction.manifest import Manifest, read_manifest
from services.retriever.prediction.paper.model import PaperModel
from services.retriever.prediction.relation_scorer import StepScorer, read_weights
from shared.errors import InvalidInputError


@dataclass(frozen=True)
class RetrieverModel:
    """What predicts relation paths on one graph in served mode, and knows which words of its questions are rare."""

    manifest: Manifest
    encoder: Encoder
    scorer: StepScorer
    word_surprisal: WordSurprisal

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> "RetrieverModel":
        """Read the folder of a model that was trained in served mode.

        Raises NotFoundError if the folder or one of its files is missing, InvalidInputError if one is damaged or of
        another format.
        """
        manifest = read_manifest(folder)
        weights = read_weights(folder, len(manifest.steps))
        encoder = OnnxEncoder(folder, threads)
        if encoder.dimension != weights.mean.shape[1]:
            raise InvalidInputError(
                f"{folder}: the encoder gives {encoder.dimension} numbers a token, the steps take "
                f"{weights.mean.shape[1]}; the files belong to different models, train again"
            )
        word_surprisal = WordSurprisal(manifest.question_words, encoder.vocabulary)
        return cls(manifest, encoder, StepScorer(weights), word_surprisal)


def load_model(folder: Path, threads: int = 1, threshold: float | None = None) -> RetrieverModel | PaperModel:
    """Read a model folder of either mode; its manifest says which.

    `threshold`: abstain below this confidence rather than below the model's own.

    Raises NotFoundError if the folder or one of its files is missing, InvalidInputError if one is damaged or of
    another format.
    """
    kind = PaperModel if read_manifest(folder).mode == "paper" else RetrieverModel
    model = kind.load(folder, threads)
    if threshold is None:
        return model
    calibration = model.manifest.calibration.model_copy(update={"threshold": threshold})
    return replace(model, manifest=model.manifest.model_copy(update={"calibration": calibration}))
