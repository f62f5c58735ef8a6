"""Understand questions that continue a conversation, such as `And who wrote them?` or `What about Germany?`.

The chat API is stateless, so the earlier questions are retrieved again; the texts of earlier replies are not used.
Three rules, in this order, give readings of a question, and the first reading that the graph answers, or that probably
has an answer which is only not certain enough for the caller, is taken:

    pronoun       who wrote them?        their antecedents: the previous answers, or the previous topic
    substitution  what about Germany?    the previous question, with one name replaced
    property      and the population?    "What is the population of ...?", for a previous answer or topic

A question about a part of the previous answers, such as `Which of them ...?`, is asked about all entities of their
kind, and only the answers among them are kept. If nothing tells what a pronoun refers to, the reply asks back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from language.conversation import Fragment
from language.english.english import english
from language.question import Question
from services.answerer.chat.antecedents import Antecedents, antecedents, first_name, names_in
from services.answerer.chat.certainty import is_withheld
from services.answerer.chat.ellipsis import repeated_with, without_lead
from services.answerer.chat.pronouns import find_pronoun, question_back
from services.answerer.chat.restriction import is_about_some, others, refusal, restricted, said_other, without_other
from services.answerer.pipeline import Found

# A question that continues one that continues one ... may refer this far back.
_MAX_DEPTH = 4
MAX_QUESTIONS = 5
_LIKELY = 0.5

Find = Callable[[str], Awaitable[Found]]
"""Retrieves the answers to a question."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The question that a message is taken to ask.

    Attributes:
        found: One question, or one for each of several entities, with what the retriever found; none if the reply
            asks back.
        note: What was taken over from the conversation, or what is asked back; empty if neither.
        opening: What the reply begins with, before the answer.
    """

    found: tuple[Found, ...]
    note: str = ""
    opening: str = ""

    @property
    def is_answered(self) -> bool:
        """Return whether the graph answers at least one of the questions."""
        return any(one.retrieved.answers for one in self.found)

    @property
    def is_likely(self) -> bool:
        """Return whether one of the questions probably has an answer, which is only not certain enough."""
        return any(is_withheld(one.retrieved) and one.retrieved.confidence >= _LIKELY for one in self.found)

    def with_note(self, note: str) -> "Reading":
        """Return the reading with another note behind its own."""
        return replace(self, note=f"{self.note} {note}".strip())


@dataclass(frozen=True, slots=True)
class _Candidate:
    questions: tuple[str, ...]
    note: str


_NOTHING = Reading(())


async def read_message(questions: Sequence[str], find: Find) -> Reading:
    """Return what the last question of a conversation asks.

    Args:
        questions: The user's messages, in order.
        find: Retrieves the answers to one question.
    """
    *earlier, message = questions[-_MAX_DEPTH:]
    question, own = english(message), await find(message)
    if not _may_continue(question):
        return Reading((own,))
    if _names_its_pronoun(question, own):
        return Reading((own,))
    before = await read_message(earlier, find) if earlier else _NOTHING
    known = antecedents(before.found)
    if is_about_some(question):
        return await _of_several(question, before, known, find)
    candidates = _candidates(question, own, before, known)
    readings: list[Reading] = []
    for candidate in candidates:
        found = await asyncio.gather(*map(find, candidate.questions))
        readings.append(Reading(tuple(found), candidate.note))
        if readings[-1].is_answered:
            return _without_named(question, readings[-1], known)
        if readings[-1].is_likely:
            return readings[-1]
    return _without_answer(question, own, known, readings)


def _without_named(question: Question, reading: Reading, known: Antecedents) -> Reading:
    """Return the answers without what the previous question named, if a question asks for others."""
    said = said_other(question)
    if said is None or not known.topics or find_pronoun(question, known.has_noun) is None:
        return reading
    kept = [found for one in reading.found if (found := others(one, known.topics)) is not None]
    if len(kept) < len(reading.found):
        return Reading((), f"I can only leave out {', '.join(known.topics)} from a list of names. Please ask for one.")
    note = f"{reading.note} “{said}” leaves out {', '.join(known.topics)}."
    rest = Reading(tuple(kept), note)
    return rest if rest.is_answered else Reading((), f"There is no more in the graph. {note}")


def _may_continue(question: Question) -> bool:
    return find_pronoun(question, has_noun=lambda _: True) is not None or question.fragment is not None


async def _of_several(question: Question, before: Reading, known: Antecedents, find: Find) -> Reading:
    """Return which of the previous answers a question such as `Which of them ...?` is true of."""
    pronoun = find_pronoun(question)
    if pronoun is not None and not known.answers:
        return Reading((), question_back(pronoun))
    asked = restricted(question, before.found)
    if asked is None:
        return Reading((), refusal(known.answers))
    found = await find(asked.question)
    if not found.retrieved.answers:
        return Reading((found,), asked.note)
    kept = asked.keep(found)
    if kept is None:
        return Reading((), refusal(known.answers))
    number = len(kept.retrieved.answers)
    if not number:
        return Reading((), f"None of them. {asked.note}")
    return Reading((kept,), asked.note, f"{number} of {len(asked.entities)}: " * asked.is_count)


def _without_answer(question: Question, own: Found, known: Antecedents, readings: Sequence[Reading]) -> Reading:
    """Return the reading of a question that nothing in the conversation helps to answer.

    Its answer without what the pronoun refers to would be the answer to another question.
    """
    pronoun = find_pronoun(question, known.has_noun)
    if pronoun is not None and not pronoun.may_be_bound:
        return readings[0] if readings else Reading((), question_back(pronoun))
    fragment = question.fragment
    if readings and fragment is not None and _is_named(fragment, own):
        return readings[0]
    return Reading((own,))


def _names_its_pronoun(question: Question, own: Found) -> bool:
    """Return whether a name in the question precedes its pronoun, as in `Does Norway share its currency?`.

    A name may also be a pronoun itself, as in `Who wrote It?`.
    """
    pronoun, name = find_pronoun(question), first_name(own)
    if pronoun is None or name is None:
        return False
    at = question.text.lower().find(name.lower())
    return at < pronoun.start or (at == pronoun.start and pronoun.text[0].isupper())


def _is_named(fragment: Fragment, own: Found) -> bool:
    return fragment.name.lower() in {name.lower() for name in names_in(own)}


def _candidates(question: Question, own: Found, before: Reading, known: Antecedents) -> list[_Candidate]:
    fragment = question.fragment
    if fragment is None:
        return _with_pronoun_replaced(without_lead(question), known)
    if fragment.has_pronoun:
        return _property_of(fragment.noun, known) if fragment.noun else []
    repeated = _repeated(fragment, own, before)
    if fragment.name[0].isdigit() or (repeated and _is_named(fragment, own)):
        return repeated
    return [*repeated, *_property_of(fragment.noun, known)]


def _with_pronoun_replaced(question: Question, known: Antecedents) -> list[_Candidate]:
    question = without_other(question)
    pronoun = find_pronoun(question, known.has_noun)
    if pronoun is None:
        return []
    start, ending = "in " * pronoun.is_place, "'s" * pronoun.is_possessive

    def candidate(names: Sequence[str], source: str) -> _Candidate:
        asked = tuple(
            f"{question.text[: pronoun.start]}{start}{name}{ending}{question.text[pronoun.end :]}"
            for name in names[:MAX_QUESTIONS]
        )
        return _Candidate(asked, _note(pronoun.text, names, source))

    return [candidate(names, source) for names, source in known.choices(pronoun.is_plural)]


def _repeated(fragment: Fragment, own: Found, before: Reading) -> list[_Candidate]:
    """Repeat the previous question with another topic."""
    repeated = repeated_with(fragment, own, before.found[0]) if before.found else None
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
