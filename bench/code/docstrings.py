"""Check whether a docstring starts with an imperative verb, using a list of verbs."""

import re
from functools import cache
from pathlib import Path

_VERBS = Path(__file__).with_name("imperative_verbs.txt")


@cache
def _read_words() -> dict[str, frozenset[str]]:
    """Read the sections of the word list, keyed by title."""
    text = re.sub(r"^#.*$", "", _VERBS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = re.split(r"^\[(.*)\]$", text, flags=re.MULTILINE)[1:]
    return {title: frozenset(words.split()) for title, words in zip(parts[::2], parts[1::2], strict=True)}


def opens_with_verb(docstring: str) -> bool:
    """Check the first word and, if that may also be a noun, the second one."""
    opening = re.match(r"([A-Z][a-z]*(?:-[a-z]+)*)( +[\w`'\"-]+)?", docstring)
    if not opening:
        return False
    words, first, second = _read_words(), opening[1].lower(), (opening[2] or "").strip().lower()
    if first in words["unless a preposition follows"]:
        return bool(second) and second not in words["prepositions"]
    return first in words["always"] or (first in words["before a determiner"] and second in words["determiners"])
