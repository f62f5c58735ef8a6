"""The walk rule of a graph, learnt from gold paths and answers."""

import random
from collections.abc import Sequence

from question_sets.records import QuestionRecord
from shared.exact_match import exact
from shared.graph.store import Entity, GraphStore, RelationPath, WalkRule

# Ties go to the first: paths as Neo4j walks them, and nobody asks whether France borders France.
RULES = (
    WalkRule("trail", True),
    WalkRule("trail", False),
    WalkRule("walk", True),
    WalkRule("walk", False),
)
_SAMPLE = 400
_STARTS_A_CALL = 100
_TIE = 1e-6


async def fit_walk_rule(
    store: GraphStore, records: Sequence[QuestionRecord], seed: int
) -> tuple[WalkRule, dict[str, float]]:
    """The rule under which gold paths reach the gold answers best, and each rule's mean F1 over a sample.

    Data sets differ: MetaQA's answers follow trails without the topic, PathQuestion's walks with it. Questions
    without topic, path or answers tell nothing; if none is left, it is the first rule with no figures.
    """
    telling = [record for record in records if record.topic and record.path and record.answers]
    sample = random.Random(seed).sample(telling, min(_SAMPLE, len(telling)))
    topics = await store.entities_named([record.topic or "" for record in sample])
    cases = [
        (record, [match.entity for match in matches if not match.is_alias] or [match.entity for match in matches])
        for record, matches in zip(sample, topics, strict=True)
        if matches
    ]
    if not cases:
        return RULES[0], {}
    figures = {rule_name(rule): await _mean_f1(store, cases, rule) for rule in RULES}
    best = max(RULES, key=lambda rule: (round(figures[rule_name(rule)] / _TIE), -RULES.index(rule)))
    return best, figures


def rule_name(rule: WalkRule) -> str:
    """A rule in words, for reports: `trail, topic excluded`."""
    return f"{rule.mode}, topic {'excluded' if rule.exclude_topic else 'included'}"


async def _mean_f1(store: GraphStore, cases: list[tuple[QuestionRecord, list[Entity]]], rule: WalkRule) -> float:
    """Mean over questions of the best F1 among the entities that bear the topic's name.

    Questions of which the store could not finish a walk tell nothing about the rule, and are left out.
    """
    starts: list[tuple[Entity, RelationPath]] = []
    owners: list[int] = []
    for number, (record, topics) in enumerate(cases):
        starts += [(topic, record.path or ()) for topic in topics]
        owners += [number] * len(topics)
    best = [0.0] * len(cases)
    unfinished: set[int] = set()
    for first in range(0, len(starts), _STARTS_A_CALL):
        walks = await store.walk(starts[first : first + _STARTS_A_CALL], rule)
        for number, walk in zip(owners[first:], walks, strict=False):
            gold = {exact(answer) for answer in cases[number][0].answers}
            reached = {exact(answer.entity.name) for answer in walk.reached}
            best[number] = max(best[number], _f1(reached, gold))
            if walk.unfinished:
                unfinished.add(number)
    finished = [f1 for number, f1 in enumerate(best) if number not in unfinished]
    return sum(finished) / len(finished) if finished else 0.0


def _f1(reached: set[str], gold: set[str]) -> float:
    common = len(reached & gold)
    return 2 * common / (len(reached) + len(gold)) if common else 0.0
