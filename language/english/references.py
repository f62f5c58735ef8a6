"""Find the pronouns of a text, and whether something before them in the same text may be what they mean."""

import re
from collections.abc import Iterator

from language.conversation import Reference
from language.english.number_words import ORDINALS

_LAST = r"(?=\s*[?.!]*$)"
# `that` is a pronoun at the end, or before what cannot be its noun or verb: `who supplied that in 2023?`
_BARE_THAT = rf"(?:this|that)(?:{_LAST}|(?=\s+(?:in|on|at|for|to|from|by|since|before|after|until)\b))"
_PRONOUN = re.compile(
    rf"\b(?:(?P<possessive>its|his|(?P<theirs>their)|her(?=\s+\w))"
    rf"|(?:it|he|she|him|her|{_BARE_THAT}|(?<!is\s)(?<!are\s)(?<!was\s)(?<!were\s)(?P<place>there){_LAST})"
    rf"|(?P<plural>they|them|(?:these|those)(?!\s+\w)))\b",
    re.IGNORECASE,
)
_PLACES = {**ORDINALS, "last": -1}
_IN_ORDER = re.compile(
    rf"\bthe\s+(?P<place>{'|'.join(_PLACES)})(?:\s+one(?:\s+of\s+(?:them|these|those))?\b"
    rf"|\s+of\s+(?:them|these|those)\b|{_LAST})",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:is|are|was|were)\s+$", re.IGNORECASE)
_PEOPLE = frozenset(("he", "she", "him", "her", "his"))
_DEMONSTRATIVE = re.compile(r"\b(?:this|that|(?P<plural>these|those))\s+(?P<noun>\w+)\b", re.IGNORECASE)
# `It` means nothing in these, and `this year` means the present one.
_EMPTY = re.compile(
    r"\bis\s+it\s+(?:true|possible|correct|right|known)\b|\bhow\s+long\s+does\s+it\s+take\b"
    r"|\b(?:this|that|these|those)\s+(?:second|minute|hour|day|morning|evening|week|month|quarter|year|decade|century)s?\b",
    re.IGNORECASE,
)
# What may stand between a pronoun and the noun of the same sentence that it means.
_CLAUSE = re.compile(
    r"\w\s+(?:and|or|but|that|who|whom|whose|where|when|while|if|because|than|with)\s|[,;:.?!]\s", re.IGNORECASE
)
_BEHIND_WITH = re.compile(r"\bwith$")
_SUBJECT = re.compile(r"^(?:which|what|how many|list|show|name|give|find)\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|of)\b", re.IGNORECASE)


def references(text: str) -> Iterator[Reference]:
    """Yield what may refer to something before it: `the second one`, nouns with `this` or `those`, then pronouns.

    Example:
        >>> [one.text for one in references("Which of those films did she direct?")]
        ['those films', 'she']
    """
    empty = [match.span() for match in _EMPTY.finditer(text)]

    def found_by(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (one for one in pattern.finditer(text) if not any(start <= one.start() < end for start, end in empty))

    for match in found_by(_IN_ORDER):
        bound = bool(_IS.search(text[: match.start()]))
        place = _PLACES[match["place"].lower()]
        yield Reference(match[0], *match.span(), None, is_plural=False, may_be_bound=bound, place=place)
    for match in found_by(_DEMONSTRATIVE):
        bound = _may_be_bound(text, match, is_possessive=False)
        yield Reference(match[0], *match.span(), match["noun"], bool(match["plural"]), may_be_bound=bound)
    for match in found_by(_PRONOUN):
        yield Reference(
            match[0],
            *match.span(),
            None,
            is_plural=bool(match["plural"] or match["theirs"]),
            is_possessive=bool(match["possessive"]),
            is_place=bool(match["place"]),
            is_person=match[0].lower() in _PEOPLE,
            may_be_bound=_may_be_bound(text, match, bool(match["possessive"])),
        )


def _may_be_bound(text: str, pronoun: re.Match[str], is_possessive: bool) -> bool:
    """Return whether a pronoun may refer to a noun in its own sentence, as in `List all owners and their pets`."""
    before = text[: pronoun.start()].strip()
    if text[pronoun.end() :].lower().startswith(" own "):
        return True
    if _CLAUSE.search(before + " ") and not _BEHIND_WITH.search(before):
        return True
    return is_possessive and bool(_SUBJECT.match(before)) and not _AUXILIARY.search(before)
