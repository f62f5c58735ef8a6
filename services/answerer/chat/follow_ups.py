"""Understand questions that continue a conversation, such as `And who wrote them?` or `What about Germany?`.

The chat API is stateless, so the earlier questions are retrieved again; the texts of earlier replies are not used.
Three rules, in this order, give readings of a question, and the first reading that the graph answers is taken:

    pronoun       who wrote them?        their antecedents: the previous answers, or the previous topic
    substitution  what about Germany?    the previous question, with its topic replaced
    property      and the population?    "What is the population of ...?", for a previous answer or topic
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from services.answerer.chat.antecedents import Antecedents, antecedents, first_name
from services.answerer.pipeline import Found
from shared.text import word_set

# A question that continues one that continues one ... may refer this far back.
_MAX_DEPTH = 4
MAX_QUESTIONS = 5

_LEAD = re.compile(r"^(?:(?:and|but|so|then|also|ok|okay|now)\b,?\s+)+", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:what|how)\s+about\s+(?:(?:in|for|of|with)\s+)?(?P<x>[^?]{1,100}?)\s*\??$", re.IGNORECASE)
_BARE = re.compile(r"^(?:(?:in|for|of|with)\s+)?(?P<x>[^?]{1,60}?)\s*\??$", re.IGNORECASE)
_QUESTION_WORDS = word_set(
    "who whom whose what which when where why how is are was were do does did has have had can could will would should "
    "list name show give tell find count"
)
_MAX_BARE_WORDS = 5
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
    for candidate in _candidates(question, before):
        found = await asyncio.gather(*map(find, candidate.questions))
        reading = Reading(tuple(found), candidate.note)
        if reading.is_answered:
            return reading
    return Reading((own,))


def _may_continue(question: str) -> bool:
    return _pronoun_place(question) is not None or _elliptical(question) is not None


def _refers_to_itself(question: str, own: Found) -> bool:
    """Return whether a name in the question precedes its pronoun, as in `Does Norway share its currency?`."""
    pronoun, name = _pronoun_place(question), first_name(own)
    return pronoun is not None and name is not None and question.lower().find(name.lower()) < pronoun


def _pronoun_place(question: str) -> int | None:
    found = [match.start() for pattern in (_PRONOUN, _DEMONSTRATIVE) if (match := pattern.search(question))]
    return min(found, default=None)


def _without_lead(question: str) -> str:
    return _LEAD.sub("", question.strip())


def _elliptical(question: str) -> str | None:
    """Return what a question without a verb is about: `Germany` for `And in Germany?`."""
    core = _without_lead(question)
    if about := _ABOUT.match(core):
        return about["x"]
    bare = _BARE.match(core)
    if bare is None or core == question.strip():
        return None
    words = bare["x"].lower().split()
    return bare["x"] if len(words) <= _MAX_BARE_WORDS and words[0] not in _QUESTION_WORDS else None


def _candidates(question: str, before: Reading) -> list[_Candidate]:
    known = antecedents(before.found)
    about = _elliptical(question)
    if about is None:
        return _with_pronoun_replaced(_without_lead(question), known)
    if _PRONOUN.match(about):
        owned = _PRONOUN.sub("", about, count=1).strip()
        return _property_of(owned, known) if owned else []
    return [*_substituted(about, before), *_property_of(_DETERMINER.sub("", about), known)]


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


def _substituted(about: str, before: Reading) -> list[_Candidate]:
    """Repeat the previous question with another topic."""
    previous = before.found[0]
    question = previous.request.question
    name = first_name(previous)
    if name is None:
        return []
    at = question.lower().find(name.lower())
    repeated = f"{question[:at]}{about}{question[at + len(name) :]}"
    return [_Candidate((repeated,), f"Read as “{repeated}”, like the previous question.")]


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
