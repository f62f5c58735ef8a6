"""Compare retrievers on the same questions, end to end, and choose one that is better than the present one."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

from contracts.retrieve import RetrieveRequest
from evaluation.gold_answers import with_gold_answers
from evaluation.outcomes import Outcome, outcome_of, unanswered
from evaluation.strategy_outcomes import CONFIDENT
from graph.store import GraphStore
from question_sets.records import QuestionRecord
from services.retriever.paths.model import load_model
from services.retriever.paths.model_folder import PathEvidence
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL, read_plan_manifest
from services.retriever.replies.retrieval import Retrieval
from services.retriever.scopes.described_store import open_described_graph
from services.retriever.serving.wiring import LoadedModels, judge_of, with_models
from shared.errors import InvalidInputError, RefusedError, TooManyPathsError
from training.retriever.model_parts import ModelParts

LEAST_QUESTIONS = 3
"""Fewer questions cannot show that a model is better, even if it does better on each of them."""
PRESENT = "present"
_CHANCE = 1 / 8
_PATIENCE_S = 60.0
# Trained paths are compared as they are served if they turn out to be better than plans.
_ASSUMED = PathEvidence(questions=1, right=0, wrong=0, right_by_plans=0, wrong_by_plans=0)

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Score:
    """Hold how a retriever did on each question: 1 if it was right, -1 if confidently wrong, and 0 otherwise.

    `silent` counts the questions that have answers, and got none.
    """

    values: tuple[int, ...]
    silent: int

    @property
    def right(self) -> int:
        """Return the number of right answers; silence is right if there is no answer."""
        return self.values.count(1)

    @property
    def wrong(self) -> int:
        """Return the number of wrong answers with a confidence of at least `CONFIDENT`."""
        return self.values.count(-1)


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold the models to serve, and the evidence that new paths among them answer better than plans."""

    name: str
    parts: ModelParts
    evidence: PathEvidence | None


@dataclass(frozen=True, slots=True)
class ComparableQuestions:
    """Hold questions with gold answers, and what is wrong with those that have none."""

    records: Sequence[QuestionRecord]
    problems: Sequence[str]


async def comparable(graph: str, records: Sequence[QuestionRecord]) -> ComparableQuestions:
    """Find the gold answers of questions; leave out those whose query does not run on the graph.

    Raises:
        DependencyError: The graph store does not respond.
    """
    found, problems = [], []
    store = open_described_graph(graph, _PATIENCE_S)
    try:
        await store.check()
        for record in records:
            try:
                found += await with_gold_answers(store, [record])
            except InvalidInputError as error:
                problems.append(f"{record.question}: {error.detail.partition(': ')[2]}")
    finally:
        await store.close()
    return ComparableQuestions(found, problems)


async def compare(
    graph: str, present: ModelParts, trained: ModelParts, records: Sequence[QuestionRecord], progress: Progress
) -> dict[str, Score]:
    """Ask all combinations of models the same questions, without their topics, and return their scores by name.

    Args:
        graph: The name of the graph.
        present: The models to replace.
        trained: The models to replace them with.
        records: The questions with gold answers, which the trained models have not seen.
        progress: Called after every question.

    Raises:
        InvalidInputError: A model is damaged.
        DependencyError: The graph store does not respond.
    """
    scores: dict[str, Score] = {}
    systems = combinations(present, trained)
    store = open_described_graph(graph, _PATIENCE_S)
    try:
        await store.check()
        for place, (name, parts) in enumerate(systems.items()):
            retriever = _retriever(store, parts, is_new=parts.paths is not None and parts.paths == trained.paths)
            outcomes = []
            for number, record in enumerate(records, 1):
                outcomes.append(await _outcome(retriever, record))
                progress(place * len(records) + number, len(systems) * len(records), f"comparing: {name}")
            scores[name] = score(outcomes)
    finally:
        await store.close()
    return scores


def combinations(present: ModelParts, trained: ModelParts) -> dict[str, ModelParts]:
    """Return the combinations to compare by name; those of plans alone show whether paths are better than plans."""
    found = {PRESENT: present}
    if present.paths is not None:
        found["present plans alone"] = replace(present, paths=None)
    if trained.plans is not None:
        found["new plans"] = replace(present, plans=trained.plans)
        if present.paths is not None:
            found["new plans alone"] = ModelParts(plans=trained.plans)
    if trained.paths is not None:
        found["new paths"] = replace(present, paths=trained.paths)
    if trained.paths is not None and trained.plans is not None:
        found["new plans and paths"] = trained
    return found


def choose(present: ModelParts, trained: ModelParts, scores: Mapping[str, Score]) -> Choice | None:
    """Choose the best of the combinations that are better than the present one; of equals, the one that changes least.

    New paths are chosen only if they are better than the same plans alone, too.
    """
    systems = combinations(present, trained)
    of_parts = {parts: scores[name] for name, parts in systems.items()}
    choices = []
    for name in ("new plans", "new paths", "new plans and paths"):
        if name not in systems or not is_better(scores[name], scores[PRESENT]):
            continue
        parts = systems[name]
        has_new_paths = parts.paths is not None and parts.paths == trained.paths
        evidence = evidence_of(scores[name], of_parts[replace(parts, paths=None)]) if has_new_paths else None
        if evidence is not None or not has_new_paths:
            choices.append(Choice(name, parts, evidence))
    return max(choices, key=lambda one: (scores[one.name].right, -scores[one.name].wrong), default=None)


def choose_trained(present: ModelParts, trained: ModelParts, scores: Mapping[str, Score]) -> Choice:
    """Choose all trained models, whatever the scores are, if there are any; without evidence, plans answer first."""
    parts = ModelParts(trained.paths or present.paths, trained.plans or present.plans)
    systems = combinations(present, trained)
    [name] = [name for name, combined in systems.items() if combined == parts][:1]
    alone = [name for name, combined in systems.items() if combined == replace(parts, paths=None)]
    has_scores = bool(scores) and bool(alone) and trained.paths is not None
    return Choice(name, parts, evidence_of(scores[name], scores[alone[0]]) if has_scores else None)


def evidence_of(with_paths: Score, by_plans: Score) -> PathEvidence | None:
    """Return the evidence that paths before plans answer better than the plans alone, or None if they do not."""
    if not is_better(with_paths, by_plans):
        return None
    return PathEvidence(
        questions=len(with_paths.values),
        right=with_paths.right,
        wrong=with_paths.wrong,
        right_by_plans=by_plans.right,
        wrong_by_plans=by_plans.wrong,
    )


def is_better(new: Score, old: Score) -> bool:
    """Return whether no count is worse, and more questions are answered better than chance explains.

    Of the questions that the two answer differently, so many must be answered better that a fair coin would show one
    side as often with a probability of at most one eighth (sign test): three of three, or five of six.
    """
    if new.right < old.right or new.wrong > old.wrong:
        return False
    pairs = list(zip(new.values, old.values, strict=True))
    gains, changes = sum(after > before for after, before in pairs), sum(after != before for after, before in pairs)
    return sum(comb(changes, count) for count in range(gains, changes + 1)) <= _CHANCE * (1 << changes)


def score(outcomes: Sequence[Outcome]) -> Score:
    """Score the outcomes of questions, in their order."""
    return Score(tuple(map(_value, outcomes)), sum(not one.answers and not one.is_exact for one in outcomes))


def _value(outcome: Outcome) -> int:
    if outcome.is_exact:
        return 1
    return -1 if outcome.answers and outcome.confidence >= CONFIDENT else 0


def _retriever(store: GraphStore, parts: ModelParts, is_new: bool) -> Retrieval:
    """Assemble a retriever from the models in two folders."""
    paths = load_model(parts.paths) if parts.paths is not None else None
    if paths is not None and is_new:
        paths = replace(paths, manifest=paths.manifest.model_copy(update={"evidence": _ASSUMED}))
    plans = parts.plans or BASE_MODEL
    model = PlanModel(plans)
    models = LoadedModels(paths, model, judge_of(model, plans), read_plan_manifest(plans), None)
    return Retrieval(with_models(store, models, _PATIENCE_S).retriever)


async def _outcome(retriever: Retrieval, record: QuestionRecord) -> Outcome:
    """Ask a question as a user does. One that cannot be answered has failed; the store must respond."""
    started = time.perf_counter()
    try:
        response = await retriever.retrieve(RetrieveRequest(question=record.question))
    except (InvalidInputError, RefusedError, TooManyPathsError):
        return unanswered(record, (time.perf_counter() - started) * 1000, with_text=False, failed=True)
    return outcome_of(record, response, (time.perf_counter() - started) * 1000)
