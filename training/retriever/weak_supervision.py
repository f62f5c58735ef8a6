"""Find relation paths for questions that come only with answers (weak supervision).

Every path that leads from the topic to an answer is a candidate. Candidates are ranked by F1, which compares the
entities that a path reaches with the answers and is averaged over the questions that share a masked text. Ties go to
the path that fits the most questions and, during training, to the path that the model finds most likely (hard
expectation-maximisation; Neal and Hinton 1998).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from graph.store import GraphStore, RelationPath, WalkRule, inverse_step
from shared.exact_match import exact
from training.retriever.examples import AnswerOnlyQuestion, GoldPath, MaskedQuestion
from training.retriever.scoring import PathTable, Predictor, allowed_logits, log_likelihoods
from training.retriever.walk_rule import RULES, answer_f1, best_rule

MAX_HOPS = 3
_EXPLAINED_F1 = 0.5
_ENOUGH_EXPLAINED = 0.9
_SAMPLE = 200
_RULE_SAMPLE = 60
_MAX_VOTES = 8
_MAX_PATHS = 300
_MAX_CANDIDATES = 40
_MIN_F1 = 0.05
# The weight of F1 relative to log-likelihoods: an F1 of 1 outweighs an F1 of 0.5 by a factor of e^5.
_F1_WEIGHT = 10.0
_ROUNDS = 3
_SMOOTHING = 0.1
_PREDICTED_PER_CALL = 1000


async def find_paths(
    store: GraphStore, questions: Sequence[AnswerOnlyQuestion], rule: WalkRule
) -> list[MaskedQuestion]:
    """Return the questions with their candidate paths; leave out questions without a candidate."""
    search = _PathSearch(store, rule)
    groups = _group_by_text(questions)
    hops = await search.hops_needed(groups)
    examples = []
    for group in groups:
        candidates = await search.candidates(group[:_MAX_VOTES], hops)
        if candidates:
            examples.append(MaskedQuestion(group[0].text, candidates[0], len(group), candidates))
    return _choose_frequent_paths(examples)


async def fit_walk_rule_to_answers(
    store: GraphStore, questions: Sequence[AnswerOnlyQuestion]
) -> tuple[WalkRule, dict[str, float]]:
    """Return the rule under which the best candidate paths have the highest mean F1, and the mean F1 of each rule."""
    groups = _group_by_text(questions)
    sample = groups[:: max(1, len(groups) // _RULE_SAMPLE)]
    scores = []
    for rule in RULES:
        search = _PathSearch(store, rule)
        hops = await search.hops_needed(sample)
        f1 = [max((gold.f1 for gold in await search.candidates(group[:1], hops)), default=0.0) for group in sample]
        scores.append(round(sum(f1) / max(1, len(sample)), 4))
    return best_rule(scores)


def reestimate_paths(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> list[MaskedQuestion]:
    """Choose, for each question, the candidate with the highest sum of weighted F1 and log-likelihood."""
    readings = [question.with_path(gold.relations) for question in questions for gold in question.candidates]
    likelihoods: list[float] = []
    for start in range(0, len(readings), _PREDICTED_PER_CALL):
        chunk = readings[start : start + _PREDICTED_PER_CALL]
        logits = allowed_logits(chunk, table, predict)
        likelihoods += log_likelihoods(logits, table.targets(chunk, ignored=-1)).tolist()
    remaining = iter(likelihoods)
    return [
        _with_best(question, [_F1_WEIGHT * gold.f1 + next(remaining) for gold in question.candidates])
        for question in questions
    ]


def _with_best(question: MaskedQuestion, scores: Sequence[float]) -> MaskedQuestion:
    """Return the question with its highest-scoring candidate as the gold path; the first one wins ties."""
    return question.with_path(question.candidates[int(np.argmax(scores))].relations) if scores else question


def _group_by_text(questions: Iterable[AnswerOnlyQuestion]) -> list[list[AnswerOnlyQuestion]]:
    groups: dict[str, list[AnswerOnlyQuestion]] = defaultdict(list)
    for question in questions:
        groups[question.text].append(question)
    return list(groups.values())


def _choose_frequent_paths(questions: Sequence[MaskedQuestion]) -> list[MaskedQuestion]:
    """Choose the candidate with the best F1 for each question; if several are close, choose the most frequent path."""
    for _ in range(_ROUNDS):
        uses = Counter(question.path for question in questions)
        questions = [
            _with_best(
                question,
                [_F1_WEIGHT * g.f1 + float(np.log(uses[g.relations] + _SMOOTHING)) for g in question.candidates],
            )
            for question in questions
        ]
    return list(questions)


class _PathSearch:
    """Search for paths between topics and answers."""

    def __init__(self, store: GraphStore, rule: WalkRule) -> None:
        self._store = store
        self._rule = rule

    async def hops_needed(self, groups: Sequence[Sequence[AnswerOnlyQuestion]]) -> int:
        """Return the smallest number of hops that explains nearly all questions in a sample."""
        sample = groups[:: max(1, len(groups) // _SAMPLE)]
        for hops in range(1, MAX_HOPS):
            best = [(await self.candidates(group[:1], hops))[:1] for group in sample]
            explained = sum(bool(found) and found[0].f1 >= _EXPLAINED_F1 for found in best)
            if explained >= _ENOUGH_EXPLAINED * len(sample):
                return hops
        return MAX_HOPS

    async def candidates(self, group: Sequence[AnswerOnlyQuestion], hops: int) -> tuple[GoldPath, ...]:
        """Return the paths of up to `hops` hops that reach answers, sorted by mean F1 over the group, best first."""
        f1: dict[RelationPath, float] = defaultdict(float)
        allowed: dict[RelationPath, tuple[frozenset[str], ...]] = {}
        for question in group:
            steps = await self._steps(question, hops)
            around = await self._store.steps_after([(answer, ()) for answer in question.answers])
            last = {inverse_step(step) for leaving in around for step in leaving}
            paths = [path for path in steps if 0 < len(path) <= hops and path[-1] in last]
            walks = await self._store.walk([(question.topic, path) for path in paths], self._rule)
            gold = {exact(answer.name) for answer in question.answers}
            for path, walk in zip(paths, walks, strict=True):
                if score := answer_f1(walk, gold):
                    f1[path] += score / len(group)
                    allowed.setdefault(path, tuple(steps[path[:length]] for length in range(len(path) + 1)))
        ranked = sorted((path for path in f1 if f1[path] >= _MIN_F1), key=lambda path: (-f1[path], len(path), path))
        return tuple(GoldPath(path, allowed[path], f1[path]) for path in ranked[:_MAX_CANDIDATES])

    async def _steps(self, question: AnswerOnlyQuestion, hops: int) -> dict[RelationPath, frozenset[str]]:
        """Return the steps that can follow each path of up to `hops` hops from the topic."""
        steps: dict[RelationPath, frozenset[str]] = {}
        ends: list[RelationPath] = [()]
        for _ in range(hops + 1):
            found = await self._store.steps_after([(question.topic, path) for path in ends])
            steps.update(zip(ends, found, strict=True))
            ends = [(*path, step) for path, allowed in zip(ends, found, strict=True) for step in sorted(allowed)]
            ends = ends[:_MAX_PATHS]
        return steps
