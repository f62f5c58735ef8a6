"""Find what a pronoun may refer to: the answers to the previous question, or its topic."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from contracts.answers import Answer, AnswerType, answer_names
from services.answerer.pipeline import Found
from shared.text import MAX_NAME_CHARACTERS, words

_NAMES = (AnswerType.ENTITIES, AnswerType.VALUES, AnswerType.ROWS)


class Named(NamedTuple):
    """Hold a name of the previous turn, and the id of the node that it stands for; None for a value."""

    name: str
    id: str | None = None

    @property
    def means(self) -> dict[str, str]:
        """Return what a question with this name means by it, if its name can be told apart by an id."""
        can_be_meant = self.name == self.name.strip() and 0 < len(self.name) <= MAX_NAME_CHARACTERS
        return {self.name: self.id} if self.id and can_be_meant else {}


@dataclass(frozen=True, slots=True)
class Antecedents:
    """The names of the previous turn, and the words that describe them.

    Attributes:
        answers: The answers to the previous question.
        topics: What the previous question was about.
        nouns: The words of the previous question and the kinds of its answers, without a plural `s`.
        listed: The answers to the last question with several ones.
    """

    answers: tuple[Named, ...]
    topics: tuple[Named, ...]
    nouns: frozenset[str]
    listed: tuple[Named, ...] = ()

    def has_noun(self, noun: str) -> bool:
        """Return whether a noun, as in `those films`, describes the previous turn."""
        return noun.lower().removesuffix("s") in self.nouns

    def in_order(self, place: int) -> Iterator[tuple[tuple[Named, ...], str]]:
        """Return the answer at a place of the last list, from 1, or at -1 for the last; nothing if there is none."""
        listed = self.listed or self.answers
        number = place - 1 if place > 0 else len(listed) - 1
        if 0 <= number < len(listed):
            yield (listed[number],), "answer"

    def choices(self, is_plural: bool) -> Iterator[tuple[tuple[Named, ...], str]]:
        """Return what a pronoun may refer to, most likely first, and where that comes from.

        `it` cannot refer to several answers, and so refers to the topic if there are several.
        """
        if self.answers and (is_plural or len(self.answers) == 1):
            yield self.answers, "answer"
        for topic in self.topics:
            yield (topic,), "question"
        if len(self.answers) > 1 and not is_plural and not self.topics:
            yield self.answers, "answer"


def antecedents(turn: Sequence[Found]) -> Antecedents:
    """Return what a pronoun may refer to after a turn of one or several questions."""
    answers: list[Named] = []
    nouns: set[str] = set()
    for found in turn:
        named = _named_answers(found)
        several = map(Named, answer_names(named), (one.id for one in named))
        answers += [one for one in several if _is_name(one.name)]
        nouns |= {word for one in named for word in words(one.kind or "")}
        nouns |= {*words(found.request.question)}
    topics = dict.fromkeys(topic for found in turn if (topic := _topic(found)))
    return Antecedents(
        tuple(dict.fromkeys(answers)), tuple(topics), frozenset(noun.removesuffix("s") for noun in nouns)
    )


def first_name(found: Found) -> str | None:
    """Return the first part of a question that names an entity or a value, or None if no part does."""
    return next(iter(names_in(found)), None)


def names_in(found: Found) -> list[str]:
    """Return the parts of a question that name entities or values; the topic comes first."""
    question = found.request.question.lower()
    mentions = [topic.mention for topic in found.retrieved.topic_entities if topic.mention]
    names = dict.fromkeys([*mentions, *_texts(_steps(found))])
    return [name for name in names if name.lower() in question]


def kind_of_name(name: str, found: Found) -> str | None:
    """Return the kind of the nodes that a plan looks up by a name, or None if the plan does not say it."""
    variables = {
        part["left"].get("variable")
        for part in plan_parts(found)
        if part.get("op") == "comparison" and _is_constant(part["right"], name)
    }
    nodes = (node for part in plan_parts(found) for node in part.get("nodes") or ())
    return next((node["kinds"][0] for node in nodes if node["variable"] in variables and node["kinds"]), None)


def _named_answers(found: Found) -> list[Answer]:
    """Return the answers, or the entities that rows such as `the vet with the most pets` begin with."""
    if found.retrieved.answer_type not in _NAMES:
        return []
    has_rows = found.retrieved.answer_type is AnswerType.ROWS
    return [one for one in found.retrieved.answers if one.id is not None or not has_rows]


def _is_name(answer: str) -> bool:
    """Return whether a pronoun may refer to an answer: nobody calls a number or a date `it`."""
    return any(character.isalpha() for character in answer)


def _topic(found: Found) -> Named | None:
    """Return the first name of a question, with its id unless it has namesakes."""
    topics = [topic for topic in found.retrieved.topic_entities if topic.mention]
    if not topics:
        name = first_name(found)
        return None if name is None else Named(name)
    has_namesakes = sum(one.mention == topics[0].mention for one in topics) > 1
    return Named(topics[0].entity, None if has_namesakes else topics[0].id)


def plan_parts(found: Found) -> Iterator[dict[str, Any]]:
    """Return the objects in the plan of a question, outer ones first; none if it has no plan."""
    return _parts(_steps(found))


def _steps(found: Found) -> list[dict[str, Any]]:
    return found.retrieved.plan.steps if found.retrieved.plan else []


def _is_constant(part: dict[str, Any], name: str) -> bool:
    return part.get("op") == "constant" and str(part.get("value")).lower() == name.lower()


def _texts(steps: Any) -> Iterator[str]:
    """Return the constants of a plan that are texts."""
    for part in _parts(steps):
        if part.get("op") == "constant" and isinstance(part.get("value"), str):
            yield part["value"]


def _parts(part: Any) -> Iterator[dict[str, Any]]:
    """Return the objects in a plan, outer ones first."""
    if isinstance(part, dict):
        yield part
        for inner in part.values():
            yield from _parts(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _parts(inner)
