"""Turn question records into training examples: masked questions with gold paths through the graph."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from typing import ClassVar

from graph.store import Entity, GraphStore, RelationPath, split_step
from language.english.english import english
from question_sets.records import QuestionRecord
from services.retriever.linking.masking import MASK, masked_question
from services.retriever.linking.topic_mentions import find_topic_mentions
from shared.errors import InvalidInputError
from shared.text import words

_NAMES_PER_CALL = 1000
_PATHS_PER_CALL = 500
_MAX_RELATIONS_NAMED = 10
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class GoldPath:
    """Hold a relation path that may be the one a question asks for.

    `allowed` has one set of steps for each prefix of the path, from the empty prefix to the whole path: the steps that
    can follow the prefix in the graph. It is empty if the topic is unknown. `f1` compares the entities that the path
    reaches with the gold answers, averaged over the questions that share a masked text.
    """

    relations: RelationPath
    allowed: tuple[frozenset[str], ...]
    f1: float = 1.0


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """Hold a masked question with its gold path; `count` is the number of records that share both.

    If the path was not given but found by weak supervision, `candidates` holds all possible paths.
    """

    text: str
    gold: GoldPath
    count: int
    candidates: tuple[GoldPath, ...] = ()

    @property
    def path(self) -> RelationPath:
        """Return the relations of the gold path."""
        return self.gold.relations

    @property
    def topic_steps(self) -> frozenset[str]:
        """Return the steps that leave the topic."""
        return self.gold.allowed[0] if self.gold.allowed else frozenset()

    def with_path(self, path: RelationPath) -> "MaskedQuestion":
        """Return the same question with a different candidate as the gold path."""
        return replace(self, gold=next((gold for gold in self.candidates if gold.relations == path), self.gold))


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """Hold a paper-mode question: its text as the user asked it, and its gold path, which is not empty."""

    text: str
    path: RelationPath
    count: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class ClassifierExample:
    """Hold a paper-mode example: a text and its class, or `UNKNOWN` if the class does not occur in training."""

    text: str
    target: int


@dataclass(frozen=True, slots=True)
class AnswerOnlyQuestion:
    """Hold a masked question with its topic and its answers, but without the path between them."""

    text: str
    topic: Entity
    answers: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class PreparedQuestions:
    """Hold the examples from a question file, and the number of records with each problem to warn about.

    `texts` and `question_words` are as returned by `mask_topics`.
    """

    with_path: tuple[MaskedQuestion, ...]
    answer_only: tuple[AnswerOnlyQuestion, ...]
    texts: list[str]
    question_words: tuple[str, ...]
    problems: dict[str, int]


async def prepare_questions(store: GraphStore, records: Sequence[QuestionRecord]) -> PreparedQuestions:
    """Mask the topics, and merge equal questions that have a path; raise the same errors as `check_relations`."""
    check_relations(records, await store.relations())
    topics = await find_entities(store, {record.topic for record in records if record.topic})
    texts, question_words, unmentioned = await mask_topics(store, records)
    pairs = list(zip(texts, records, strict=True))
    with_path = [(text, record) for text, record in pairs if record.path is not None]
    answer_only = await _answer_only(store, [(text, record) for text, record in pairs if record.path is None], topics)
    unusable = len(records) - len(with_path) - len(answer_only)
    unknown_topics = sum(record.topic is not None and record.topic not in topics for _, record in with_path)
    problems = {
        "questions without a path whose topic or answers the graph does not know were left out": unusable,
        "questions whose topic entity the graph does not know are less useful for training": unknown_topics,
        "questions that do not mention their topic entity were used unmasked": unmentioned,
    }
    return PreparedQuestions(await _merge(store, with_path, topics), answer_only, texts, question_words, problems)


async def mask_topics(store: GraphStore, records: Sequence[QuestionRecord]) -> tuple[list[str], tuple[str, ...], int]:
    """Return each question with its topic masked, the question words, and the number of unmentioned topics.

    A question that does not mention its topic is left unchanged. Question words occur more often outside mentions than
    inside them. This excludes words such as `united`, which a mention that was not masked may leave in the text.
    """
    with_topic = [record for record in records if record.topic]
    found = await find_topic_mentions(store, [(english(record.question), record.topic or "") for record in with_topic])
    mentions = {id(record): mention for record, mention in zip(with_topic, found, strict=True)}
    texts = [masked_question(record.question, mentions.get(id(record))) for record in records]
    beside = Counter(word for text in set(texts) if MASK in text for word in set(words(text.replace(MASK, " "))))
    within = Counter(word for mention in set(found) if mention for word in set(mention.name.split()))
    question_words = tuple(sorted(word for word, count in beside.items() if count > max(2, within[word])))
    return texts, question_words, found.count(None)


def check_relations(records: Sequence[QuestionRecord], relations: Iterable[str]) -> None:
    """Raise InvalidInputError if a path uses a relation that the graph does not have."""
    known = set(relations)
    for number, record in enumerate(records, 1):
        for step in record.path or ():
            relation = split_step(step)[0]
            if relation not in known:
                names = sorted(known)
                near = get_close_matches(relation, names, n=3, cutoff=0.4) or names[:_MAX_RELATIONS_NAMED]
                more = f" and {len(names) - len(near)} more" if len(names) > len(near) else ""
                raise InvalidInputError(
                    f"question {number} ({record.question!r}): the graph has no relation {relation!r}; correct the "
                    f"path, or import the missing facts (its relations include {', '.join(near)}{more})"
                )


def is_latin(texts: Iterable[str]) -> bool:
    """Return whether at least half of the letters are Latin; MiniLM's vocabulary contains few other letters."""
    letters = [letter for letter in chain.from_iterable(texts) if letter.isalpha()]
    latin = sum(letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return latin >= 0.5 * len(letters)


async def _merge(
    store: GraphStore, pairs: Sequence[tuple[str, QuestionRecord]], topics: Mapping[str, list[Entity]]
) -> tuple[MaskedQuestion, ...]:
    groups: dict[tuple[str, RelationPath, frozenset[str]], list[tuple[frozenset[str], ...]]] = {}
    chains = await _allowed_steps(store, [record for _, record in pairs], topics)
    for (text, record), allowed in zip(pairs, chains, strict=True):
        groups.setdefault((text, record.path or (), allowed[0] if allowed else frozenset()), []).append(allowed)
    return tuple(MaskedQuestion(text, GoldPath(path, c[0]), len(c)) for (text, path, _), c in groups.items())


async def _answer_only(
    store: GraphStore, pairs: Sequence[tuple[str, QuestionRecord]], topics: Mapping[str, list[Entity]]
) -> tuple[AnswerOnlyQuestion, ...]:
    entities = await find_entities(store, {answer for _, record in pairs for answer in record.answers})
    return tuple(
        AnswerOnlyQuestion(text, bearers[0], answers)
        for text, record in pairs
        if (bearers := topics.get(record.topic or ""))
        and (answers := tuple(entities[answer][0] for answer in record.answers if answer in entities))
    )


async def find_entities(store: GraphStore, names: Iterable[str]) -> dict[str, list[Entity]]:
    """Map each name that the graph knows to its entities, with the best-known entity first."""
    wanted = sorted(names)
    known: dict[str, list[Entity]] = {}
    for start in range(0, len(wanted), _NAMES_PER_CALL):
        chunk = wanted[start : start + _NAMES_PER_CALL]
        for name, matches in zip(chunk, await store.entities_named(chunk), strict=True):
            if matches:
                known[name] = [match.entity for match in matches]
    return known


async def _allowed_steps(
    store: GraphStore, records: Sequence[QuestionRecord], topics: Mapping[str, list[Entity]]
) -> list[tuple[frozenset[str], ...]]:
    """Return the allowed steps along each record's path, starting at the best-known topic entity that has the path."""
    paths = [(topics.get(record.topic or "", ()), record.path or ()) for record in records]
    prefixes = [(entities, path[:length]) for entities, path in paths for length in range(len(path) + 1)]
    places = list(dict.fromkeys((entity, path) for entities, path in prefixes for entity in entities))
    steps: dict[tuple[Entity, RelationPath], frozenset[str]] = {}
    for start in range(0, len(places), _PATHS_PER_CALL):
        chunk = places[start : start + _PATHS_PER_CALL]
        steps.update(zip(chunk, await store.steps_after(chunk), strict=True))

    found = []
    for entities, path in paths:
        chains = (tuple(steps[entity, path[:length]] for length in range(len(path) + 1)) for entity in entities)
        complete = (allowed for allowed in chains if all(step in at for step, at in zip(path, allowed, strict=False)))
        found.append(next(complete, ()))
    return found
