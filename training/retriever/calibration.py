"""Fitting the confidence on held-out questions, asked as users ask them, and on questions that nothing can answer."""

import random
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from question_sets.records import QuestionRecord
from services.retriever.confidence import Calibration, ConfidenceFeatures
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.mentions import MASK, Mention, masked_question
from services.retriever.linking.topic_mentions import find_topic_mentions
from services.retriever.pipeline import Retriever
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.paper.model import PaperModel
from shared.contracts import RetrieveRequest, RetrieveResponse, answer_set
from shared.errors import KGQAError
from shared.graph.store import Entity, GraphStore, RelationPath
from training.retriever.augmentation import Noise

_MOST = 400
_FEWEST = 20
_UNANSWERABLE = 0.25
# How strongly questions are reworded: more than in training, so that some are not understood.
_LEFT_OUT, _REPLACED = 0.1, 0.3
_EACH_MISSPELT = 3
# How strongly the weights are held to those set by hand: by the precision of a Gaussian around them.
_PRIOR = 0.5
# Who has no questions of people wants answers to look at, and knows why they are poor.
_WITHOUT_QUESTIONS = 0.2
_ROUNDS = 50
_LETTERS = string.ascii_lowercase
_SYLLABLES = tuple("badufegahijokulamoniporasutevoxiyoza"[at : at + 2] for at in range(0, 36, 2))

# What people also type into such a box, whatever the graph is about.
_OFF_TOPIC = (
    "what is the weather tomorrow", "tell me a joke", "how do i boil an egg", "hello", "who are you", "thanks a lot",
    "what time is it", "book me a table for two", "why is the sky blue", "how tall is the moon", "sing me a song",
    "what should i eat tonight", "is this a good idea", "how many are there", "which one is better",
    "can you help me with my homework", "what does it all mean", "where did i put my keys", "qwertz asdf",
    "write a poem about rain", "how much does it cost", "when will it be ready", "please call me back",
    "what is 17 times 23", "translate this into french", "quelle heure est-il", "wie geht es dir",
    "am i right", "who won yesterday", "what is the meaning of life", "set an alarm for six", "open the door",
)  # fmt: skip


# A question that mentions its topic, and where.
_Mentioned = tuple[QuestionRecord, Mention]


async def calibrated(
    store: GraphStore,
    model: RetrieverModel | PaperModel,
    held_out: Sequence[QuestionRecord],
    synonyms: Mapping[str, Sequence[str]],
    seed: int,
) -> Calibration:
    """The calibration that fits held-out questions, each as it was asked and reworded, and some that have no answer.

    Of the latter some are about made-up names or small talk, and of some the graph lacks the step that they ask for.

    Held-out questions are often worded as training's, and then all answered right and with certainty: they tell
    nothing of how sure the model may be of others. `synonyms`: see `Noise`. Too few questions, or none that is answered
    wrong, change little: the weights are held to those set by hand.
    """
    source = random.Random(seed)
    held_out = await _answerable(store, held_out)
    sample = source.sample(list(held_out), min(_MOST, len(held_out)))
    if not sample:
        return Calibration(threshold=_WITHOUT_QUESTIONS)
    if len(sample) < _FEWEST:
        return Calibration()
    open_ended = replace(model, manifest=model.manifest.model_copy(update={"calibration": Calibration(threshold=0.0)}))
    linker = EntityLinker(store, model.word_surprisal)
    retriever = Retriever(store, linker, open_ended)
    found: list[tuple[ConfidenceFeatures, bool]] = []
    with_topic = [record for record in sample if record.topic]
    mentions = await find_topic_mentions(store, [(record.question, record.topic or "") for record in with_topic])
    mentioned = [(record, mention) for record, mention in zip(with_topic, mentions, strict=True) if mention]
    reworded = _reworded(mentioned, Noise(_LEFT_OUT, _REPLACED, synonyms, source))
    wanted = round(len(sample) * _UNANSWERABLE / 2)
    for record in [*sample, *reworded, *_unanswerable(mentioned, wanted, source)]:
        found += await _judged(retriever, record)
    told = [record for record, _ in mentioned if record.path]
    for record in source.sample(told, min(2 * wanted, len(told))):
        without = Retriever(_Without(store, record.path or ()), linker, open_ended)
        found += await _judged(without, record.model_copy(update={"answers": (), "path": ()}))
    return _fitted(found)


class _Without:
    """A graph that lacks the last step of one relation path, wherever that path begins."""

    def __init__(self, store: GraphStore, path: RelationPath) -> None:
        self._store, self._path = store, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """As the graph's own, without the step that is lacking."""
        found = await self._store.steps_after(starts)
        *before, last = self._path
        return [
            steps - {last} if path == tuple(before) else steps for (_, path), steps in zip(starts, found, strict=True)
        ]


async def _judged(retriever: Retriever, record: QuestionRecord) -> list[tuple[ConfidenceFeatures, bool]]:
    """The signs of what is answered to a question, and whether it is right; nothing where the linker finds nothing."""
    try:
        response, features = await retriever.retrieve_with_features(RetrieveRequest(question=record.question))
    except KGQAError:
        return []
    if features is None or features.unanswerable_ratio >= 1.0:
        return []
    return [(features, _is_right(response, record))]


async def _answerable(store: GraphStore, records: Sequence[QuestionRecord]) -> list[QuestionRecord]:
    """Without the questions about topics that the graph does not have; of data sets with part of their graph."""
    found = await store.entities_named([record.topic or "" for record in records]) if records else []
    return [record for record, bearers in zip(records, found, strict=True) if bearers or not record.topic]


def _reworded(records: Sequence[_Mentioned], noise: Noise) -> list[QuestionRecord]:
    """The questions as others might have asked them, some with the mention misspelt."""
    reworded = []
    for place, (record, mention) in enumerate(records):
        name = record.question[mention.start : mention.end].split(" ")
        if place % _EACH_MISSPELT == 0:
            longest = max(range(len(name)), key=lambda word: len(name[word]))
            name[longest] = noise.mistyped(name[longest])
        question = noise.text(masked_question(record.question, mention)).replace(MASK, " ".join(name))
        reworded.append(record.model_copy(update={"question": question}))
    return reworded


def _unanswerable(records: Sequence[_Mentioned], wanted: int, source: random.Random) -> list[QuestionRecord]:
    """Held-out questions about made-up names, and at most as many about something else altogether."""
    questions = [
        record.question[: mention.start]
        + _made_up(source, record.question[mention.start : mention.end])
        + record.question[mention.end :]
        for record, mention in source.sample(records, min(wanted, len(records)))
    ]
    questions += source.sample(_OFF_TOPIC, min(wanted, len(_OFF_TOPIC)))
    return [QuestionRecord(question=question, answers=(), path=()) for question in questions]


def _made_up(source: random.Random, name: str) -> str:
    """A name of random syllables, or one that differs in its first letter alone, in which people seldom err."""
    if source.random() < 0.6:
        return "".join(source.choice(_SYLLABLES) for _ in range(source.randint(2, 4))).capitalize()
    return source.choice(_LETTERS.replace(name[0].lower(), "")).upper() + name[1:]


def _is_right(response: RetrieveResponse, record: QuestionRecord) -> bool:
    path = response.relation_paths[0].relations if response.relation_paths else ()
    return record.is_answered_by(answer_set(response.answers), path)


def _fitted(found: Sequence[tuple[ConfidenceFeatures, bool]]) -> Calibration:
    """Logistic regression with a Gaussian prior around the weights set by hand, by Newton's method."""
    prior = np.array([Calibration().bias, *Calibration().weights])
    inputs = np.array([[1.0, *features.values()] for features, _ in found])
    right = np.array([float(is_right) for _, is_right in found])
    weights = prior.copy()
    for _ in range(_ROUNDS):
        chances = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (right - chances) - _PRIOR * (weights - prior)
        curve = (inputs * (chances * (1.0 - chances))[:, None]).T @ inputs + _PRIOR * np.eye(len(prior))
        change = np.linalg.solve(curve, slope)
        weights += np.clip(change, -1.0, 1.0)
        if float(np.abs(change).max()) < 1e-6:
            break
    bias, *rest = (float(round(weight, 4)) for weight in weights)
    return Calibration(bias=bias, weights=tuple(rest))
