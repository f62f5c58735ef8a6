"""One way to compare names: used by the name index, entity linking and the metrics alike."""

import re
import unicodedata

_NOT_WORD = re.compile(r"[^\w]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_APOSTROPHES = re.compile(r"['’‘`´]")


def normalise(text: str) -> str:
    """Fold case, accents, punctuation and runs of blanks: `Côte d'Ivoire` -> `cote divoire`.

    A text of punctuation alone folds to itself in lower case, so that no name becomes empty.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    folded = _NOT_WORD.sub(" ", _APOSTROPHES.sub("", bare).replace("_", " ")).strip()
    return folded or text.casefold().strip()


def readable(relation: str) -> str:
    """A relation's name as words: `directed_by`, `directedBy`, `film.film.directed_by`, `http://e.org/p#directedBy`.

    Of a dotted or IRI name only the last part is kept; a leading `^` becomes `inverse of`.
    """
    if relation.startswith("^"):
        return f"inverse of {readable(relation[1:])}"
    last = re.split(r"[/#]", relation.rstrip("/#>"))[-1]
    last = last.split(".")[-1] or last
    spaced = _CAMEL.sub(" ", last.replace("_", " ").replace("-", " "))
    return " ".join(spaced.split()).lower() or relation


def words(text: str) -> list[str]:
    """The normalised words of a text."""
    return normalise(text).split()
