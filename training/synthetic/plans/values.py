"""Invent the values of properties from short specifications such as `#20..90`; `properties.toml` explains them."""

import math
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta

from graph.plan.values import Value, ValueType
from training.synthetic.names import STYLES, invent_name

_FORMS = {
    "=": ValueType.STRING,
    "~": ValueType.STRING,
    "$": ValueType.STRING,
    "!": ValueType.INTEGER,
    "?": ValueType.BOOLEAN,
}
_PREFIXES = ("[]", "@@", "@", "#", "!", "?", "~", "=", "$")
_TEXTS = (
    "works as described",
    "needs a second look",
    "sent back by the client",
    "great value for money",
    "part of the archive",
    "the heart of the old town",
    "a story about friendship",
    "not tested yet",
    "replaced after the storm",
    "highly recommended",
    "arrived too late",
    "made by hand",
    "very slow at times",
    "beautiful but cold",
    "first of its kind",
    "kept in the basement",
    "no problems so far",
    "rebuilt from scratch",
    "popular with families",
    "closed for renovation",
)


def split_spec(token: str) -> tuple[str, str]:
    """Split a property token into its key and the specification of its values; the latter may be empty."""
    places = [place for prefix in _PREFIXES if (place := token.find(prefix)) > 0]
    return (token[: min(places)], token[min(places) :]) if places else (token, "")


def content_type(spec: str) -> ValueType:
    """Return the type of the values that a specification describes."""
    if spec.startswith("[]"):
        return ValueType.LIST
    if spec.startswith("@"):
        return ValueType.DATETIME if spec.startswith("@@") else ValueType.DATE
    if spec.startswith("#"):
        return ValueType.FLOAT if _is_float(spec) else ValueType.INTEGER
    return _FORMS[spec[0]]


def invent_values(spec: str, count: int, rng: random.Random) -> list[Value]:
    """Invent distinct values; a category gives all of its values.

    Args:
        spec: The specification.
        count: The number of values.
        rng: The source of chance.
    """
    if spec[0] in "~=":
        return [text.replace("_", " ") for text in spec[1:].split("|")]
    if spec == "?":
        return [True, False]
    make = _maker(spec, rng)
    return list(dict.fromkeys(make() for _ in range(count)))


def _maker(spec: str, rng: random.Random) -> Callable[[], Value]:
    if spec.startswith("[]"):
        items = spec[2:].split("|")
        return lambda: tuple(rng.sample(items, rng.randint(1, min(3, len(items)))))
    if spec.startswith("$"):
        return lambda: invent_text(spec[1:], rng)
    low, _, high = spec.lstrip("@#!").partition("..")
    if spec.startswith("@"):
        return lambda: _moment(int(low), int(high), spec.startswith("@@"), rng)
    if spec.startswith("!"):
        return lambda: rng.randint(int(low), int(high))
    return lambda: _number(float(low), float(high), _is_float(spec), rng)


def _is_float(spec: str) -> bool:
    return "." in spec.lstrip("#").replace("..", "")


def _number(low: float, high: float, is_float: bool, rng: random.Random) -> Value:
    """Draw a number; wide ranges have many small numbers, as most quantities do."""
    if low > 0 and high / low > 50:
        value = math.exp(rng.uniform(math.log(low), math.log(high)))
    else:
        value = rng.uniform(low, high)
    return round(value, 1 if high < 15 else 2) if is_float else round(value)


def _moment(first: int, last: int, with_time: bool, rng: random.Random) -> Value:
    day = date(first, 1, 1) + timedelta(days=rng.randrange((last - first + 1) * 365))
    if not with_time:
        return day
    return datetime(day.year, day.month, day.day, rng.randrange(24), rng.randrange(60))


def invent_text(style: str, rng: random.Random) -> str:
    """Invent a text in a style of `training.synthetic.names`, or in one of the styles below."""
    name = _plain("person", rng)
    first, *_, last = [part.lower() for part in name.split()]
    match style:
        case "email":
            return f"{first}.{last}@{rng.choice(('mail', 'post', 'corp', 'inbox'))}.{rng.choice(('com', 'org', 'net'))}"
        case "phone":
            return f"+{rng.randint(1, 99)} {rng.randint(100, 999)} {rng.randint(10000, 999999)}"
        case "address":
            street = f"{_plain('place', rng)} {rng.choice(('Street', 'Road', 'Avenue', 'Lane'))}"
            return f"{rng.randint(1, 240)} {street}"
        case "postcode":
            return f"{rng.randint(10000, 99999)}"
        case "url":
            return f"www.{last}-{rng.choice(('online', 'group', 'shop', 'art'))}.com"
        case "version":
            return f"{rng.randint(0, 12)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}"
        case "isbn":
            return f"978-{rng.randint(0, 9)}-{rng.randint(100, 999)}-{rng.randint(10000, 99999)}-{rng.randint(0, 9)}"
        case "iata":
            return "".join(rng.choice("ABCDEFGHJKLMNOPRSTUVWXYZ") for _ in range(3))
        case "ip":
            return f"10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"
        case "handle":
            return rng.choice((f"{first}{rng.randint(1, 999)}", f"{first}_{last}", f"{last}.{first[:2]}", name))
        case "text":
            return rng.choice(_TEXTS) if rng.random() < 0.5 else f"{rng.choice(_TEXTS)}, {rng.choice(_TEXTS)}"
        case "code":
            return (
                f"{rng.choice(('A', 'B', 'INV', 'TX', 'K', 'RX', 'No-', 'ORD-', 'C-', 'PR'))}{rng.randint(10, 99999)}"
            )
        case "term":
            last = rng.choice(("gateway", "basics", "unit", "lab", "group", "core", "project"))
            return f"{invent_name('term', rng)} {last}"
        case "place" | "person" | "company" | "title" | "product" | "team" | "institute" | "language":
            return _plain(style, rng)
    return invent_name(style, rng) if style in STYLES else style


def _plain(style: str, rng: random.Random) -> str:
    """Invent a name that reads well in a sentence: without brackets, commas, and other scripts."""
    for _ in range(20):
        name = invent_name(style, rng)
        if name.isascii() and not set(name) & set("(),?:.&"):
            return name
    return name
