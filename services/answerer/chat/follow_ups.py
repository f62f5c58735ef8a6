"""Understand questions that continue a conversation, such as `And who wrote them?` or `What about Germany?`.

The chat API is stateless, so the earlier questions are retrieved again; the texts of earlier replies are not used.
Three rules, in this order, give readings of a question, and the first reading that the graph answers, or that probably
has an answer which is only not certain enough for the caller, is taken:

    pronoun       who wrote them?        their antecedents: the previous answers, or the previous topic
    substitution  what about Germany?    the previous question, with one name replaced
    property      and the population?    "What is the population of ...?", for a previous answer or topic

A question about a part of the previous answers, such as `Which of them ...?`, is asked about them alone, as a question
about entities of their kind. If nothing tells what a pronoun refers to, the reply asks back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contracts.answers import AnswerType
from language.conversation import Fragment
from language.english.english import english
from language.question import Question
from services.answerer.chat.antecedents import Antecedents, Named, antecedents, first_name, names_in
from services.answerer.chat.certainty import is_withheld
from services.answerer.chat.clarifying import FEW_WORDS, MAX_CHOICE_WORDS, chosen
from services.answerer.chat.ellipsis import repeated_with, without_lead
from services.answerer.chat.pronouns import find_pronoun, question_back
from services.answerer.chat.restriction import (
    AskedAbout,
    is_about_some,
    others,
    refusal,
    restricted,
    said_other,
    without_other,
)
from services.answerer.pipeline import Found

# A question that continues one that continues one ... may refer this far back.
_MAX_DEPTH = 8
MAX_QUESTIONS = 5
_LIKELY = 0.5

Find = Callable[[AskedAbout], Awaitable[Found]]
"""Retrieves the answers to a question."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The question that a message is taken to ask.

    Attributes:
        found: One question, or one for each of several entities, with what the retriever found; none if the reply
            asks back.
        note: What was taken over from the conversation, or what is asked back; empty if neither.
        opening: What the reply begins with, before the answer.
        settled: What the conversation has settled that names mean, by ids.
        listed: The last turn with several answers.
    """

    found: tuple[Found, ...]
    note: str = ""
    opening: str = ""
    settled: Mapping[str, str] = field(default_factory=dict)
    listed: tuple[Found, ...] = ()

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
    questions: tuple[AskedAbout, ...]
    note: str


_NOTHING = Reading(())


async def read_message(questions: Sequence[str], find: Find) -> Reading:
    """Return what the last question of a conversation asks.

    Args:
        questions: The user's messages, in order.
        find: Retrieves the answers to one question.
    """
    *earlier, message = questions[-_MAX_DEPTH:]
    question, own = english(message), await find(AskedAbout(message))
    may_choose = len(question.words) <= (FEW_WORDS if own.retrieved.answers else MAX_CHOICE_WORDS)
    may_continue = _may_continue(question) and not _names_its_pronoun(question, own)
    before = _NOTHING
    if earlier and (may_continue or may_choose or own.retrieved.clarification is not None):
        before = await read_message(earlier, find)
    reading = await _chosen(question, before, find)
    if reading is None and may_continue:
        reading = await _continuing(question, own, before, find)
    elif reading is None:
        reading = await _settled(own, before, find)
    means = (one.request.means for one in reading.found)
    settled = {**before.settled, **{name: id_ for one in means for name, id_ in one.items()}}
    is_list = len(antecedents(reading.found).answers) > 1
    return replace(reading, settled=settled, listed=reading.found if is_list else before.listed)


async def _chosen(question: Question, before: Reading, find: Find) -> Reading | None:
    """Ask the previous question again about the thing that a message chooses; None if it chooses nothing."""
    asked = before.found[0] if len(before.found) == 1 else None
    choice = chosen(question, asked.retrieved.clarification) if asked is not None else None
    if asked is None or choice is None:
        return None
    text = asked.request.question
    found = await find(AskedAbout(text, {**asked.request.means, **choice.means}, asked.request.among))
    return Reading((found,), f"Read as “{text}”, about {choice.text}.")


async def _settled(own: Found, before: Reading, find: Find) -> Reading:
    """Let a name that stands for several things mean the only one of them that was talked about before."""
    asked = own.retrieved.clarification
    if asked is None:
        return Reading((own,))
    said = {*before.settled.values(), *(one.id for found in before.found for one in found.retrieved.answers)}
    known = [one for one in asked.choices if not said.isdisjoint(one.means.values())]
    if len(known) != 1:
        return Reading((own,))
    found = await find(AskedAbout(own.request.question, known[0].means))
    return Reading((found,), f"“{next(iter(known[0].means))}” was taken to be {known[0].text}, as before.")


async def _continuing(question: Question, own: Found, before: Reading, find: Find) -> Reading:
    """Return the reading of a question that may continue the one before; see the top of this module."""
    known = replace(antecedents(before.found), listed=antecedents(before.listed).answers)
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
    topics = [one.name for one in known.topics]
    kept = [found for one in reading.found if (found := others(one, topics)) is not None]
    if len(kept) < len(reading.found):
        return Reading((), f"I can only leave out {', '.join(topics)} from a list of names. Please ask for one.")
    note = f"{reading.note} “{said}” leaves out {', '.join(topics)}."
    rest = Reading(tuple(kept), note)
    return rest if rest.is_answered else Reading((), f"There is no more in the graph. {note}")


def _may_continue(question: Question) -> bool:
    return find_pronoun(question, has_noun=lambda _: True) is not None or question.fragment is not None


async def _of_several(question: Question, before: Reading, known: Antecedents, find: Find) -> Reading:
    """Return which of the previous answers a question such as `Which of them ...?` is true of."""
    is_last = len(known.answers) > 1 or not known.listed
    pronoun, answers = find_pronoun(question), known.answers if is_last else known.listed
    if pronoun is not None and not answers:
        return Reading((), question_back(pronoun))
    asked = restricted(question, before.found if is_last else before.listed)
    if asked is None:
        return Reading((), refusal([one.name for one in answers]))
    found = await find(AskedAbout(asked.question, among=asked.ids))
    if not found.retrieved.answers:
        return Reading((found,), asked.note)
    if found.retrieved.answer_type is not AnswerType.ENTITIES:
        return Reading((found,), asked.note)
    kept = asked.keep(found)
    if kept is None:
        return Reading((), refusal([one.name for one in answers]))
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
    before, behind = question.text[: pronoun.start], question.text[pronoun.end :]
    start, ending = "in " * pronoun.is_place, "'s" * pronoun.is_possessive

    def candidate(names: Sequence[Named], source: str) -> _Candidate:
        asked = tuple(
            AskedAbout(f"{before}{start}{one.name}{ending}{behind}", one.means) for one in names[:MAX_QUESTIONS]
        )
        return _Candidate(asked, _note(pronoun.text, names, source))

    choices = known.in_order(pronoun.place) if pronoun.place else known.choices(pronoun.is_plural)
    return [candidate(names, source) for names, source in choices]


def _repeated(fragment: Fragment, own: Found, before: Reading) -> list[_Candidate]:
    """Repeat the previous question with another topic."""
    repeated = repeated_with(fragment, own, before.found[0]) if before.found else None
    if not repeated:
        return []
    kept = english(repeated)
    means = {name: id_ for name, id_ in before.found[0].request.means.items() if kept.has_apart(name)}
    return [_Candidate((AskedAbout(repeated, means),), f"Read as “{repeated}”, like the previous question.")]


def _property_of(owned: str, known: Antecedents) -> list[_Candidate]:
    return [
        _Candidate(
            tuple(AskedAbout(f"What is the {owned} of {one.name}?", one.means) for one in names[:MAX_QUESTIONS]),
            _note(owned, names, source),
        )
        for names, source in known.choices(is_plural=False)
    ]


def _note(said: str, names: Sequence[Named], source: str) -> str:
    listed = ", ".join(one.name for one in names[:MAX_QUESTIONS])
    more = f"; the other {len(names) - MAX_QUESTIONS} are left out" if len(names) > MAX_QUESTIONS else ""
    return f"“{said}” was taken to refer to {listed}, from the previous {source}{more}."
