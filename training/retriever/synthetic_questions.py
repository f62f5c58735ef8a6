"""Generate training questions from the graph alone, with several wordings for every relation path.

The topics are entities of every kind, so that every kind of path occurs. Every path gets the same number of questions,
because nothing is known yet about what users will ask.
"""

import random
from collections import defaultdict
from collections.abc import Sequence

from graph.store import Entity, GraphStore, RelationPath
from services.retriever.linking.masking import MASK
from training.retriever.examples import GoldPath, MaskedQuestion
from training.synthetic.questions import X, short_question

MAX_HOPS = 2
MAX_QUESTIONS = 12_000
_MAX_TOPICS = 4_000
_TOPICS_PER_CALL = 200
_MIN_PER_PATH, _MAX_PER_PATH = 4, 150
_SECOND_STEPS = 4
_UNANSWERABLE_SHARE = 0.03

_Chain = tuple[frozenset[str], ...]
_Chains = dict[RelationPath, list[_Chain]]
_Place = tuple[Entity, RelationPath, _Chain]


async def generate_questions(store: GraphStore, seed: int, most: int = MAX_QUESTIONS) -> list[MaskedQuestion]:
    """Return masked questions for paths of one and two steps, and some that the graph cannot answer for their topic.

    There are about `most` questions, or more if the graph has more relations.
    """
    source = random.Random(seed)
    chains = await _sample_chains(store, source)
    paths = sorted(chains, key=lambda path: (len(path), path))
    per_path = max(_MIN_PER_PATH, min(_MAX_PER_PATH, most // max(1, len(paths))))
    # If not all paths fit, keep all single steps and a sample of the longer paths.
    short = [path for path in paths if len(path) == 1]
    long = [path for path in paths if len(path) > 1]
    room = max(0, most // per_path - len(short))
    found: dict[tuple[str, RelationPath, _Chain], MaskedQuestion] = {}
    for path in short + source.sample(long, min(room, len(long))):
        for _ in range(per_path):
            text = short_question(path, source.choice).replace(X, MASK)
            text = f"{text} ?" if source.random() < 0.5 else text
            chain = source.choice(chains[path])
            found[text, path, chain[:1]] = MaskedQuestion(text, GoldPath(path, chain), 1)
    questions = list(found.values())
    return questions + _unanswerable(questions, source)


async def _sample_chains(store: GraphStore, source: random.Random) -> _Chains:
    """Sample topics, and map each of their paths to the allowed steps along it, with one entry per topic."""
    topics = await store.sample_entities(_MAX_TOPICS)
    source.shuffle(topics)
    chains: _Chains = defaultdict(list)
    for start in range(0, len(topics), _TOPICS_PER_CALL):
        chunk = topics[start : start + _TOPICS_PER_CALL]
        around = await store.steps_after([(topic, ()) for topic in chunk])
        first = [
            (topic, (step,), (steps,)) for topic, steps in zip(chunk, around, strict=True) for step in sorted(steps)
        ]
        second = []
        for topic, path, chain in await _add_chains(store, first, chains):
            steps = source.sample(sorted(chain[-1]), min(_SECOND_STEPS, len(chain[-1])))
            second += [(topic, (*path, step), chain) for step in steps]
        await _add_chains(store, second, chains)
    return chains


async def _add_chains(store: GraphStore, places: Sequence[_Place], chains: _Chains) -> list[_Place]:
    """Extend the chain of each path with the steps that can follow the path, and add the chain to `chains`."""
    ends = await store.steps_after([(topic, path) for topic, path, _ in places])
    completed = [(topic, path, (*chain, steps)) for (topic, path, chain), steps in zip(places, ends, strict=True)]
    for _, path, chain in completed:
        chains[path].append(chain)
    return completed


def _unanswerable(questions: Sequence[MaskedQuestion], source: random.Random) -> list[MaskedQuestion]:
    """Pair some questions with topics that lack the first step of every path that shares the question's wording."""
    first_steps: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        first_steps[question.text].add(question.path[0])
    found = []
    for question in source.sample(questions, round(len(questions) * _UNANSWERABLE_SHARE)):
        other = source.choice(questions)
        if first_steps[question.text].isdisjoint(other.topic_steps):
            found.append(MaskedQuestion(question.text, GoldPath((), other.gold.allowed[:1]), 1))
    return found
