"""One way to compare names: used by the name index, entity linking and the metrics alike."""

import re
import unicodedata
from collections.abc import Iterable

_NOT_WORD = re.compile(r"(?:[^\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0fff\u3099\u309a]|_)+")
_ACCENTED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_APOSTROPHES = re.compile(r"['’‘`´]")
_POSSESSIVE = re.compile(r"['’‘`´]s\b")


def normalise(text: str) -> str:
    """Fold case, accents, punctuation and runs of blanks: `Côte d'Ivoire` -> `cote divoire`.

    A text of punctuation alone folds to itself in lower case, so that no name becomes empty.
    """
    if text.isascii() and text.replace(" ", "").isalnum():
        return " ".join(text.lower().split())  # the same, several times faster
    bare = text.casefold() if text.isascii() else _without_accents(text)
    folded = _NOT_WORD.sub(" ", _APOSTROPHES.sub("", bare)).strip()
    return folded or text.casefold().strip()


def _without_accents(text: str) -> str:
    """Folded to lower case, without the accents of scripts in which one may leave them out.

    In others a mark makes another letter: Devanagari's vowels, the voiced sounds of kana.
    """
    kept: list[str] = []
    bare = False
    # Twice, since some signs become capitals when they are taken apart (`№`).
    for character in unicodedata.normalize("NFKD", text.casefold()).casefold():
        if not unicodedata.combining(character):
            bare = unicodedata.name(character, "").startswith(_ACCENTED_SCRIPTS)
        elif bare:
            continue
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


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


def named(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in a text as whole words, both normalised; `France's` names France, too.

    A name without letters and digits has no words to compare and is looked for as it stands: `€`.
    """
    padded = f" {normalise(text)} | {normalise(without_possessives(text))} "
    folded = text.casefold()

    def occurs(name: str) -> bool:
        if any(character.isalnum() for character in name):
            return f" {normalise(name)} " in padded
        return name.strip().casefold() in folded

    return [name for name in names if occurs(name)]


def without_possessives(text: str) -> str:
    """`France's` -> `France`."""
    return _POSSESSIVE.sub("", text)


def words(text: str) -> list[str]:
    """The normalised words of a text."""
    return normalise(text).split()
