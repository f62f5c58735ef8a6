"""One way to compare names: used by the name index, entity linking and the metrics alike."""

import re
import unicodedata
from collections.abc import Collection, Iterable

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


def named(text: str, names: Collection[str]) -> list[str]:
    """The names that occur in a text as whole words, both normalised; `France's` names France, too.

    A name that occurs only within longer ones of `names` is not named: Guinea in Papua New Guinea. A name without
    letters and digits has no words to compare and is looked for as it stands: `€`.
    """
    padded = f"{_apart(normalise(text))}|{_apart(normalise(without_possessives(text)))}"
    folded = text.casefold()
    spelt = {name: _apart(normalise(name)) for name in names if any(map(str.isalnum, name))}
    found = [name for name in names if (spelt[name] in padded if name in spelt else name.strip().casefold() in folded)]
    # `Henry's Crime` stands in the text without its possessive, too.
    forms = {*spelt.values(), *(_apart(normalise(without_possessives(name))) for name in spelt)}

    def stands_alone(name: str) -> bool:
        longer = [form for form in forms if spelt[name] in form and form != spelt[name]]
        return spelt[name] in _without(padded, longer)

    return [name for name in found if name not in spelt or stands_alone(name)]


def times_named(text: str, names: Collection[str]) -> dict[str, int]:
    """How often each name occurs in a text, not counting where it is part of a longer one of `names`."""
    rest = _apart(normalise(text))
    times = {}
    for name in sorted(set(names), key=len, reverse=True):
        spelt = _apart(normalise(name))
        times[name] = rest.count(spelt)
        rest = rest.replace(spelt, "|")
    return times


def _apart(normalised: str) -> str:
    """With blanks of its own on both sides of each word, so that words can be counted side by side."""
    return "".join(f" {word} " for word in normalised.split())


def _without(padded: str, longer: Iterable[str]) -> str:
    for spelt in sorted(longer, key=len, reverse=True):
        padded = padded.replace(spelt, "|")
    return padded


def without_possessives(text: str) -> str:
    """`France's` -> `France`."""
    return _POSSESSIVE.sub("", text)


def words(text: str) -> list[str]:
    """The normalised words of a text."""
    return normalise(text).split()
