"""Ask back in chat what a name means, and recognise what a message chooses."""

from collections import Counter
from collections.abc import Sequence

from contracts.ask import AskResponse
from contracts.retrieve import Choice, Clarification
from language.question import Question
from shared.text import words

MAX_CHOICE_WORDS, FEW_WORDS = 8, 4
"""A message with more words, or one with an answer and more than a few words, asks something of its own."""


def asked_back(responses: Sequence[AskResponse]) -> list[str]:
    """Return what to ask back about the names of some questions.

    Example:
        >>> asked_back([response])
        ['Which Ann Lee do you mean: 1) Ann Lee (born 1956), or 2) Ann Lee (born 1980)?']
    """
    return [_listed(one.clarification) for one in responses if one.clarification is not None]


def _listed(asked: Clarification) -> str:
    *first, last = [f"{number}) {choice.text}" for number, choice in enumerate(asked.choices, 1)]
    return f"{asked.question.rstrip('?')}: {', '.join(first)}, or {last}?"


def chosen(message: Question, asked: Clarification | None) -> Choice | None:
    """Return the choice that a message names by its number, its place, or words that only this one has; else None."""
    if asked is None or len(message.words) > MAX_CHOICE_WORDS:
        return None
    place = _place(message)
    if place is not None:
        number = place - 1 if place > 0 else len(asked.choices) - 1
        return asked.choices[number] if 0 <= number < len(asked.choices) else None
    said = {*words(message.text)}
    uses = Counter(word for choice in asked.choices for word in {*words(choice.text)})
    hits = [sum(uses[word] == 1 for word in said & {*words(choice.text)}) for choice in asked.choices]
    best = max(hits, default=0)
    return asked.choices[hits.index(best)] if best and hits.count(best) == 1 else None


def _place(message: Question) -> int | None:
    """Return the place that a message consists of, from 1, or -1 for the last one; None if it says more, or another."""
    text = message.text.strip(" .)?!")
    if text.isdecimal() and len(text) < 3:
        return int(text)
    return next((one.place for one in message.references if one.place), None)
