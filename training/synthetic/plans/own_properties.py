"""Find words for the properties of a schema that nobody described."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from graph.plan.content_types import words_of
from graph.plan.values import Value, ValueType
from training.synthetic.plans.nouns import noun
from training.synthetic.plans.specs import PropertySpec, common_properties, domains
from training.synthetic.plans.values import content_type
from training.synthetic.plans.verbs import VerbPhrase, verb_phrase
from training.synthetic.plans.words import PropertyWords

_NUMBERS = (ValueType.INTEGER, ValueType.FLOAT)
_DATES = (ValueType.DATE, ValueType.DATETIME)
_YEARS = {"year", "born", "released", "founded", "died", "established", "since", "built", "birthyear"}
_OWNERLESS = {"name", "date", "number", "type", "id"}
_MOMENT_WORDS = ("date", "at", "on", "time", "year")
_HEADS = ("price", "salary", "rating", "age", "weight", "height", "population", "cost")
_UNITS = {
    "km": "km", "m": "metres", "ft": "feet", "mi": "miles", "cm": "cm", "mm": "mm", "kg": "kg", "g": "grams",
    "usd": "money", "eur": "money", "gbp": "money", "pct": "percent", "percent": "percent", "min": "minutes",
    "mins": "minutes", "h": "hours", "hrs": "hours", "sec": "seconds", "secs": "seconds", "ms": "ms", "mb": "MB",
    "gb": "GB", "kw": "kW", "mw": "MW", "km2": "square km", "m2": "square metres", "sqm": "square metres",
    "sqft": "square feet", "kmh": "km/h",
}  # fmt: skip
"""Units of numbers, by the last word of their key."""
_VAGUE = {
    "title",
    "text",
    "type",
    "date",
    "state",
    "size",
    "area",
    "name",
    "role",
    "position",
    "number",
    "label",
    "day",
    "length",
    "time",
}
"""Words that mean too many things to have synonyms."""


def property_words(
    owner: str, key: str, content: ValueType, values: Sequence[Value], descriptions: Sequence[str]
) -> PropertyWords:
    """Return the words for a property; its own words come before those of known properties."""
    words = words_of(key) or [key.lower()]
    own = words_of(owner)
    if len(words) > len(own) and words[: len(own)] == own and words[len(own)] not in _OWNERLESS:
        words = words[len(own) :]
    words, own_unit = _without_unit(words) if content in _NUMBERS else (words, "")
    if content is ValueType.BOOLEAN and words[0] in ("is", "was", "are") and len(words) > 1:
        words = words[1:]
    text = " ".join(words[:-1] if len(words) > 1 and words[-1] == "count" else words)
    nouns = [
        noun(f"{text}s" if words[-1] == "count" and not text.endswith("s") else text),
        *map(noun, descriptions),
    ]
    few = len(values) <= 12 and content is ValueType.STRING
    is_year = (
        content is ValueType.INTEGER
        and bool(set(words) & _YEARS)
        and all(isinstance(v, int) and 1000 < v < 2200 for v in values)
    )
    known = _fitting(words, content, is_year)
    if known is None:
        states = _states(words, content)
        if content in _DATES and words[-1].endswith("ed"):
            nouns[0] = noun(f"{text} date")
        events = (
            (verb_phrase(f"were {words[0]}"),) if (content in _DATES or is_year) and words[0].endswith("ed") else ()
        )
        return PropertyWords(tuple(dict.fromkeys(nouns)), own_unit, states=states, events=events, is_year=is_year)
    full = [one for one in known.nouns if " ".join(words) == text]
    is_noun = not (known.events and (words[-1].endswith("ed") or words[-1] in ("born", "built", "since")))
    described = nouns if is_noun else [*known.nouns, *nouns[1:]]
    keep = tuple(dict.fromkeys((*described, *(full if len(words) == 1 else ()))))
    if not is_noun:
        keep = tuple(one for one in keep if one.singular not in words)
    # The unit of another property is a guess, so only money, which any currency may follow, is kept.
    unit = own_unit or (known.unit if known.unit == "money" else "")
    return PropertyWords(
        keep, unit, known.adjectives, known.than, known.verbs, known.events, known.states, known.asks,
        known.is_adjective and few, is_year,
    )  # fmt: skip


def _without_unit(words: list[str]) -> tuple[list[str], str]:
    """Split the unit from the words of a key: `area km 2` -> `area`, square km."""
    for length in (2, 1):
        unit = _UNITS.get("".join(words[-length:]))
        if unit is not None and len(words) > length:
            return words[:-length], unit
    return words, ""


@cache
def _known_properties() -> Mapping[str, Sequence[PropertySpec]]:
    found: dict[str, list[PropertySpec]] = defaultdict(list)
    for key, spec in common_properties().items():
        nouns = [one.plural if one.is_plural else one.singular for one in spec.words.nouns]
        for text in dict.fromkeys((key.replace("_", " "), nouns[0], *(text for text in nouns if text not in _VAGUE))):
            found[text].append(spec)
    for domain in domains():
        for kind in domain.kinds.values():
            for one in kind.properties:
                if one.values == "?":
                    found[one.key.replace("_", " ")].append(one)
    return found


def _fitting(words: Sequence[str], content: ValueType, is_year: bool) -> PropertyWords | None:
    """Find a known property with these words, or with the last of them, and with values of this type."""
    texts = [" ".join(words)]
    if len(words) > 1 and words[-1] in _MOMENT_WORDS:
        texts.append(" ".join(words[:-1]))
    if len(words) > 1 and words[-1] in _HEADS and content in _NUMBERS:
        texts.append(words[-1])
    wanted = _family(content, is_year)
    return next(
        (
            spec.words
            for text in texts
            for spec in _known_properties().get(text, ())
            if _family(content_type(spec.values), spec.words.is_year) == wanted
        ),
        None,
    )


def _family(content: ValueType, is_year: bool) -> ValueType:
    """Return one type for all that people speak about in the same way: years are like dates."""
    if is_year or content in _DATES:
        return ValueType.DATE
    return ValueType.FLOAT if content in _NUMBERS else content


def _states(words: Sequence[str], content: ValueType) -> tuple[VerbPhrase, ...]:
    if content is not ValueType.BOOLEAN:
        return ()
    text = " ".join(words)
    if words[0] in ("has", "have") and len(words) > 1:
        return (verb_phrase(f"have {' '.join(words[1:])}"),)
    return (verb_phrase(f"are {text}"),)
