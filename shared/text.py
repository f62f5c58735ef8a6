"""Normalise names leniently, for the name index and entity linking; checks use `shared.exact_match`."""

import re
import unicodedata

_NOT_WORD = re.compile(r"(?:[^\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0fff\u3099\u309a]|_)+")
_ACCENTED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_APOSTROPHES = re.compile(r"['’‘`´]")
_POSSESSIVE = re.compile(r"['’‘`´]s\b", re.IGNORECASE)


def normalise(text: str) -> str:
    """Fold case, accents, punctuation and runs of blanks: `Côte d'Ivoire` -> `cote divoire`.

    A text of punctuation alone folds to itself in lower case, so that no name becomes empty.
    """
    if text.isascii() and text.replace(" ", "").isalnum():
        return " ".join(text.lower().split())  # the same, several times faster
    bare = text.casefold() if text.isascii() else _without_accents(text)
    if bare.replace(" ", "").isalnum():
        return " ".join(bare.split())
    folded = _NOT_WORD.sub(" ", _APOSTROPHES.sub("", bare)).strip()
    return folded or text.casefold().strip()


def _without_accents(text: str) -> str:
    """Folded to lower case, without the accents of scripts in which one may leave them out.

    In others a mark makes another letter: Devanagari's vowels, the voiced sounds of kana.
    """
    # Twice, since some signs become capitals when they are taken apart (`№`).
    apart = unicodedata.normalize("NFKD", text.casefold()).casefold()
    # Most texts have no marks, and to look up a character's name takes ten times as long as to ask whether it is one.
    if not any(map(unicodedata.combining, apart)):
        return unicodedata.normalize("NFC", apart)
    kept: list[str] = []
    letter = ""
    for character in apart:
        if not unicodedata.combining(character):
            letter = character
        elif letter and unicodedata.name(letter, "").startswith(_ACCENTED_SCRIPTS):
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


def without_possessives(text: str) -> str:
    """`France's` -> `France`."""
    return _POSSESSIVE.sub("", text)


def words(text: str) -> list[str]:
    """The normalised words of a text."""
    return normalise(text).split()


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`, which blanks separate, as they are spelled."""
    return frozenset(text.split())
