"""Understand questions that leave out what the previous one says, such as `And for Biscuit?` or `And in 2022?`."""

import re
from dataclasses import dataclass

from services.answerer.chat.antecedents import kind_of_name, names_in
from services.answerer.pipeline import Found
from shared.text import word_set

_PREPOSITIONS = word_set(
    "about after at before between by during for from in near of on since to under until via with within without"
)
_PREPOSITION = rf"(?:(?P<preposition>{'|'.join(sorted(_PREPOSITIONS))})\s+)?"
_LEAD = re.compile(r"^(?:(?:and|but|so|then|also|ok|okay|now)\b,?\s+)+", re.IGNORECASE)
_ABOUT = re.compile(rf"^(?:what|how)\s+about\s+{_PREPOSITION}(?P<name>[^?]{{1,100}}?)\s*\??$", re.IGNORECASE)
_BARE = re.compile(rf"^{_PREPOSITION}(?P<name>[^?]{{1,60}}?)\s*\??$", re.IGNORECASE)
_QUESTION_WORDS = word_set(
    "who whom whose what which when where why how is are was were do does did has have had can could will would should "
    "list name show give tell find count"
)
_MAX_BARE_WORDS = 5
_NUMBER = re.compile(r"\b\d+\b")
_ARTICLES = word_set("the a an")


@dataclass(frozen=True, slots=True)
class Fragment:
    """The subject of a question without a verb: `Germany`, behind `in`, for `And in Germany?`."""

    name: str
    preposition: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def without_lead(question: str) -> str:
    """Return a question without `and` and the like before it."""
    return _LEAD.sub("", question.strip())


def find_ellipsis(question: str) -> Fragment | None:
    """Return what a question without a verb is about, or None if it has one."""
    core = without_lead(question)
    if about := _ABOUT.match(core):
        return Fragment(about["name"], (about["preposition"] or "").lower())
    bare = _BARE.match(core)
    if bare is None or core == question.strip():
        return None
    words = bare["name"].lower().split()
    is_short = len(words) <= _MAX_BARE_WORDS and words[0] not in _QUESTION_WORDS
    return Fragment(bare["name"], (bare["preposition"] or "").lower()) if is_short else None


def repeated_with(fragment: Fragment, own: Found, previous: Found) -> str | None:
    """Repeat the previous question with what an elliptical one is about; None if nothing in it can be replaced.

    The name behind the same preposition is replaced, else one of the same kind, else the last one. A number replaces
    a number, or is added.

    Args:
        fragment: What the elliptical question is about.
        own: The elliptical question, from which the kind of its name is known.
        previous: The previous question.
    """
    question = previous.request.question
    if fragment.name[0].isdigit():
        spans = [_Span(*match.span()) for match in _NUMBER.finditer(question)]
        if not spans:
            return f"{question.rstrip(' ?')} {fragment.preposition or 'in'} {fragment.name}?"
        place = _behind(fragment.preposition, question, spans) or spans[-1]
    else:
        spans = _named(previous)
        if not spans:
            return None
        same_kind = _of_kind(kind_of_name(fragment.name, own), previous, spans)
        place = _behind(fragment.preposition, question, spans) or (same_kind or spans)[-1]
    return f"{question[: place.start]}{fragment.name}{question[place.end :]}"


def _named(found: Found) -> list[_Span]:
    """Return where a question names something, in order."""
    question = found.request.question.lower()
    spans = {(at, at + len(name)) for name in names_in(found) if (at := question.find(name.lower())) >= 0}
    return [_Span(*span) for span in sorted(spans)]


def _behind(preposition: str, question: str, spans: list[_Span]) -> _Span | None:
    return next((one for one in reversed(spans) if preposition and _word_before(question, one) == preposition), None)


def _word_before(question: str, span: _Span) -> str:
    words = [word for word in question[: span.start].lower().split() if word not in _ARTICLES]
    return words[-1] if words else ""


def _of_kind(kind: str | None, found: Found, spans: list[_Span]) -> list[_Span]:
    question = found.request.question
    return [one for one in spans if kind and kind_of_name(question[one.start : one.end], found) == kind]
