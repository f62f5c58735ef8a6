"""One way to compare names: used by the name index, entity linking and the metrics alike."""

import re
import unicodedata

_NOT_WORD = re.compile(r"[^\w]+", re.UNICODE)
_APOSTROPHES = re.compile(r"['’‘`´]")


def normalise(text: str) -> str:
    """Fold case, accents, punctuation and runs of blanks: `Côte d'Ivoire` -> `cote divoire`.

    A text of punctuation alone folds to itself in lower case, so that no name becomes empty.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    folded = _NOT_WORD.sub(" ", _APOSTROPHES.sub("", bare).replace("_", " ")).strip()
    return folded or text.casefold().strip()


def words(text: str) -> list[str]:
    """The normalised words of a text."""
    return normalise(text).split()
