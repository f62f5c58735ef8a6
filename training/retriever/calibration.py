"""Calibrate the confidence on held-out questions, on rewordings of them, and on questions without an answer."""

import random
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.store import Entity, GraphStore, RelationPath
from language.english.english import english
from language.mentions import Mention
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.masking import MASK, masked_question
from services.retriever.linking.topic_mentions import find_topic_mentions
from services.retriever.paths.confidence import Calibration, ConfidenceFeatures
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.paper.model import PaperModel
from services.retriever.replies.asked import Asked
from services.retriever.replies.path_replies import PathReplies
from shared.errors import KGQAError
from training.logistic import fit_logistic
from training.retriever.augmentation import QuestionAugmenter

_MAX_QUESTIONS = 400
_MIN_QUESTIONS = 20
_UNANSWERABLE_SHARE = 0.25
# Questions are reworded more heavily than in training, so that the model fails on some of them.
_DELETION_RATE, _SYNONYM_RATE = 0.1, 0.3
_MISSPELL_EVERY = 3
# Lower than the default: users who train without questions want to see answers, and know why the answers are poor.
_THRESHOLD_WITHOUT_QUESTIONS = 0.2
_SYLLABLES = tuple("badufegahijokulamoniporasutevoxiyoza"[at : at + 2] for at in range(0, 36, 2))

# Examples of what people type into a search box regardless of what the graph is about.
_OFF_TOPIC = (
    "what is the weather tomorrow", "tell me a joke", "how do i boil an egg", "hello", "who are you", "thanks a lot",
    "what time is it", "book me a table for two", "why is the sky blue", "how tall is the moon", "sing me a song",
    "what should i eat tonight", "is this a good idea", "how many are there", "which one is better",
    "can you help me with my homework", "what does it all mean", "where did i put my keys", "qwertz asdf",
    "write a poem about rain", "how much does it cost", "when will it be ready", "please call me back",
    "what is 17 times 23", "translate this into french", "quelle heure est-il", "wie geht es dir",
    "am i right", "who won yesterday", "what is the meaning of life", "set an alarm for six", "open the door",
)  # fmt: skip

_MentionedQuestion = tuple[QuestionRecord, Mention]
_Judged = list[tuple[ConfidenceFeatures, bool]]


async def fit_calibration(
    store: GraphStore,
    model: RetrieverModel | PaperModel,
    held_out: Sequence[QuestionRecord],
    synonyms: Mapping[str, Sequence[str]],
    seed: int,
) -> Calibration:
    """Calibrate the confidence of an exported model on questions that it was not trained on.

    Held-out questions are often worded like training questions, so their scores say nothing about other wordings. The
    fit therefore adds reworded questions and unanswerable ones: about made-up names, about other subjects, or about a
    relation that the graph is made to hide. With few questions or no wrong answers, it stays near the hand-set weights.
    """
    source = random.Random(seed)
    # Some data sets are published with only part of their graph.
    found = await store.entities_named([record.topic or "" for record in held_out]) if held_out else []
    answerable = [record for record, named in zip(held_out, found, strict=True) if named or not record.topic]
    sample = source.sample(answerable, min(_MAX_QUESTIONS, len(answerable)))
    if not sample:
        return Calibration(threshold=_THRESHOLD_WITHOUT_QUESTIONS)
    if len(sample) < _MIN_QUESTIONS:
        return Calibration()
    always_answering = Calibration(threshold=0.0)
    open_model = replace(model, manifest=model.manifest.model_copy(update={"calibration": always_answering}))
    linker = EntityLinker(store, model.word_surprisal)
    with_topic = [record for record in sample if record.topic]
    mentions = await find_topic_mentions(
        store, [(english(record.question), record.topic or "") for record in with_topic]
    )
    mentioned = [(record, mention) for record, mention in zip(with_topic, mentions, strict=True) if mention]
    reworded = _reword(mentioned, QuestionAugmenter(_DELETION_RATE, _SYNONYM_RATE, synonyms, source))
    wanted = round(len(sample) * _UNANSWERABLE_SHARE / 2)
    judged: _Judged = []
    for record in [*sample, *reworded, *_unanswerable(mentioned, wanted, source)]:
        judged += await _judge(PathReplies(store, linker, open_model), record)
    with_path = [record for record, _ in mentioned if record.path]
    for record in source.sample(with_path, min(2 * wanted, len(with_path))):
        retriever = PathReplies(_GraphWithoutStep(store, record.path or ()), linker, open_model)
        judged += await _judge(retriever, record.model_copy(update={"answers": (), "path": ()}))
    return _fit(judged)


class _GraphWithoutStep:
    """Hide the last step of one relation path in a graph, regardless of the entity from which the path starts."""

    def __init__(self, store: GraphStore, path: RelationPath) -> None:
        self._store, self._path = store, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """Return the graph's steps, except for the hidden one."""
        found = await self._store.steps_after(starts)
        *before, last = self._path
        return [
            steps - {last} if path == tuple(before) else steps for (_, path), steps in zip(starts, found, strict=True)
        ]


async def _judge(retriever: PathReplies, record: QuestionRecord) -> _Judged:
    """Return the features of a reply and whether it is right, or nothing if retrieval fails or proposes no answer."""
    try:
        reply, features = await retriever.reply_with_features(Asked(question=english(record.question)))
    except KGQAError:
        return []
    if features is None or features.unanswerable_ratio >= 1.0:
        return []
    return [(features, record.is_answered_by(reply.answer_names, reply.relations))]


def _reword(questions: Sequence[_MentionedQuestion], augmenter: QuestionAugmenter) -> list[QuestionRecord]:
    """Reword each question, and misspell some of the mentions."""
    reworded = []
    for place, (record, mention) in enumerate(questions):
        name = record.question[mention.start : mention.end].split(" ")
        if place % _MISSPELL_EVERY == 0:
            longest = max(range(len(name)), key=lambda word: len(name[word]))
            name[longest] = augmenter.misspell(name[longest])
        question = augmenter.augment_text(masked_question(record.question, mention)).replace(MASK, " ".join(name))
        reworded.append(record.model_copy(update={"question": question}))
    return reworded


def _unanswerable(questions: Sequence[_MentionedQuestion], wanted: int, source: random.Random) -> list[QuestionRecord]:
    """Return up to `wanted` held-out questions about made-up names, and up to `wanted` off-topic questions."""
    texts = [
        record.question[: mention.start]
        + _make_up_name(source, record.question[mention.start : mention.end])
        + record.question[mention.end :]
        for record, mention in source.sample(questions, min(wanted, len(questions)))
    ]
    texts += source.sample(_OFF_TOPIC, min(wanted, len(_OFF_TOPIC)))
    return [QuestionRecord(question=text, answers=(), path=()) for text in texts]


def _make_up_name(source: random.Random, name: str) -> str:
    """Return random syllables, or the name with a different first letter, which people rarely mistype."""
    if source.random() < 0.6:
        return "".join(source.choice(_SYLLABLES) for _ in range(source.randint(2, 4))).capitalize()
    return source.choice(string.ascii_lowercase.replace(name[0].lower(), "")).upper() + name[1:]


def _fit(judged: _Judged) -> Calibration:
    """Fit the calibration near the hand-set weights."""
    default = Calibration()
    inputs = [features.values() for features, _ in judged]
    bias, weights = fit_logistic(inputs, [is_right for _, is_right in judged], default.bias, default.weights)
    return Calibration(bias=bias, weights=weights)
