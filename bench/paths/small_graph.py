"""Generate a small graph with 400 relations, half of them inverses of the others, and questions along its paths.

The facts come from WebQSP, limited to the 200 relations with the most facts. The questions are synthetic: each one
describes a chain of one to three relations by the last parts of their names, in varying wordings. Each chain has few
questions, and some chains occur only in the test set.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from question_sets.conversion import OutputFolder, parse_triples
from question_sets.records import QuestionRecord
from shared.text import readable
from shared.triple import Triple

RELATIONS = 200
QUESTIONS = 1500
_CHAINS = 300
_INVERSE = ".inverse"
_MAX_ANSWERS = 30
_SHARES = (0.8, 0.1, 0.1)
# Matches the Freebase ids of mediators and of entities without a name.
_NAMELESS = re.compile(r"_:|[mg]\.\w+$")

_FORWARDS = ("the {r} of {x}", "{x} 's {r}", "the {r} that {x} has", "{r} of {x}")
_BACKWARDS = ("the one whose {r} is {x}", "what has {x} as {r}", "the one with {r} {x}", "what {x} is the {r} of")
_OPENINGS = (
    "what is {c}?",
    "who or what is {c}",
    "tell me {c}",
    "name {c}.",
    "{c}",
    "do you know {c}?",
    "which is {c}",
)

_Steps = Mapping[str, Mapping[str, Sequence[str]]]


def write_small_graph(source: Path, out: Path, seed: int) -> None:
    """Write `graph.tsv` and `{train,valid,test}.jsonl` to `out`, using the TSV facts in `source`."""
    chance = random.Random(seed)
    facts = _facts(source)
    steps = _steps(facts)
    records = _records(steps, chance)
    output = OutputFolder(out)
    output.write_graph("graph.tsv", facts)
    chance.shuffle(records)
    train, valid = (round(share * len(records)) for share in _SHARES[:2])
    parts = {"train": records[:train], "valid": records[train : train + valid], "test": records[train + valid :]}
    for name, part in parts.items():
        output.write_questions(f"{name}.jsonl", part)


def _facts(source: Path) -> list[Triple]:
    """Return the facts with the most frequent relations, and the reverse of each fact under an inverse relation."""
    rows = list(parse_triples(source))
    kept = {relation for relation, _ in Counter(row.relation for row in rows).most_common(RELATIONS)}
    forwards = [row for row in rows if row.relation in kept]
    return forwards + [Triple(row.object, row.relation + _INVERSE, row.subject) for row in forwards]


def _steps(facts: Sequence[Triple]) -> _Steps:
    steps: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        steps[fact.subject][fact.relation].append(fact.object)
    return steps


def _records(steps: _Steps, chance: random.Random) -> list[QuestionRecord]:
    topics = [entity for entity in sorted(steps) if not _NAMELESS.match(entity)]
    chains = sorted({_chain(steps, chance.choice(topics), chance) for _ in range(20 * _CHAINS)} - {()})
    chosen = chance.sample(chains, _CHAINS)
    starts = {
        chain: [topic for topic in topics if 0 < len(_reached(steps, topic, chain)) <= _MAX_ANSWERS] for chain in chosen
    }
    asked: dict[tuple[str, str], QuestionRecord] = {}
    for _ in range(20 * QUESTIONS):
        # Draw a few chains often and most chains rarely.
        chain = chosen[int(_CHAINS * chance.random() ** 2)]
        if starts[chain] and len(asked) < QUESTIONS:
            topic = chance.choice(starts[chain])
            question = _phrase(chain, topic, chance)
            answers = tuple(sorted(_reached(steps, topic, chain)))
            asked[question, topic] = QuestionRecord(question=question, topic=topic, answers=answers, path=chain)
    return list(asked.values())


def _chain(steps: _Steps, topic: str, chance: random.Random) -> tuple[str, ...]:
    """Return the relations of a random walk of one to three steps in which no step reverses the previous one."""
    chain: tuple[str, ...] = ()
    here = topic
    for _ in range(chance.choice((1, 2, 2, 3))):
        around = [step for step in sorted(steps[here]) if not chain or step != _reversed(chain[-1])]
        if not around:
            return ()
        chain = (*chain, chance.choice(around))
        here = chance.choice(steps[here][chain[-1]])
    return chain


def _reached(steps: _Steps, topic: str, chain: tuple[str, ...]) -> set[str]:
    here = {topic}
    for step in chain:
        here = {end for entity in here for end in steps.get(entity, {}).get(step, ())}
    return {entity for entity in here if entity != topic and not _NAMELESS.match(entity)}


def _reversed(relation: str) -> str:
    return relation.removesuffix(_INVERSE) if relation.endswith(_INVERSE) else relation + _INVERSE


def _phrase(chain: tuple[str, ...], topic: str, chance: random.Random) -> str:
    text = topic
    for step in chain:
        name = readable(step.removesuffix(_INVERSE).rsplit(".", 1)[-1])
        patterns = _BACKWARDS if step.endswith(_INVERSE) else _FORWARDS
        text = chance.choice(patterns).replace("{r}", name).replace("{x}", text)
    return chance.choice(_OPENINGS).replace("{c}", text)
