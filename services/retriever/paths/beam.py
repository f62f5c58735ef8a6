"""Predict relation paths by beam search over the relations that exist in the graph (RRA, section 4.1.1).

The paper first predicts the hop number (eq. 1-4) and then that many relations, each chosen from all relations in the
graph (eq. 8-15). Here, stopping is one of the choices at every step, so the hop number is predicted together with the
path. The other choices are the steps that leave the entities reached so far, so every predicted path exists.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache

from graph.store import Entity, GraphStore, RelationPath
from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.path_predictor import PathPrediction, PathQuery, PredictedPath
from services.retriever.paths.relation_scorer import EncodedQuestions, softmax

MIN_RELATIVE_SCORE = 1e-6
"""Paths that score less than this fraction of the best score are dropped."""
# Enough for the token vectors of several thousand questions.
_CACHE_BYTES = 64_000_000
_CHUNK_CHARACTERS = 1_000


@dataclass(frozen=True)
class _Beam:
    """Hold the unfinished paths of all queries; each row has a query's index, a path, its score, and its state."""

    queries: list[int]
    paths: list[RelationPath]
    scores: list[float]
    states: Vectors


class BeamPathPredictor:
    """Implement `PathPredictor` in served mode."""

    def __init__(self, store: GraphStore, model: RetrieverModel) -> None:
        self._store = store
        self._model = model
        # A single thread keeps the encoder's weights in one core's cache.
        self._encoder_thread = ThreadPoolExecutor(1, thread_name_prefix="encoder")
        # Once their topics are masked, many questions are identical.
        self._token_vectors: LRUCache[str, Vectors] = LRUCache(_CACHE_BYTES, lambda vectors: vectors.nbytes)
        self._columns = {step: column for column, step in enumerate(model.manifest.steps)}

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        """Predict paths, calling the encoder once per distinct masked question and the store once per step."""
        scorer, max_hops = self._model.scorer, self._model.manifest.max_hops
        outgoing, vectors = await asyncio.gather(
            self._outgoing_steps([(query.topic, ()) for query in queries]),
            self._encode(list(dict.fromkeys(query.masked_question for query in queries))),
        )
        questions = scorer.prepare([vectors[query.masked_question] for query in queries])
        states = scorer.initial_states(questions, outgoing)
        beam = _Beam(list(range(len(queries))), [()] * len(queries), [1.0] * len(queries), states)
        finished: list[list[PredictedPath]] = [[] for _ in queries]
        for _ in range(max_hops):
            probabilities = self._probabilities(questions, beam, outgoing)
            _finish(beam, probabilities[:, -1], finished)
            beam = self._extend(beam, probabilities[:, :-1], beam_width)
            if not beam.queries or len(beam.paths[0]) == max_hops:
                break
            outgoing = await self._outgoing_steps(
                [(queries[row].topic, path) for row, path in zip(beam.queries, beam.paths, strict=True)]
            )
        _finish(beam, np.ones(len(beam.queries), dtype=np.float32), finished)
        ambiguous = [row for row, query in enumerate(queries) if query.is_ambiguous]
        first_steps = self._first_step_probabilities(questions, ambiguous)
        return [_prediction(paths, max_hops, first_steps.get(row, {})) for row, paths in enumerate(finished)]

    def _first_step_probabilities(
        self, questions: EncodedQuestions, rows: Sequence[int]
    ) -> dict[int, dict[str, float]]:
        """Return the first-step probabilities for each of these rows, as if the topic's steps were unknown."""
        if not rows:
            return {}
        unknown = np.zeros((len(questions.hidden), len(self._columns)), dtype=np.float32)
        scorer = self._model.scorer
        logits = scorer.logits(questions, rows, scorer.initial_states(questions, unknown)[rows])
        return {
            row: dict(zip(self._columns, map(float, probabilities), strict=False))
            for row, probabilities in zip(rows, softmax(logits), strict=True)
        }

    async def _encode(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Encode texts one at a time: int8 activations are scaled per call, and results must not depend on the batch.

        A single text is encoded on the event loop, because waking another thread takes as long as encoding it.
        """
        known = {text: self._token_vectors[text] for text in texts if text in self._token_vectors}
        unknown = [text for text in texts if text not in known]
        new: dict[str, Vectors] = {}
        for chunk in _chunks(unknown):
            if len(unknown) > 1:
                new |= await asyncio.get_running_loop().run_in_executor(self._encoder_thread, self._encode_each, chunk)
            else:
                new = self._encode_each(chunk)
        # The encoder reads so few tokens per text that any single text fits into the cache.
        self._token_vectors.update(new)
        return known | new

    def _encode_each(self, texts: Sequence[str]) -> dict[str, Vectors]:
        return {text: self._model.encoder.encode([text])[0] for text in texts}

    async def _outgoing_steps(self, places: Sequence[tuple[Entity | None, RelationPath]]) -> Vectors:
        """Return, as [places, R], 1 for each step that leaves the end of a place's path; without a topic, all are 0."""
        starts = [(topic, path) for topic, path in places if topic is not None]
        found = iter(await self._store.steps_after(starts) if starts else ())
        outgoing = np.zeros((len(places), len(self._columns)), dtype=np.float32)
        for row, (topic, _) in enumerate(places):
            if topic is not None:
                outgoing[row, [self._columns[step] for step in next(found) if step in self._columns]] = 1.0
        return outgoing

    def _probabilities(self, questions: EncodedQuestions, beam: _Beam, outgoing: Vectors) -> Vectors:
        """Return the probability of each step and, in the last column, of stopping, [rows, R + 1].

        Steps that do not exist get probability 0. The others are not renormalised, so that the scores are low if the
        graph lacks the most likely step.
        """
        probabilities = softmax(self._model.scorer.logits(questions, beam.queries, beam.states))
        probabilities[:, :-1] *= outgoing
        return probabilities

    def _extend(self, beam: _Beam, step_probabilities: Vectors, beam_width: int) -> _Beam:
        """Extend the paths in the beam by one step, and return the `beam_width` best extended paths of each query."""
        scores = step_probabilities * np.asarray(beam.scores, dtype=np.float32)[:, None]
        queries = np.asarray(beam.queries)
        chosen: list[tuple[int, int]] = []
        for query in dict.fromkeys(beam.queries):
            rows = np.flatnonzero(queries == query)
            candidates = scores[rows].ravel()
            best = np.argsort(-candidates, kind="stable")[:beam_width]
            floor = candidates[best[0]] * MIN_RELATIVE_SCORE
            chosen += [(rows[i // scores.shape[1]], i % scores.shape[1]) for i in best if candidates[i] > floor]
        if not chosen:
            return _Beam([], [], [], beam.states[:0])
        parents, steps = (list(map(int, column)) for column in zip(*chosen, strict=True))
        names = self._model.manifest.steps
        return _Beam(
            [beam.queries[row] for row in parents],
            [(*beam.paths[row], names[step]) for row, step in zip(parents, steps, strict=True)],
            [float(scores[row, step]) for row, step in zip(parents, steps, strict=True)],
            self._model.scorer.advance(beam.states[parents], steps),
        )


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    """Split texts into lists that each take a few milliseconds to encode, so no request waits long for the thread."""
    chunk: list[str] = []
    for text in texts:
        chunk.append(text)
        if sum(map(len, chunk)) >= _CHUNK_CHARACTERS:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _finish(beam: _Beam, stop_probabilities: Vectors, finished: list[list[PredictedPath]]) -> None:
    """Add each path in the beam to its query's finished paths, including the probability of stopping in its score."""
    for query, path, score, stop in zip(beam.queries, beam.paths, beam.scores, stop_probabilities, strict=True):
        finished[query].append(PredictedPath(path, score * float(stop)))


def _prediction(
    finished: Sequence[PredictedPath], max_hops: int, first_step_probabilities: Mapping[str, float]
) -> PathPrediction:
    hops = np.zeros(max_hops + 1)
    for path in finished:
        hops[len(path.relations)] += path.score
    unanswerable, coverage = float(hops[0]), float(hops.sum())
    hops /= coverage or 1.0
    ranked = sorted((path for path in finished if path.relations), key=lambda path: -path.score)
    floor = ranked[0].score * MIN_RELATIVE_SCORE if ranked else 0.0
    paths = tuple(path for path in ranked if path.score > floor)
    return PathPrediction(tuple(map(float, hops)), unanswerable, paths, coverage, first_step_probabilities)
