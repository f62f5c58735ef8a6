"""Relation paths for questions that tell only their answers: what the graph has between topic and answers.

Every path from the topic that reaches an answer may be meant; how well the set that it reaches agrees with the answers
tells most of them apart. Questions that read the same once masked mean the same path, so they vote together. What is
then still open is settled by what all questions favour, and while the model learns by what it makes of the question
(expectation-maximisation with a hard choice; Neal and Hinton 1998).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from shared.exact_match import exact
from shared.graph.store import GraphStore, RelationPath, WalkRule, inverse_step
from training.retriever.examples import GoldPath, MaskedQuestion, Untold
from training.retriever.scoring import PathTable, Predictor, log_likelihoods, logits_among_allowed
from training.retriever.walk_rule import RULES, rule_name

MAX_HOPS = 3
_EXPLAINED = 0.5
_ENOUGH_EXPLAINED = 0.9
_SAMPLE = 200
_RULE_SAMPLE = 60
_VOTES = 8
_MOST_PATHS = 300
_MOST_RIVALS = 40
_POOREST_FIT = 0.05
# exp(_SHARPNESS x fit): a path that fits perfectly outweighs one with half its F1 by e^5.
_SHARPNESS = 10.0
_ROUNDS = 3
_SMOOTHING = 0.1


async def found_paths(store: GraphStore, questions: Sequence[Untold], rule: WalkRule) -> list[MaskedQuestion]:
    """The questions with the paths that they may mean; those without any are left out.

    Raises DependencyError if the store does not answer.
    """
    search = _Search(store, rule)
    groups = _groups(questions)
    hops = await search.hops_needed(list(groups.values()))
    found = []
    for text, alike in groups.items():
        rivals = await search.rivals(alike[:_VOTES], hops)
        if rivals:
            found.append(MaskedQuestion(text, rivals[0], len(alike), rivals))
    return _settled(found)


async def fitting_rule(store: GraphStore, questions: Sequence[Untold]) -> tuple[WalkRule, dict[str, float]]:
    """The walk rule under which the paths found reach the answers best, of equals the first; mean F1 of each rule."""
    groups = list(_groups(questions).values())
    sample = groups[:: max(1, len(groups) // _RULE_SAMPLE)]
    fits = []
    for rule in RULES:
        search = _Search(store, rule)
        hops = await search.hops_needed(sample)
        best = [max((gold.fit for gold in await search.rivals(alike[:1], hops)), default=0.0) for alike in sample]
        fits.append(round(sum(best) / max(1, len(sample)), 4))
    return RULES[fits.index(max(fits))], {rule_name(rule): fit for rule, fit in zip(RULES, fits, strict=True)}


def _groups(questions: Sequence[Untold]) -> dict[str, list[Untold]]:
    groups: dict[str, list[Untold]] = defaultdict(list)
    for question in questions:
        groups[question.text].append(question)
    return groups


def estimated(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> list[MaskedQuestion]:
    """Each question with the path that is likeliest by its fit and by what the model makes of the question."""
    readings = [question.read_as(gold.relations) for question in questions for gold in question.rivals]
    likelihoods = iter(_log_likelihoods(readings, table, predict)) if readings else iter(())
    chosen = []
    for question in questions:
        scores = [_SHARPNESS * gold.fit + next(likelihoods) for gold in question.rivals]
        chosen.append(question.read_as(question.rivals[int(np.argmax(scores))].relations) if scores else question)
    return chosen


def _log_likelihoods(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> list[float]:
    found: list[float] = []
    for start in range(0, len(questions), 1000):
        chunk = questions[start : start + 1000]
        logits = logits_among_allowed(chunk, table, predict)
        found += log_likelihoods(logits, table.targets(chunk, ignored=-1)).tolist()
    return found


def _settled(questions: Sequence[MaskedQuestion]) -> list[MaskedQuestion]:
    """Each question with the path that fits best, where several do with the one that all questions favour."""
    for _ in range(_ROUNDS):
        uses: Counter[RelationPath] = Counter()
        for question in questions:
            uses[question.path] += 1
        questions = [
            question.read_as(
                max(
                    question.rivals,
                    key=lambda gold: _SHARPNESS * gold.fit + float(np.log(uses[gold.relations] + _SMOOTHING)),
                ).relations
            )
            for question in questions
        ]
    return list(questions)


class _Search:
    """Looks for paths between topics and answers."""

    def __init__(self, store: GraphStore, rule: WalkRule) -> None:
        self._store = store
        self._rule = rule

    async def hops_needed(self, groups: Sequence[Sequence[Untold]]) -> int:
        """The smallest number of hops within which nearly all of a sample's questions have a fitting path."""
        sample = groups[:: max(1, len(groups) // _SAMPLE)]
        for hops in range(1, MAX_HOPS):
            fits = [(await self.rivals(alike[:1], hops))[:1] for alike in sample]
            explained = sum(bool(best) and best[0].fit >= _EXPLAINED for best in fits)
            if explained >= _ENOUGH_EXPLAINED * len(sample):
                return hops
        return MAX_HOPS

    async def rivals(self, alike: Sequence[Untold], hops: int) -> tuple[GoldPath, ...]:
        """The paths of up to so many hops that reach answers, best first by their mean F1 over questions alike."""
        fits: dict[RelationPath, float] = defaultdict(float)
        allowed: dict[RelationPath, tuple[frozenset[str], ...]] = {}
        for question in alike:
            steps = await self._steps(question, hops)
            paths = self._leading_to(steps, await self._last_steps(question), hops)
            walks = await self._store.walk([(question.topic, path) for path in paths], self._rule)
            wanted = {exact(answer.name) for answer in question.answers}
            for path, walk in zip(paths, walks, strict=True):
                reached = {exact(answer.entity.name) for answer in walk.reached}
                common = len(reached & wanted)
                if common:
                    fits[path] += 2 * common / (len(reached) + len(wanted)) / len(alike)
                    allowed.setdefault(path, tuple(steps[path[:length]] for length in range(len(path) + 1)))
        ranked = sorted((path for path in fits if fits[path] >= _POOREST_FIT), key=lambda p: (-fits[p], len(p), p))
        return tuple(GoldPath(path, allowed[path], fits[path]) for path in ranked[:_MOST_RIVALS])

    async def _steps(self, question: Untold, hops: int) -> dict[RelationPath, frozenset[str]]:
        """What leads on from the topic and from the end of each path of up to so many hops."""
        steps: dict[RelationPath, frozenset[str]] = {}
        ends: list[RelationPath] = [()]
        for _ in range(hops + 1):
            found = await self._store.steps_after([(question.topic, path) for path in ends])
            steps.update(zip(ends, found, strict=True))
            ends = [(*path, step) for path, allowed in zip(ends, found, strict=True) for step in sorted(allowed)]
            ends = ends[:_MOST_PATHS]
        return steps

    async def _last_steps(self, question: Untold) -> frozenset[str]:
        """The steps that can end at an answer: those that lead away from one, reversed."""
        around = await self._store.steps_after([(answer, ()) for answer in question.answers])
        return frozenset(inverse_step(step) for steps in around for step in steps)

    def _leading_to(
        self, steps: Mapping[RelationPath, frozenset[str]], last: frozenset[str], hops: int
    ) -> list[RelationPath]:
        return [path for path in steps if 0 < len(path) <= hops and path[-1] in last]
