"""Relation path prediction: a beam over the relations that exist where it stands (RRA, section 4.1.1).

The paper predicts the hop number first (eq. 1-4), then as many relations, each among all of the graph (eq. 8-15). Here
stopping is one of the choices at every step, so the hop number is decided with the path, and the choices are the steps
that lead on from the entities reached so far, so every path that comes out exists.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache

from services.retriever.prediction.encoder import Vectors
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.path_predictor import Asked, PredictedPath, Reading
from services.retriever.prediction.relation_scorer import ReadQuestions, softmax
from shared.graph.store import Entity, GraphStore, RelationPath

# A path whose score is below this share of its topic's best is dropped.
MIN_SHARE = 1e-6
# The encodings of some thousand questions.
_BYTES_REMEMBERED = 64_000_000
_CHARACTERS_AT_ONCE = 1_000


@dataclass(frozen=True)
class _Beam:
    """Unfinished paths of all questions, one row each: whose they are, what they are, how probable, in what state."""

    owners: list[int]
    prefixes: list[RelationPath]
    scores: list[float]
    states: Vectors


class PathFinder:
    """Finds relation paths for masked questions; safe for concurrent use."""

    def __init__(self, store: GraphStore, model: RetrieverModel) -> None:
        self._store = store
        self._model = model
        # One thread keeps the encoder's weights in one core's cache.
        self._encoding = ThreadPoolExecutor(1, thread_name_prefix="encoder")
        # With their topics masked many questions are the same.
        self._hidden: LRUCache[str, Vectors] = LRUCache(_BYTES_REMEMBERED, lambda vectors: vectors.nbytes)
        self._columns = {step: column for column, step in enumerate(model.manifest.steps)}

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        """A reading of each question, from the `width` most probable unfinished paths at every step.

        One encoder call for each text, one store call a step for all questions. Raises DependencyError if the store
        does not answer.
        """
        texts = list(dict.fromkeys(question.text for question in asked))
        around, hidden = await asyncio.gather(
            self._steps_after([(question.topic, ()) for question in asked]),
            self._encoded(texts),
        )
        scorer = self._model.scorer
        rows = {text: row for row, text in enumerate(texts)}
        read = scorer.read([hidden[rows[question.text]] for question in asked])
        beam = _Beam(list(range(len(asked))), [()] * len(asked), [1.0] * len(asked), scorer.start(read, around))
        stopped: list[list[PredictedPath]] = [[] for _ in asked]
        for _ in range(self._model.manifest.max_hops):
            probabilities = self._probabilities(read, beam, around)
            _stop(beam, probabilities, stopped)
            beam = self._extended(beam, probabilities, width)
            if not beam.owners or len(beam.prefixes[0]) == self._model.manifest.max_hops:
                break
            around = await self._steps_after(
                [(asked[owner].topic, prefix) for owner, prefix in zip(beam.owners, beam.prefixes, strict=True)]
            )
        for owner, prefix, score in zip(beam.owners, beam.prefixes, beam.scores, strict=True):
            stopped[owner].append(PredictedPath(prefix, score))
        by_words = self._by_words(read, [row for row, question in enumerate(asked) if question.among_others])
        return [
            _reading(paths, self._model.manifest.max_hops, by_words.get(row, {})) for row, paths in enumerate(stopped)
        ]

    def _by_words(self, read: ReadQuestions, rows: Sequence[int]) -> dict[int, dict[str, float]]:
        """For these questions the probability of each first step for a topic of which nothing is known."""
        if not rows:
            return {}
        unknown = np.zeros((len(read.hidden), len(self._columns)), dtype=np.float32)
        scorer = self._model.scorer
        probabilities = softmax(scorer.logits(read, rows, scorer.start(read, unknown)[rows]))
        return {
            row: dict(zip(self._columns, map(float, found), strict=False))
            for row, found in zip(rows, probabilities, strict=True)
        }

    async def _encoded(self, texts: Sequence[str]) -> list[Vectors]:
        """One by one: int8 activations are scaled by call, and what a question means must not depend on its company.

        A lone one here and now: to wake another thread takes as long as to encode it.
        """
        known = {text: self._hidden[text] for text in texts if text in self._hidden}
        unknown = [text for text in texts if text not in known]
        new: dict[str, Vectors] = {}
        for some in _portions(unknown):
            if len(unknown) > 1:
                new |= await asyncio.get_running_loop().run_in_executor(self._encoding, self._one_by_one, some)
            else:
                new = self._one_by_one(some)
        # So few tokens of a text are read that each has room.
        self._hidden.update(new)
        return [(known | new)[text] for text in texts]

    def _one_by_one(self, texts: Sequence[str]) -> dict[str, Vectors]:
        return {text: self._model.encoder.encode([text])[0] for text in texts}

    async def _steps_after(self, places: Sequence[tuple[Entity | None, RelationPath]]) -> Vectors:
        """1 for the steps that lead on from each place, [places, R]."""
        starts = [(topic, prefix) for topic, prefix in places if topic is not None]
        found = iter(await self._store.steps_after(starts) if starts else ())
        allowed = np.zeros((len(places), len(self._columns)), dtype=np.float32)
        for row, (topic, _) in enumerate(places):
            if topic is not None:
                allowed[row, [self._columns[step] for step in next(found) if step in self._columns]] = 1.0
        return allowed

    def _probabilities(self, read: ReadQuestions, beam: _Beam, allowed: Vectors) -> Vectors:
        """P of each step and, last, of stopping, [rows, R + 1]; 0 for steps that do not exist.

        The others keep their probabilities: that the graph lacks what was most likely meant must show in the score.
        """
        probabilities = softmax(self._model.scorer.logits(read, beam.owners, beam.states))
        probabilities[:, :-1] *= allowed
        return probabilities

    def _extended(self, beam: _Beam, probabilities: Vectors, width: int) -> _Beam:
        """Each question's `width` best paths among all paths of the beam with one more step."""
        scores = probabilities[:, :-1] * np.asarray(beam.scores, dtype=np.float32)[:, None]
        owners = np.asarray(beam.owners)
        taken: list[tuple[int, int]] = []
        for owner in dict.fromkeys(beam.owners):
            rows = np.flatnonzero(owners == owner)
            mine = scores[rows].ravel()
            best = np.argsort(-mine, kind="stable")[:width]
            floor = mine[best[0]] * MIN_SHARE
            taken += [(rows[i // scores.shape[1]], i % scores.shape[1]) for i in best if mine[i] > floor]
        if not taken:
            return _Beam([], [], [], beam.states[:0])
        before, steps = (list(map(int, column)) for column in zip(*taken, strict=True))
        names = self._model.manifest.steps
        return _Beam(
            [beam.owners[row] for row in before],
            [(*beam.prefixes[row], names[step]) for row, step in zip(before, steps, strict=True)],
            [float(scores[row, step]) for row, step in zip(before, steps, strict=True)],
            self._model.scorer.advance(beam.states[before], steps),
        )


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in lists that take a few milliseconds each, so that nobody waits long for the thread."""
    some: list[str] = []
    for text in texts:
        some.append(text)
        if sum(map(len, some)) >= _CHARACTERS_AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _stop(beam: _Beam, probabilities: Vectors, stopped: list[list[PredictedPath]]) -> None:
    for owner, prefix, score, stop in zip(beam.owners, beam.prefixes, beam.scores, probabilities[:, -1], strict=True):
        stopped[owner].append(PredictedPath(prefix, score * float(stop)))


def _reading(stopped: Sequence[PredictedPath], max_hops: int, first_steps: Mapping[str, float]) -> Reading:
    hops = np.zeros(max_hops + 1)
    for path in stopped:
        hops[len(path.relations)] += path.score
    none, found = float(hops[0]), float(hops.sum())
    hops /= found or 1.0
    ranked = sorted((path for path in stopped if path.relations), key=lambda path: -path.score)
    floor = ranked[0].score * MIN_SHARE if ranked else 0.0
    paths = tuple(path for path in ranked if path.score > floor)
    return Reading(tuple(map(float, hops)), none, paths, found, first_steps)
