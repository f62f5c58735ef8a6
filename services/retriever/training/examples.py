"""Training examples: masked questions and the hop number or next relation step that each should lead to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.retriever.linking import find_mentions
from services.retriever.mentions import MASK, Mention, masked_question
from services.retriever.model import Query
from services.retriever.relation_paths import step_input
from services.retriever.surroundings import steps_around
from shared.errors import InvalidInputError
from shared.graph.store import Entity, GraphStore, RelationPath, step_relation
from shared.questions import QuestionRecord
from shared.text import words

_LOOKUPS_A_CALL = 1000
_ENTITIES_A_CALL = 50


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """A masked question, what leads away from its topic, and its gold relation path.

    `count` questions of the file read so once masked.
    """

    text: str
    topic_steps: frozenset[str]
    path: RelationPath
    count: int


@dataclass(frozen=True, slots=True)
class Example:
    """One input of the network. `hop` is None after step 1; `step` is None where the graph cannot answer."""

    question: str
    topic_steps: frozenset[str]
    prefix: RelationPath
    hop: int | None
    step: str | None
    weight: float

    @property
    def query(self) -> Query:
        """The model's input (RRA eq. 11)."""
        return Query(step_input(self.question, self.prefix), self.topic_steps)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a file of questions comes to, and how many of its questions could be used in part or not at all."""

    questions: tuple[MaskedQuestion, ...]
    steps: tuple[str, ...]
    question_words: tuple[str, ...]
    records: int
    without_path: int
    unknown_topics: int
    unmentioned_topics: int


async def prepare(store: GraphStore, records: Sequence[QuestionRecord], steps: Sequence[str] | None = None) -> Prepared:
    """Mask the topics of all questions whose path is known and merge those that then read the same.

    `steps`: the relation steps that the model knows, by default those of the questions' paths.
    A topic that the graph does not know, or that the question does not mention, stays as it is written. Raises
    InvalidInputError if no path is known, or for a relation that the graph does not have.
    """
    usable = [record for record in records if record.path is not None]
    if not usable:
        raise InvalidInputError(
            f"none of the {len(records)} questions tells its relation path (`path`); training needs them"
        )
    _check_relations(records, await store.relations())
    steps = steps or sorted({step for record in usable for step in record.path or ()})
    known = await _known_topics(store, usable)
    around = await _around(store, usable, known, steps)
    with_topic = [record for record in usable if record.topic in known]
    found = await find_mentions(store, [(record.question, record.topic or "") for record in with_topic])
    mentions = {id(record): mention for record, mention in zip(with_topic, found, strict=True)}
    merged = Counter(
        (masked_question(record.question, mentions.get(id(record))), topic_steps, record.path or ())
        for record, topic_steps in zip(usable, around, strict=True)
    )
    return Prepared(
        questions=tuple(MaskedQuestion(*key, count) for key, count in merged.items()),
        steps=tuple(steps),
        question_words=_question_words(
            sorted({text for text, _, _ in merged}), {mention for mention in found if mention}
        ),
        records=len(records),
        without_path=len(records) - len(usable),
        unknown_topics=sum(record.topic is not None and record.topic not in known for record in usable),
        unmentioned_topics=sum(mention is None for mention in found),
    )


def examples_of(questions: Iterable[MaskedQuestion]) -> list[Example]:
    """One example a step: hop and first relation from the question, each later one from the gold path before it.

    This is teacher forcing as in RRA, section 4.1.1. A question that many lines share weighs the root of their
    number: by the number itself a template of ten thousand lines would drown the others.
    """
    return [example for question in questions for example in _examples(question)]


def _examples(question: MaskedQuestion) -> Iterator[Example]:
    weight = question.count**0.5
    first = question.path[0] if question.path else None
    yield Example(question.text, question.topic_steps, (), len(question.path), first, weight)
    for step in range(1, len(question.path)):
        yield Example(question.text, question.topic_steps, question.path[:step], None, question.path[step], weight)


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


async def _around(
    store: GraphStore, records: Sequence[QuestionRecord], known: Mapping[str, list[Entity]], steps: Sequence[str]
) -> list[frozenset[str]]:
    """The steps around each record's topic; of several entities of one name, the best known that the path can leave."""
    entities = list(dict.fromkeys(entity for bearers in known.values() for entity in bearers))
    around: dict[Entity, frozenset[str]] = {}
    for start in range(0, len(entities), _ENTITIES_A_CALL):
        chunk = entities[start : start + _ENTITIES_A_CALL]
        around.update(zip(chunk, await steps_around(store, chunk, steps), strict=True))
    found = []
    for record in records:
        bearers = known.get(record.topic or "", [])
        fitting = [entity for entity in bearers if not record.path or record.path[0] in around[entity]]
        found.append(next((around[entity] for entity in fitting or bearers), frozenset()))
    return found


def _question_words(masked: Sequence[str], mentioned: Iterable[Mention]) -> tuple[str, ...]:
    """Words that masked questions use, unless names use them more: `united` may slip through a missed mention."""
    beside = Counter(word for text in masked if MASK in text for word in set(words(text.replace(MASK, " "))))
    within = Counter(word for mention in mentioned for word in set(mention.name.split()))
    return tuple(sorted(word for word, count in beside.items() if count > max(2, within[word])))
