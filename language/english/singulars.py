"""Return the singular of English plurals, with which tables are often named: `categories` -> `category`."""

import tomllib
from pathlib import Path

from language.english.inflection import IRREGULAR_PLURALS, plural_of

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_EXCEPTIONS: dict[str, str] = _TABLES["singulars"]
_NO_PLURALS = frozenset(_TABLES["no_plurals"]["words"])
_IRREGULAR = {plural: noun for noun, plural in IRREGULAR_PLURALS.items() if plural != noun}
# What the singular has in place of an ending of the plural; the longest ending that gives a noun with this plural wins.
_ENDINGS = (
    ("children", "child"),
    ("ouses", "ouse"),
    ("auses", "ause"),
    ("sses", "ss"),
    ("uses", "us"),
    ("zzes", "zz"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ies", "y"),
    ("ives", "ive"),
    ("lves", "lf"),
    ("aves", "af"),
    ("arves", "arf"),
    ("men", "man"),
    ("oes", "o"),
    ("s", ""),
)


def singular_of(noun: str) -> str:
    """Return the singular of one noun in lower case; a word that is no regular plural stays as it is.

    Example:
        >>> [singular_of(one) for one in ("categories", "people", "addresses", "status", "movies")]
        ['category', 'person', 'address', 'status', 'movie']
    """
    if noun in _NO_PLURALS or noun.endswith(("ss", "us", "is")) or len(noun) < 3:
        return noun
    if found := _EXCEPTIONS.get(noun) or _IRREGULAR.get(noun):
        return found
    for ending, before in _ENDINGS:
        found = noun[: -len(ending)] + before
        if noun.endswith(ending) and found and plural_of(found) in (noun, found):
            return found
    return noun
