"""Inflect nouns."""

import re
from dataclasses import dataclass

from language.english.morphology import is_plural
from training.synthetic.inflection import plural

_SINGULARS = {"people": "person", "children": "child", "men": "man", "women": "woman", "alumni": "alumnus"}
_UNCOUNTED = frozenset(["series", "species", "staff", "data", "news", "information", "status", "address", "process"])
_PLURALS = frozenset(("critics", "mechanics"))
_COMPLEMENT = re.compile(r"(.+?)( (?:of|in|on|per|for|at) .+)")
_AN = re.compile(r"hour|honest|heir|[ai]|e(?!u)|o(?!ne\b)|u(?!ni|s|k|t)|MRI|NGO", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Noun:
    """Hold the singular and the plural of a noun; `is_plural` if the noun is used in the plural only."""

    singular: str
    plural: str
    is_plural: bool = False

    def form(self, many: bool) -> str:
        """Return the plural or the singular."""
        return self.plural if many else self.singular


def noun(text: str) -> Noun:
    """Read a noun: `film`, `shelf/shelves`, or a plural such as `pages`."""
    first, slash, rest = text.partition("/")
    if slash:
        return Noun(first, rest)
    if found := _COMPLEMENT.fullmatch(text):
        head = noun(found[1])
        return Noun(f"{head.singular}{found[2]}", f"{head.plural}{found[2]}", head.is_plural)
    last = text.rsplit(" ", 1)[-1].lower()
    if last in _PLURALS:
        return Noun(text[:-1], text, is_plural=True)
    if last in _UNCOUNTED:
        return Noun(
            text, text if last in ("series", "species", "staff", "data", "news", "information") else f"{text}es"
        )
    if is_plural(text) or last in _SINGULARS:
        return Noun(singular(text), text, is_plural=True)
    return Noun(text, plural(text))


def singular(text: str) -> str:
    """Return the singular of a plural noun phrase."""
    head, of, rest = text.partition(" of ")
    start, space, last = head.rpartition(" ")
    if last in _SINGULARS:
        last = _SINGULARS[last]
    elif last.endswith("ies") and len(last) > 4 and last not in ("movies", "cookies", "calories"):
        last = f"{last[:-3]}y"
    elif last.endswith(("sses", "shes", "ches", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return f"{start}{space}{last}{of}{rest}"


def with_article(text: str) -> str:
    """Return a noun phrase after `a` or `an`: `an hour`, `a user`."""
    return f"{'an' if _AN.match(text) else 'a'} {text}"
