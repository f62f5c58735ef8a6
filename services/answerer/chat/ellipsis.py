"""Understand questions that leave out what the previous one says, such as `And for Biscuit?` or `And in 2022?`."""

import re
from dataclasses import dataclass

from language.conversation import Fragment
from language.english.english import english
from language.marks import Mark
from language.question import Question
from services.answerer.chat.antecedents import kind_of_name, names_in
from services.answerer.pipeline import Found

_ARTICLE, _LAST_ARTICLE = (re.compile(pattern, re.IGNORECASE) for pattern in (r"(?:the|an?) ", r"\b(?:the|an?) $"))


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def without_lead(question: Question) -> Question:
    """Return a question without `and` and the like before it."""
    lead = question.first(Mark.CONTINUES)
    return question.reworded(question.text[lead.end if lead else 0 :].strip())


def repeated_with(fragment: Fragment, own: Found, previous: Found) -> str | None:
    """Repeat the previous question with what an elliptical one is about; None if nothing in it can be replaced.

    The name behind the same preposition is replaced, else one of the same kind, else the last one. A number replaces
    a number, or is added.

    Args:
        fragment: What the elliptical question is about.
        own: The elliptical question, from which the kind of its name is known.
        previous: The previous question.
    """
    question = english(previous.request.question)
    text = question.text
    if fragment.name[0].isdigit():
        spans = [_Span(one.start, one.end) for one in question.all(Mark.DIGITS)]
        if not spans:
            return f"{text.rstrip(' ?')} {fragment.preposition or 'in'} {fragment.name}?"
        place = _behind(fragment.preposition, question, spans) or spans[-1]
    else:
        spans = _named(previous)
        if not spans:
            return None
        same_kind = _of_kind(kind_of_name(fragment.name, own), previous, spans)
        place = _behind(fragment.preposition, question, spans) or (same_kind or spans)[-1]
    return f"{_before_name(text[: place.start], fragment.name)}{fragment.name}{text[place.end :]}"


def _before_name(text: str, name: str) -> str:
    """Leave out an article at the end of a text if the name behind it has one of its own."""
    has_article = _ARTICLE.match(name) is not None
    return _LAST_ARTICLE.sub("", text) if has_article else text


def _named(found: Found) -> list[_Span]:
    """Return where a question names something, in order."""
    question = found.request.question.lower()
    spans = {(at, at + len(name)) for name in names_in(found) if (at := question.find(name.lower())) >= 0}
    return [_Span(*span) for span in sorted(spans)]


def _behind(preposition: str, question: Question, spans: list[_Span]) -> _Span | None:
    return next((one for one in reversed(spans) if preposition and _word_before(question, one) == preposition), None)


def _word_before(question: Question, span: _Span) -> str:
    said = question.before(span.start, Mark.BEFORE_ARTICLE)
    return (said.parts[0] or "").lower() if said else ""


def _of_kind(kind: str | None, found: Found, spans: list[_Span]) -> list[_Span]:
    question = found.request.question
    return [one for one in spans if kind and kind_of_name(question[one.start : one.end], found) == kind]
