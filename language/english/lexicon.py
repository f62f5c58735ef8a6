"""Know the classes of English words, such as prepositions, and words that begin a question; `lexicon.toml` has them."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path


def _read() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    found: dict[str, set[str]] = defaultdict(set)
    for classes, words in table["words"].items():
        for name in classes.split(", "):
            found[name].update(words.split())
    return {name: frozenset(found[name]) for name in table["classes"]}


_WORDS = _read()


def classes(beginning: str) -> list[str]:
    """Return the names of the classes with a beginning.

    Example:
        >>> classes("measures ")[:2]
        ['measures time', 'measures moment']
    """
    return [name for name in _WORDS if name.startswith(beginning)]


def words_of_class(name: str) -> frozenset[str]:
    """Return the words of a class, in lower case. Raises KeyError if there is no such class.

    Example:
        >>> sorted(words_of_class("time preposition"))
        ['since', 'until']
    """
    return _WORDS[name]
