"""Find the pronoun in a question, and whether something before it in the same question may be what it means."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_SINGULAR = r"it|he|she|him"
_PLURAL = r"they|them|(?:these|those)(?!\s+\w)"
_LAST = r"(?=\s*[?.!]*$)"
# `that` is a pronoun at the end, or before what cannot be its noun or verb: `who supplied that in 2023?`
_BARE_THAT = rf"(?:this|that)(?:{_LAST}|(?=\s+(?:in|on|at|for|to|from|by|since|before|after|until)\b))"
PRONOUN = re.compile(
    rf"\b(?:(?P<possessive>its|his|their|her(?=\s+\w))"
    rf"|(?P<singular>{_SINGULAR}|her|{_BARE_THAT}|(?<!is\s)(?<!are\s)(?<!was\s)(?<!were\s)there{_LAST})"
    rf"|(?P<plural>{_PLURAL}))\b",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(r"\b(?P<which>this|that|these|those)\s+(?P<noun>\w+)\b", re.IGNORECASE)
# `It` means nothing in these, and `this year` means the present one.
_EMPTY = re.compile(
    r"\bis\s+it\s+(?:true|possible|correct|right|known)\b|\bhow\s+long\s+does\s+it\s+take\b"
    r"|\b(?:this|that|these|those)\s+(?:second|minute|hour|day|morning|evening|week|month|quarter|year|decade|century)s?\b",
    re.IGNORECASE,
)
# What may stand between a pronoun and the noun of the same question that it means.
_CLAUSE = re.compile(
    r"\w\s+(?:and|or|but|that|who|whom|whose|where|when|while|if|because|than|with)\s|[,;:.?!]\s", re.I
)
_SUBJECT = re.compile(r"^(?:which|what|how many|list|show|name|give|find)\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|of)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun, or a noun with `this` or `those`, from the character `start` of a question to before `end`."""

    said: str
    start: int
    end: int
    is_plural: bool
    is_possessive: bool = False

    @property
    def is_place(self) -> bool:
        """Return whether the pronoun stands for a place with its preposition."""
        return self.said.lower() == "there"

    @property
    def question_back(self) -> str:
        """Ask what the pronoun refers to."""
        asked = "to whom" if self.said.lower() in ("he", "she", "him", "her", "his") else "what"
        end = "refers" if asked == "to whom" else "refers to"
        return f"I don't know {asked} “{self.said}” {end}. Please ask again with the name."


def find_pronoun(question: str, has_noun: Callable[[str], bool] = lambda noun: False) -> Pronoun | None:
    """Return the first pronoun of a question, or `those films` if the noun is known; None if there is none."""
    empty = [match.span() for match in _EMPTY.finditer(question)]

    def is_empty(match: re.Match[str]) -> bool:
        return any(start <= match.start() < end for start, end in empty)

    for match in _DEMONSTRATIVE.finditer(question):
        is_plural = match["which"].lower() in ("these", "those")
        if not is_empty(match) and (is_plural or has_noun(match["noun"])):
            return Pronoun(match[0], *match.span(), is_plural)
    for match in PRONOUN.finditer(question):
        if not is_empty(match):
            is_plural = bool(match["plural"]) or match[0].lower() == "their"
            return Pronoun(match[0], *match.span(), is_plural, bool(match["possessive"]))
    return None


def may_mean_own_words(pronoun: Pronoun, question: str) -> bool:
    """Return whether a pronoun may refer to a noun in its own question, as in `List all owners and their pets`."""
    before = question[: pronoun.start].strip()
    if question[pronoun.end :].lower().startswith(" own "):
        return True
    if _CLAUSE.search(before + " ") and not re.search(r"\bwith$", before):
        return True
    return pronoun.is_possessive and bool(_SUBJECT.match(before)) and not _AUXILIARY.search(before)
