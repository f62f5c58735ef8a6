"""Understand questions that continue a conversation, such as `And who wrote them?` or `What about Germany?`.

The chat API is stateless, so the earlier questions are retrieved again; the texts of earlier replies are not used.
Three rules, in this order, give readings of a question, and the first reading that the graph answers is taken:

    pronoun       who wrote them?        their antecedents: the previous answers, or the previous topic
    substitution  what about Germany?    the previous question, with one name replaced
    property      and the population?    "What is the population of ...?", for a previous answer or topic
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from services.answerer.chat.antecedents import Antecedents, antecedents, first_name
from services.answerer.chat.ellipsis import Fragment, find_ellipsis, repeated_with, without_lead
from services.answerer.pipeline import Found

# A question that continues one that continues one ... may refer this far back.
_MAX_DEPTH = 4
MAX_QUESTIONS = 5

_DETERMINER = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_SINGULAR = r"it|he|she|him"
_PLURAL = r"they|them|(?:these|those)(?!\s+\w)"
_PRONOUN = re.compile(
    rf"\b(?:(?P<possessive>its|his|their|her(?=\s+\w))|(?P<singular>{_SINGULAR}|her|there(?=\s*\??$))|(?P<plural>{_PLURAL}))\b",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(r"\b(?P<which>this|that|these|those)\s+(?P<noun>\w+)\b", re.IGNORECASE)

Find = Callable[[str], Awaitable[Found]]
"""Retrieves the answers to a question."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The question that a message is taken to ask.

    Attributes:
        found: One question, or one for each of several entities, with what the retriever found.
        note: What was taken over from the conversation, for the reader; empty if nothing was.
    """

    found: tuple[Found, ...]
    note: str = ""

    @property
    def is_answered(self) -> bool:
        """Return whether the graph answers at least one of the questions."""
        return any(one.retrieved.answers for one in self.found)


@dataclass(frozen=True, slots=True)
class _Candidate:
    questions: tuple[str, ...]
    note: str


async def read_message(questions: Sequence[str], find: Find) -> Reading:
    """Return what the last question of a conversation asks.

    Args:
        questions: The user's messages, in order.
        find: Retrieves the answers to one question.
    """
    *earlier, question = questions[-_MAX_DEPTH:]
    if not earlier or not _may_continue(question):
        return Reading((await find(question),))
    own = await find(question)
    if _refers_to_itself(question, own):
        return Reading((own,))
    before = await read_message(earlier, find)
    for candidate in _candidates(question, own, before):
        found = await asyncio.gather(*map(find, candidate.questions))
        reading = Reading(tuple(found), candidate.note)
        if reading.is_answered:
            return reading
    return Reading((own,))


def _may_continue(question: str) -> bool:
    return _pronoun_place(question) is not None or find_ellipsis(question) is not None


def _refers_to_itself(question: str, own: Found) -> bool:
    """Return whether a name in the question precedes its pronoun, as in `Does Norway share its currency?`."""
    pronoun, name = _pronoun_place(question), first_name(own)
    return pronoun is not None and name is not None and question.lower().find(name.lower()) < pronoun


def _pronoun_place(question: str) -> int | None:
    found = [match.start() for pattern in (_PRONOUN, _DEMONSTRATIVE) if (match := pattern.search(question))]
    return min(found, default=None)


def _candidates(question: str, own: Found, before: Reading) -> list[_Candidate]:
    known = antecedents(before.found)
    about = find_ellipsis(question)
    if about is None:
        return _with_pronoun_replaced(without_lead(question), known)
    if _PRONOUN.match(about.name):
        owned = _PRONOUN.sub("", about.name, count=1).strip()
        return _property_of(owned, known) if owned else []
    properties = [] if about.name[0].isdigit() else _property_of(_DETERMINER.sub("", about.name), known)
    return [*_substituted(about, own, before), *properties]


def _with_pronoun_replaced(question: str, known: Antecedents) -> list[_Candidate]:
    start, ending = "", ""
    if (said := _DEMONSTRATIVE.search(question)) is not None and known.has_noun(said["noun"]):
        is_plural = said["which"].lower() in ("these", "those")
    elif (said := _PRONOUN.search(question)) is not None:
        start, ending = "in " * (said[0].lower() == "there"), "'s" * bool(said["possessive"])
        is_plural = bool(said["plural"]) or said[0].lower() == "their"
    else:
        return []

    def candidate(names: Sequence[str], source: str) -> _Candidate:
        asked = tuple(
            f"{question[: said.start()]}{start}{name}{ending}{question[said.end() :]}" for name in names[:MAX_QUESTIONS]
        )
        return _Candidate(asked, _note(said[0], names, source))

    return [candidate(names, source) for names, source in known.choices(is_plural)]


def _substituted(about: Fragment, own: Found, before: Reading) -> list[_Candidate]:
    """Repeat the previous question with another topic."""
    repeated = repeated_with(about, own, before.found[0])
    return [_Candidate((repeated,), f"Read as “{repeated}”, like the previous question.")] if repeated else []


def _property_of(owned: str, known: Antecedents) -> list[_Candidate]:
    return [
        _Candidate(
            tuple(f"What is the {owned} of {name}?" for name in names[:MAX_QUESTIONS]), _note(owned, names, source)
        )
        for names, source in known.choices(is_plural=False)
    ]


def _note(said: str, names: Sequence[str], source: str) -> str:
    listed = ", ".join(names[:MAX_QUESTIONS])
    more = f"; the other {len(names) - MAX_QUESTIONS} are left out" if len(names) > MAX_QUESTIONS else ""
    return f"“{said}” was taken to refer to {listed}, from the previous {source}{more}."
