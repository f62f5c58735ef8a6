"""Training examples: masked questions, and where in the graph their gold relation paths lead."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.retriever.linking import find_mentions
from services.retriever.mentions import MASK, Mention, masked_question
from shared.errors import InvalidInputError
from shared.graph.store import Entity, GraphStore, RelationPath, step_relation
from shared.questions import QuestionRecord
from shared.text import words

_LOOKUPS_A_CALL = 1000
_PLACES_A_CALL = 500


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """A masked question with its gold relation path.

    `allowed`: the steps that lead on from the topic and from the end of each beginning of the path, which is one set
    more than the path has steps; empty where the topic is not known. `count` questions of the file read so once masked.
    """

    text: str
    path: RelationPath
    allowed: tuple[frozenset[str], ...]
    count: int

    @property
    def topic_steps(self) -> frozenset[str]:
        """The steps that lead away from the topic."""
        return self.allowed[0] if self.allowed else frozenset()


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a file of questions comes to, and how many of its questions could be used in part or not at all."""

    questions: tuple[MaskedQuestion, ...]
    question_words: tuple[str, ...]
    records: int
    without_path: int
    unknown_topics: int
    unmentioned_topics: int


async def prepare(store: GraphStore, records: Sequence[QuestionRecord]) -> Prepared:
    """Mask the topics of all questions whose path is known and merge those that then read the same.

    A topic that the graph does not know, or that the question does not mention, stays as it is written. Raises
    InvalidInputError if no path is known, or for a relation that the graph does not have.
    """
    usable = [record for record in records if record.path is not None]
    if not usable:
        raise InvalidInputError(
            f"none of the {len(records)} questions tells its relation path (`path`); training needs them"
        )
    _check_relations(records, await store.relations())
    known = await _known_topics(store, usable)
    allowed = await _allowed(store, usable, known)
    with_topic = [record for record in usable if record.topic in known]
    found = await find_mentions(store, [(record.question, record.topic or "") for record in with_topic])
    mentions = {id(record): mention for record, mention in zip(with_topic, found, strict=True)}
    merged: dict[tuple[str, RelationPath, frozenset[str]], list[tuple[frozenset[str], ...]]] = {}
    for record, chain in zip(usable, allowed, strict=True):
        text = masked_question(record.question, mentions.get(id(record)))
        merged.setdefault((text, record.path or (), chain[0] if chain else frozenset()), []).append(chain)
    return Prepared(
        questions=tuple(MaskedQuestion(text, path, c[0], len(c)) for (text, path, _), c in merged.items()),
        question_words=_question_words(
            sorted({text for text, _, _ in merged}), {mention for mention in found if mention}
        ),
        records=len(records),
        without_path=len(records) - len(usable),
        unknown_topics=sum(record.topic is not None and record.topic not in known for record in usable),
        unmentioned_topics=sum(mention is None for mention in found),
    )


def _check_relations(records: Sequence[QuestionRecord], relations: Iterable[str]) -> None:
    known = set(relations)
    for number, record in enumerate(records, 1):
        for step in record.path or ():
            if step_relation(step)[0] not in known:
                raise InvalidInputError(
                    f"question {number} ({record.question!r}): the graph has no relation {step_relation(step)[0]!r}"
                )


async def _known_topics(store: GraphStore, records: Sequence[QuestionRecord]) -> dict[str, list[Entity]]:
    """The entities that bear each topic's name, best known first; topics that the graph does not know are left out."""
    topics = sorted({record.topic for record in records if record.topic})
    known: dict[str, list[Entity]] = {}
    for start in range(0, len(topics), _LOOKUPS_A_CALL):
        chunk = topics[start : start + _LOOKUPS_A_CALL]
        matches = await store.entities_named(chunk)
        known.update(
            (topic, [match.entity for match in found]) for topic, found in zip(chunk, matches, strict=True) if found
        )
    return known


async def _allowed(
    store: GraphStore, records: Sequence[QuestionRecord], known: Mapping[str, list[Entity]]
) -> list[tuple[frozenset[str], ...]]:
    """What leads on along each record's path; of several entities of one name, the best known that has its path."""
    places = dict.fromkeys(
        (entity, (record.path or ())[:length])
        for record in records
        for entity in known.get(record.topic or "", ())
        for length in range(len(record.path or ()) + 1)
    )
    steps: dict[tuple[Entity, RelationPath], frozenset[str]] = {}
    asked = list(places)
    for start in range(0, len(asked), _PLACES_A_CALL):
        chunk = asked[start : start + _PLACES_A_CALL]
        steps.update(zip(chunk, await store.steps_after(chunk), strict=True))
    return [_fitting(record.path or (), known.get(record.topic or "", ()), steps) for record in records]


def _fitting(
    path: RelationPath, bearers: Sequence[Entity], steps: Mapping[tuple[Entity, RelationPath], frozenset[str]]
) -> tuple[frozenset[str], ...]:
    for entity in bearers:
        chain = tuple(steps[entity, path[:length]] for length in range(len(path) + 1))
        if all(step in allowed for step, allowed in zip(path, chain, strict=False)):
            return chain
    return ()


def _question_words(masked: Sequence[str], mentioned: Iterable[Mention]) -> tuple[str, ...]:
    """Words that masked questions use, unless names use them more: `united` may slip through a missed mention."""
    beside = Counter(word for text in masked if MASK in text for word in set(words(text.replace(MASK, " "))))
    within = Counter(word for mention in mentioned for word in set(mention.name.split()))
    return tuple(sorted(word for word, count in beside.items() if count > max(2, within[word])))
