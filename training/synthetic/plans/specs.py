"""Read the domains: what their kinds, properties, and relationships are called."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from training.synthetic.plans.nouns import Noun, noun, with_article
from training.synthetic.plans.values import split_spec
from training.synthetic.plans.verbs import verb_phrase
from training.synthetic.plans.words import KindWords, PropertyWords, RelationWords

_FOLDER = Path(__file__).parent
_UNITS = {
    "mb": "MB",
    "gb": "GB",
    "kg": "kg",
    "km": "km",
    "ms": "ms",
    "mw": "MW",
    "days": "days",
    "months": "months",
    "minutes": "minutes",
    "weeks": "weeks",
}
_EVENTS = {
    "approved": "approval",
    "installed": "installation",
    "filed": "filing",
    "appointed": "appointment",
    "found": "discovery",
    "enrolled": "enrolment",
    "admitted": "admission",
    "arrived": "arrival",
    "established": "foundation",
    "sown": "sowing",
    "saved": "saving",
    "diagnosed": "diagnosis",
    "climbed": "first ascent",
    "amended": "amendment",
}
_HAD = frozenset(
    [
        "balcony",
        "garden",
        "pool",
        "roof",
        "playground",
        "breakfast",
        "warranty",
        "projector",
        "night_shift",
        "lunch",
        "newsletter",
        "solar",
        "smoking",
    ]
)
"""Flags that are things, so that people say `with a balcony` instead of `that are balcony`."""
_ACRONYMS = {
    "gdp": "GDP",
    "ip": "IP",
    "isbn": "ISBN",
    "iata": "IATA",
    "gpa": "GPA",
    "id": "ID",
    "os": "operating system",
}


@dataclass(frozen=True, slots=True)
class PropertySpec:
    """Describe a property of a domain: the words of its key, the words for it, and its values."""

    key: str
    words: PropertyWords
    values: str


@dataclass(frozen=True, slots=True)
class KindSpec:
    """Describe a kind of a domain; `names` is the style or the list of its names."""

    name: str
    words: KindWords
    names: str
    properties: tuple[PropertySpec, ...]


@dataclass(frozen=True, slots=True)
class RelationSpec:
    """Describe a relationship of a domain."""

    source: str
    target: str
    words: RelationWords
    properties: tuple[PropertySpec, ...]


@dataclass(frozen=True)
class Domain:
    """Hold what a domain contains."""

    name: str
    kinds: Mapping[str, KindSpec]
    relations: Sequence[RelationSpec]


@cache
def domains() -> Sequence[Domain]:
    """Return all domains, in the order of their names."""
    found = []
    for file in sorted((_FOLDER / "domains").glob("*.toml")):
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            kinds = {kind: _kind(kind, text) for kind, text in table["kinds"].items()}
            found.append(Domain(name, kinds, tuple(map(_relation, table["relations"]))))
    return sorted(found, key=lambda domain: domain.name)


@cache
def common_properties() -> Mapping[str, PropertySpec]:
    """Return the properties that many kinds share, by key."""
    table = tomllib.loads((_FOLDER / "properties.toml").read_text(encoding="utf-8"))
    return {key: PropertySpec(key, _property_words(key, entry), entry["values"]) for key, entry in table.items()}


def _kind(name: str, text: str) -> KindSpec:
    nouns, names, properties = (part.strip() for part in f"{text};".split(";")[:3])
    is_person = names in ("person", "handle") and name not in ("Animal", "Role", "Character")
    return KindSpec(name, KindWords(_nouns(nouns), is_person), names, _properties(properties))


def _relation(text: str) -> RelationSpec:
    ends, forward, backward, target, source, properties = (part.strip() for part in f"{text};;".split(";")[:6])
    start, _, end = ends.partition(" > ")
    words = RelationWords(
        tuple(verb_phrase(one) for one in _parts(forward)),
        tuple(verb_phrase(one) for one in _parts(backward)),
        _nouns(target),
        _nouns(source),
    )
    return RelationSpec(start, end, words, _properties(properties))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _nouns(text: str) -> tuple[Noun, ...]:
    return tuple(map(noun, _parts(text)))


def _properties(text: str) -> tuple[PropertySpec, ...]:
    # Spaces inside of categories are part of their values.
    tokens: list[str] = []
    for word in text.split():
        if tokens and "|" in tokens[-1] and "|" in word and not any(sign in word for sign in "#$@=~!?["):
            tokens[-1] += f" {word}"
        else:
            tokens.append(word)
    return tuple(map(_property, tokens))


def _property(token: str) -> PropertySpec:
    key, values = split_spec(token)
    if not values:
        return common_properties()[key]
    known = common_properties().get(key)
    if known is not None and known.values[0] == values[0]:
        return PropertySpec(key, known.words, values)
    return PropertySpec(key, own_property_words(key, values), values)


def own_property_words(key: str, values: str) -> PropertyWords:
    """Return the words for a property that has no entry of its own."""
    *first, last = key.replace("_", " ").split()
    unit = _UNITS.get(last, "") if first else ""
    text = " ".join(
        first
        if (unit and last not in ("days", "months", "minutes", "weeks")) or (last == "count" and first)
        else [*first, last]
    )
    text = " ".join(_ACRONYMS.get(word, word) for word in text.split())
    if key == "since":
        text = "start date" if values[0] == "@" else "start year"
    if values[0] in "@!" and last in _EVENTS:
        label = f"{_EVENTS[last]} {'year' if values[0] == '!' else 'date'}"
        event = "arrived/arrive" if last == "arrived" else f"were {text}"
        return PropertyWords((noun(label),), events=(verb_phrase(event),), is_year=values[0] == "!")
    states = (verb_phrase(_state(key, text)),) if values == "?" else ()
    return PropertyWords((noun(text),), unit, states=states, is_adjective=values[0] == "~", is_year=values[0] == "!")


def _state(key: str, text: str) -> str:
    match key:
        case "breakfast" | "lunch":
            return f"include {text}"
        case "solar":
            return "have solar panels"
        case "smoking":
            return "allow smoking"
        case "smoker":
            return "smoke"
        case "newsletter":
            return "get the newsletter"
    return f"have {with_article(text)}" if key in _HAD else f"are {text}"


def _property_words(key: str, entry: Mapping[str, Any]) -> PropertyWords:
    nouns = _nouns(entry["words"])
    phrases = {name: tuple(map(verb_phrase, _parts(entry.get(name, "")))) for name in ("verbs", "events", "states")}
    compare = tuple(tuple(_parts(text)) for text in entry.get("compare", ()))
    more, _, less = entry.get("than", "").partition(", ")
    than = ((more, less),) if less else ()
    return PropertyWords(
        nouns,
        entry.get("unit", ""),
        compare,
        than,
        asks=tuple(entry.get("asks", ())),
        is_adjective=entry["values"][0] == "~",
        is_year=entry["values"][0] == "!",
        **phrases,
    )
