"""Load a trained retriever from its model folder."""

from dataclasses import dataclass, replace
from pathlib import Path

from services.retriever.encoder.encoder import Encoder, OnnxEncoder
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.paths.model_folder import Manifest, read_manifest, read_weights
from services.retriever.paths.paper.model import PaperModel
from services.retriever.paths.relation_scorer import WEIGHTS_FILE, RelationScorer, RelationScorerWeights


@dataclass(frozen=True)
class RetrieverModel:
    """Bundle everything that served mode needs to predict relation paths on one graph and to link entities."""

    manifest: Manifest
    encoder: Encoder
    scorer: RelationScorer
    word_surprisal: WordSurprisal

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> "RetrieverModel":
        """Load a model that was trained in served mode; see `load_model`."""
        manifest = read_manifest(folder)
        weights = read_weights(
            folder / WEIGHTS_FILE, RelationScorerWeights, lambda found: found.shapes(len(manifest.steps))
        )
        encoder = OnnxEncoder(folder, threads, expected_dimension=weights.mean.shape[1])
        word_surprisal = WordSurprisal(manifest.question_words, encoder.vocabulary)
        return cls(manifest, encoder, RelationScorer(weights), word_surprisal)


def load_model(folder: Path, threshold: float | None = None) -> RetrieverModel | PaperModel:
    """Load a model trained in either mode; the manifest specifies which.

    Args:
        folder: The model folder, as written by `kgqa train retriever`.
        threshold: The confidence below which no answers are returned; by default, the model's own threshold.

    Returns:
        A `PaperModel` for paper mode, otherwise a `RetrieverModel`.

    Raises:
        NotFoundError: The folder or one of its files is missing.
        InvalidInputError: A file is damaged, or the folder has an unsupported format.

    Example:
        >>> model = load_model(Path("examples/world/retriever"))
        >>> model.manifest.max_hops
        3
    """
    kind = PaperModel if read_manifest(folder).mode == "paper" else RetrieverModel
    model = kind.load(folder)
    if threshold is None:
        return model
    calibration = model.manifest.calibration.model_copy(update={"threshold": threshold})
    return replace(model, manifest=model.manifest.model_copy(update={"calibration": calibration}))
