"""Choose the walk rule of a graph: the rule under which gold paths lead most accurately to the gold answers."""

import random
from collections.abc import Sequence

from graph.store import Entity, GraphStore, PathWalk, WalkRule
from question_sets.records import QuestionRecord
from shared.exact_match import exact

# The first rule wins ties: Neo4j patterns match trails, and users do not ask whether France borders France.
RULES = (WalkRule("trail", True), WalkRule("trail", False), WalkRule("walk", True), WalkRule("walk", False))
_SAMPLE = 400
_PATHS_PER_CALL = 100


async def fit_walk_rule(
    store: GraphStore, records: Sequence[QuestionRecord], seed: int
) -> tuple[WalkRule, dict[str, float]]:
    """Return the best rule, and the mean F1 of each rule on a sample of the records.

    Data sets differ: MetaQA's answers follow trails that exclude the topic; PathQuestion's follow walks that include
    it. Only records with a topic, a path, and answers count. If there are none, return the first rule and no scores.
    """
    usable = [record for record in records if record.topic and record.path and record.answers]
    sample = random.Random(seed).sample(usable, min(_SAMPLE, len(usable)))
    topics = await store.entities_named([record.topic or "" for record in sample])
    cases = [
        (record, [match.entity for match in matches if not match.is_alias] or [match.entity for match in matches])
        for record, matches in zip(sample, topics, strict=True)
        if matches
    ]
    if not cases:
        return RULES[0], {}
    return best_rule([await _mean_f1(store, cases, rule) for rule in RULES])


def best_rule(scores: Sequence[float]) -> tuple[WalkRule, dict[str, float]]:
    """Return the rule with the highest score, compared to 6 decimal places, and the score of each rule by name."""
    rounded = [round(score, 6) for score in scores]
    return RULES[rounded.index(max(rounded))], dict(zip(map(rule_name, RULES), scores, strict=True))


def rule_name(rule: WalkRule) -> str:
    """Describe a rule in words for reports, such as `trail, topic excluded`."""
    return f"{rule.mode}, topic {'excluded' if rule.exclude_topic else 'included'}"


def answer_f1(walk: PathWalk, gold: set[str]) -> float:
    """Return the F1 of the names that a walk reaches, matched exactly against the gold names."""
    reached = {exact(answer.entity.name) for answer in walk.reached}
    common = len(reached & gold)
    return 2 * common / (len(reached) + len(gold)) if common else 0.0


async def _mean_f1(
    store: GraphStore, cases: Sequence[tuple[QuestionRecord, Sequence[Entity]]], rule: WalkRule
) -> float:
    """Return the mean F1 over the records whose walks finished, starting from the best entity with the topic's name."""
    starts = [(number, (topic, record.path or ())) for number, (record, topics) in enumerate(cases) for topic in topics]
    best = [0.0] * len(cases)
    unfinished: set[int] = set()
    for first in range(0, len(starts), _PATHS_PER_CALL):
        chunk = starts[first : first + _PATHS_PER_CALL]
        walks = await store.walk([start for _, start in chunk], rule)
        for (number, _), walk in zip(chunk, walks, strict=True):
            gold = {exact(answer) for answer in cases[number][0].answers}
            best[number] = max(best[number], answer_f1(walk, gold))
            if walk.unfinished:
                unfinished.add(number)
    finished = [f1 for number, f1 in enumerate(best) if number not in unfinished]
    return sum(finished) / len(finished) if finished else 0.0
