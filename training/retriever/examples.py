"""Training examples: masked questions, and where in the graph their gold relation paths lead."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from question_sets.records import QuestionRecord
from services.retriever.linking.mentions import MASK, Mention, masked_question
from services.retriever.linking.topic_mentions import find_topic_mentions
from shared.errors import InvalidInputError
from shared.graph.store import Entity, GraphStore, RelationPath, split_step
from shared.text import words

_LOOKUPS_A_CALL = 1000
_PLACES_A_CALL = 500
_NAMED = 10


@dataclass(frozen=True, slots=True)
class GoldPath:
    """A relation path that a question may mean.

    `allowed`: the steps that lead on from the topic and from the end of each beginning of the path, which is one set
    more than the path has steps; empty where the topic is not known. `fit`: how well what it reaches agrees with the
    question's answers, mean F1.
    """

    relations: RelationPath
    allowed: tuple[frozenset[str], ...]
    fit: float = 1.0


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """A masked question with its gold relation path; `count` questions of the file read so once masked.

    `rivals`: where the path is not told but found by the answers, all paths that it may be.
    """

    text: str
    gold: GoldPath
    count: int
    rivals: tuple[GoldPath, ...] = ()

    @property
    def path(self) -> RelationPath:
        """The gold path."""
        return self.gold.relations

    @property
    def allowed(self) -> tuple[frozenset[str], ...]:
        """What leads on along the gold path."""
        return self.gold.allowed

    def read_as(self, path: RelationPath) -> "MaskedQuestion":
        """The same question with another of its paths."""
        return replace(self, gold=next((gold for gold in self.rivals if gold.relations == path), self.gold))

    @property
    def topic_steps(self) -> frozenset[str]:
        """The steps that lead away from the topic."""
        return self.allowed[0] if self.allowed else frozenset()


@dataclass(frozen=True, slots=True)
class Untold:
    """A masked question that tells its topic and answers, and not the path between them."""

    text: str
    topic: Entity
    answers: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a file of questions comes to, and how many of its questions could be used in part or not at all.

    `texts`: the masked text of each record. `questions` tell their path, `untold` do not; `useless`: neither path nor a
    topic and answers that the graph knows.
    """

    texts: tuple[str, ...]
    questions: tuple[MaskedQuestion, ...]
    untold: tuple[Untold, ...]
    question_words: tuple[str, ...]
    records: int
    useless: int
    unknown_topics: int
    unmentioned_topics: int


@dataclass(frozen=True, slots=True)
class MaskedTopics:
    """The masked text of each record, the words that stand beside the masks, and how many topics are not mentioned."""

    texts: tuple[str, ...]
    question_words: tuple[str, ...]
    unmentioned: int


async def prepare(store: GraphStore, records: Sequence[QuestionRecord]) -> Prepared:
    """Mask the topics of all questions, and merge those whose path is told and that then read the same.

    A topic that the question does not mention stays as it is written. Raises
    InvalidInputError for a relation that the graph does not have.
    """
    check_relations(records, await store.relations())
    known = await _known(store, {record.topic for record in records if record.topic})
    topics = await mask_topics(store, records)
    masked = list(zip(topics.texts, records, strict=True))
    told = [(text, record) for text, record in masked if record.path is not None]
    untold = await _untold(store, [(text, record) for text, record in masked if record.path is None], known)
    return Prepared(
        texts=topics.texts,
        questions=await _merged(store, told, known),
        untold=untold,
        question_words=topics.question_words,
        records=len(records),
        useless=len(records) - len(told) - len(untold),
        unknown_topics=sum(record.topic is not None and record.topic not in known for _, record in told),
        unmentioned_topics=topics.unmentioned,
    )


async def mask_topics(store: GraphStore, records: Sequence[QuestionRecord]) -> MaskedTopics:
    """Mask the topics of all questions; one that the question does not mention stays as it is written."""
    with_topic = [record for record in records if record.topic]
    found = await find_topic_mentions(store, [(record.question, record.topic or "") for record in with_topic])
    mentions = {id(record): mention for record, mention in zip(with_topic, found, strict=True)}
    texts = tuple(masked_question(record.question, mentions.get(id(record))) for record in records)
    return MaskedTopics(
        texts=texts,
        question_words=_question_words(sorted(set(texts)), {mention for mention in found if mention}),
        unmentioned=sum(mention is None for mention in found),
    )


async def _merged(
    store: GraphStore, told: Sequence[tuple[str, QuestionRecord]], known: Mapping[str, list[Entity]]
) -> tuple[MaskedQuestion, ...]:
    merged: dict[tuple[str, RelationPath, frozenset[str]], list[tuple[frozenset[str], ...]]] = {}
    chains = await _allowed(store, [record for _, record in told], known)
    for (text, record), chain in zip(told, chains, strict=True):
        merged.setdefault((text, record.path or (), chain[0] if chain else frozenset()), []).append(chain)
    return tuple(MaskedQuestion(text, GoldPath(path, c[0]), len(c)) for (text, path, _), c in merged.items())


async def _untold(
    store: GraphStore, masked: Sequence[tuple[str, QuestionRecord]], known: Mapping[str, list[Entity]]
) -> tuple[Untold, ...]:
    answers = await _known(store, {answer for _, record in masked for answer in record.answers})
    found = []
    for text, record in masked:
        bearers = known.get(record.topic or "", [])
        reached = tuple(answers[answer][0] for answer in record.answers if answer in answers)
        if bearers and reached:
            found.append(Untold(text, bearers[0], reached))
    return tuple(found)


def check_relations(records: Sequence[QuestionRecord], relations: Iterable[str]) -> None:
    """Raises InvalidInputError for a relation that the graph does not have."""
    known = set(relations)
    for number, record in enumerate(records, 1):
        for step in record.path or ():
            relation = split_step(step)[0]
            if relation not in known:
                near = get_close_matches(relation, sorted(known), n=3, cutoff=0.4) or sorted(known)[:_NAMED]
                more = f" and {len(known) - len(near)} more" if len(known) > len(near) else ""
                raise InvalidInputError(
                    f"question {number} ({record.question!r}): the graph has no relation {relation!r}, "
                    f"it has {', '.join(near)}{more}"
                )


async def _known(store: GraphStore, names: Iterable[str]) -> dict[str, list[Entity]]:
    """The entities that bear each name, best known first; names that the graph does not know are left out."""
    asked = sorted(names)
    known: dict[str, list[Entity]] = {}
    for start in range(0, len(asked), _LOOKUPS_A_CALL):
        chunk = asked[start : start + _LOOKUPS_A_CALL]
        matches = await store.entities_named(chunk)
        known.update(
            (name, [match.entity for match in found]) for name, found in zip(chunk, matches, strict=True) if found
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
