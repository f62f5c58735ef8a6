"""Questions made from the graph alone, for those who have none: every relation path gets some, in several wordings.

Asked about entities of every kind, so that each path that the graph knows occurs, and as often as any other: what
people will ask about is not known, so all of it is taken to be as likely.
"""

import random
from collections import defaultdict
from collections.abc import Sequence

from services.retriever.linking.mentions import MASK
from shared.graph.store import Entity, GraphStore, RelationPath
from training.retriever.examples import GoldPath, MaskedQuestion
from training.synthetic.questions import X, short_question

MAX_HOPS = 2
QUESTIONS = 12_000
_TOPICS = 4_000
_TOPICS_A_CALL = 200
_FEWEST, _MOST = 4, 150
_CHANCES = 4
_UNANSWERABLE = 0.03

_Chain = tuple[frozenset[str], ...]


async def invented_questions(store: GraphStore, seed: int) -> list[MaskedQuestion]:
    """Masked questions for the paths of up to two steps, and some that the topic they are asked about cannot answer.

    Raises DependencyError if the store does not answer.
    """
    source = random.Random(seed)
    places = await _places(store, source)
    paths = sorted(places, key=lambda path: (len(path), path))
    each = max(_FEWEST, min(_MOST, QUESTIONS // max(1, len(paths))))
    # Where there are more paths than questions, all single steps and some of the longer ones.
    short = [path for path in paths if len(path) == 1]
    long = [path for path in paths if len(path) > 1]
    room = max(0, QUESTIONS // each - len(short))
    chosen = short + source.sample(long, min(room, len(long)))
    found: dict[tuple[str, RelationPath, _Chain], MaskedQuestion] = {}
    for path in chosen:
        for _ in range(each):
            text, chain = _worded(path, source), source.choice(places[path])
            found[text, path, chain[:1]] = MaskedQuestion(text, GoldPath(path, chain), 1)
    return [*found.values(), *_unanswerable(list(found.values()), source)]


async def _places(store: GraphStore, source: random.Random) -> dict[RelationPath, list[_Chain]]:
    """For each path that some topics have, what leads on along it from a few of them."""
    topics = await store.sample_entities(_TOPICS)
    source.shuffle(topics)
    places: dict[RelationPath, list[_Chain]] = defaultdict(list)
    for start in range(0, len(topics), _TOPICS_A_CALL):
        chunk = topics[start : start + _TOPICS_A_CALL]
        first = await store.steps_after([(topic, ()) for topic in chunk])
        taken = [(topic, (step,)) for topic, steps in zip(chunk, first, strict=True) for step in sorted(steps)]
        around = {topic.id: steps for topic, steps in zip(chunk, first, strict=True)}
        after = await store.steps_after(taken)
        await _add(store, places, taken, around, after, source)
    return places


async def _add(
    store: GraphStore,
    places: dict[RelationPath, list[_Chain]],
    taken: Sequence[tuple[Entity, RelationPath]],
    around: dict[str, frozenset[str]],
    after: Sequence[frozenset[str]],
    source: random.Random,
) -> None:
    longer = []
    for (topic, path), steps in zip(taken, after, strict=True):
        places[path].append((around[topic.id], steps))
        some = source.sample(sorted(steps), min(_CHANCES, len(steps)))
        longer += [(topic, (*path, step), (around[topic.id], steps)) for step in some]
    ends = await store.steps_after([(topic, path) for topic, path, _ in longer])
    for (_, path, chain), steps in zip(longer, ends, strict=True):
        places[path].append((*chain, steps))


def _worded(path: RelationPath, source: random.Random) -> str:
    text = short_question(path, source.choice).replace(X, MASK)
    return f"{text} ?" if source.random() < 0.5 else text


def _unanswerable(questions: Sequence[MaskedQuestion], source: random.Random) -> list[MaskedQuestion]:
    """Questions put to topics that have no such relation, whichever of the paths worded so is meant."""
    begun: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        begun[question.text].add(question.path[0])
    found = []
    for question in source.sample(questions, round(len(questions) * _UNANSWERABLE)):
        other = source.choice(questions)
        if begun[question.text].isdisjoint(other.allowed[0]):
            found.append(MaskedQuestion(question.text, GoldPath((), other.allowed[:1]), 1))
    return found
