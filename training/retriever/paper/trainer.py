"""Train and score the classifiers of paper mode (RRA eq. 5-7)."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.prediction.encoder import Vectors
from training.retriever.examples import UNKNOWN, ClassifierExample, GoldQuestion
from training.retriever.optimizer import Hyperparameters
from training.retriever.paper.dataset import hop_examples, step_examples
from training.retriever.paper.network import EncoderSource, TextClassifier
from training.retriever.scoring import MIN_PROBABILITY, ClassifierScores, Mask, PathScores
from training.retriever.training_loop import TrainingLoop

# Maps texts to the probabilities of all classes, [n, classes].
Predictor = Callable[[Sequence[str]], Vectors]


class ClassifierTrainer(TrainingLoop[ClassifierExample, ClassifierScores]):
    """Train one classifier on one-hot targets."""

    def __init__(
        self,
        source: EncoderSource,
        classes: int,
        training: Sequence[ClassifierExample],
        validation: Sequence[ClassifierExample],
        options: Hyperparameters,
    ) -> None:
        torch.manual_seed(options.seed)
        network = TextClassifier(source, classes, options.dropout)
        rates = [
            (list(network.encoder.parameters()), options.encoder_rate(source.is_pretrained)),
            (list(network.head.parameters()), options.head_rate),
        ]
        worst = ClassifierScores(right=-1.0, loss=math.inf)
        super().__init__(network, source.tokenizer, rates, training, worst, options)
        self._validation = validation

    def probabilities(self, texts: Sequence[str]) -> Vectors:
        """Return the probabilities of all classes, [n, classes]."""
        logits = self.logits([ClassifierExample(text, UNKNOWN) for text in texts])
        return np.asarray(torch.from_numpy(logits).softmax(dim=1).numpy())

    def _loss(self, logits: Tensor, examples: Sequence[ClassifierExample]) -> Tensor:
        return nn.functional.cross_entropy(logits, torch.tensor([example.target for example in examples]))

    def _validate(self) -> str:
        right, losses = _score_each(self._validation, self.probabilities)
        scores = self.best.check(ClassifierScores(float(right.mean()), float(losses.mean())))
        return f"validation: {scores.right:.1%}"


def score_classifiers(
    questions: Sequence[GoldQuestion], steps: Sequence[str], max_hops: int, hop: Predictor, step: Predictor
) -> PathScores:
    """Score both classifiers; a path is right if its hop number and each of its relations is the most probable.

    Unlike in served mode, a relation competes with all relations, whether or not they exist in that place.
    """
    hops_right, hop_losses = _score_each(hop_examples(questions, max_hops), hop)
    right, losses = _score_each(step_examples(questions, steps), step)
    starts = np.cumsum([0, *(len(question.path) for question in questions[:-1])])
    paths_right = hops_right & np.logical_and.reduceat(right, starts)
    path_losses = hop_losses + np.add.reduceat(losses, starts)
    return PathScores(float(hops_right.mean()), float(paths_right.mean()), float(path_losses.mean()))


def agreement(*compared: tuple[Sequence[ClassifierExample], Predictor, Predictor]) -> float:
    """Return the share of examples that both predictors classify alike."""
    alike = []
    for examples, one, other in compared:
        texts = [example.text for example in examples]
        alike.append(one(texts).argmax(axis=1) == other(texts).argmax(axis=1))
    return float(np.concatenate(alike).mean())


def _score_each(examples: Sequence[ClassifierExample], predict: Predictor) -> tuple[Mask, Vectors]:
    """Return whether each example is right, and its negative log-likelihood."""
    probabilities = predict([example.text for example in examples])
    targets = np.array([example.target for example in examples])
    chances = np.where(targets == UNKNOWN, 0.0, probabilities[np.arange(len(targets)), targets])
    return probabilities.argmax(axis=1) == targets, -np.log(np.maximum(chances, MIN_PROBABILITY)).astype(np.float32)
