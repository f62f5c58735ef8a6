"""Invent entity names in many styles, so that an adapter learns to copy names instead of recalling them."""

import random
import tomllib
from collections.abc import Callable
from pathlib import Path

_PARTS: dict[str, list[str]] = {
    key: parts.split() if isinstance(parts, str) else parts
    for key, parts in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}


def invent_name(style: str, random_: random.Random) -> str:
    """Invent a name in a style, such as `person`, `place`, `title`, `company`, or `date`; see `STYLES`."""
    return STYLES[style](random_)


def similar_name(name: str, random_: random.Random) -> str:
    """Invent a name that is easily confused with the given one, such as `Luxembourg City` for `Luxembourg`."""
    first, _, rest = name.partition(" ")
    forms = [f"{name} City", f"{name} (state)", f"{name} II", f"New {name}", f"{name}, {_place_word(random_)}"]
    if rest:
        forms += [f"{first} {_part(random_, 'nouns')}", f"{_part(random_, 'adjectives')} {rest}"] * 2
    return random_.choice(forms)


def _person(r: random.Random) -> str:
    first, last = _part(r, "first"), _part(r, "last")
    pattern = r.random()
    if pattern < 0.08:
        return f"{first} {r.choice('ABCDEFGHJKLMNPRSTW')}. {last}"
    if pattern < 0.12:
        return f"{last}, {first}"
    if pattern < 0.15:
        return f"{first} {last} Jr."
    if pattern < 0.19:
        return f"{first} {last}-{_part(r, 'last')}"
    return f"{first} {last}"


def _place(r: random.Random) -> str:
    base = _part(r, "prefixes") + _part(r, "middles") + _part(r, "suffixes")
    pattern = r.random()
    if pattern < 0.06:
        return f"{base} and {_place_word(r)}"
    if pattern < 0.12:
        return f"{base}, {_place_word(r)}"
    if pattern < 0.17:
        return f"{r.choice(['North', 'New', 'Saint', 'Port', 'Côte', 'El', 'São', 'Upper'])} {base}"
    if pattern < 0.21:
        return f"{base} {r.choice(['Islands', 'Region', 'Bay', 'County', '(state)', '(province)'])}"
    if pattern < 0.24:
        return f"{base}-{_place_word(r).lower()}"
    return _part(r, "other_scripts") if pattern > 0.97 else base


def _part(r: random.Random, kind: str) -> str:
    return r.choice(_PARTS[kind])


def _place_word(r: random.Random) -> str:
    return _part(r, "prefixes") + _part(r, "suffixes")


def _title(r: random.Random) -> str:
    adjective, noun, other = _part(r, "adjectives"), _part(r, "nouns"), _part(r, "nouns")
    forms = [
        f"The {adjective} {noun}", f"{adjective} {noun}", noun, f"The {noun} of {_place_word(r)}",
        f"{noun} and {other}", f"The {noun}, the {other} and the {_part(r, 'nouns')}",
        f"{noun} {r.choice(['II', '2', '3', 'III'])}",
        f"{noun}: The {adjective} {other}", f"{noun} ({_part(r, 'parentheses')})", f"A {noun} for {_part(r, 'first')}",
        f"{_part(r, 'first')}'s {noun}", f"{r.randint(2, 101)} {noun}s", f"{adjective}, {_part(r, 'adjectives')}",
        f"Who Heard the {noun}?", f"{noun} in {_part(r, 'months')}", f"The {adjective} {noun} of the {other}",
    ]  # fmt: skip
    return r.choice(forms)


def _company(r: random.Random) -> str:
    base = r.choice(
        [_part(r, "last"), _place_word(r), _part(r, "nouns"), _part(r, "prefixes") + r.choice(["tech", "ix", "ora"])]
    )
    return r.choice(
        [f"{base} {_part(r, 'companies')}", f"{base} & {_part(r, 'last')}", base + r.choice(["soft", "Net", ""])]
    )


def _code(r: random.Random) -> str:
    letters = "".join(r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(r.randint(2, 4)))
    return r.choice(
        [letters, f"{letters}-{r.randint(1, 999)}", f"{letters}{r.randint(10, 9999)}", f"Q{r.randint(100, 99999)}"]
    )


def _number(r: random.Random) -> str:
    value = r.randint(1, 10 ** r.randint(1, 8))
    return r.choice([str(value), str(value), f"{value:,}", f"{value / 10:.1f}", f"-{value % 100}"])


def _product(r: random.Random) -> str:
    base = r.choice([_part(r, "nouns"), _part(r, "adjectives"), _place_word(r)])
    return r.choice(
        [f"{base} {r.randint(1, 900)}", f"{base} Pro", f"{base} {_code(r)}", f"{base}{r.choice(['X', 'One', 'Go'])}"]
    )


STYLES: dict[str, Callable[[random.Random], str]] = {
    "person": _person,
    "place": _place,
    "title": _title,
    "company": _company,
    "institute": lambda r: _part(r, "institutes").format(_place_word(r)),
    "team": lambda r: _part(r, "teams").format(_place_word(r)),
    "term": lambda r: _part(r, "terms").replace("-", r.choice([" ", "-", " "])),
    "Term": lambda r: _part(r, "terms").replace("-", " ").capitalize(),
    "language": lambda r: _part(r, "prefixes") + r.choice(["ish", "ese", "ian", "ic", "i", "an", "u"]),
    "year": lambda r: str(r.randint(1850, 2030)),
    "number": _number,
    "date": lambda r: r.choice([f"{r.randint(1, 28)} {_part(r, 'months')} {r.randint(1700, 2025)}",
                                f"{r.randint(1700, 2025)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}"]),
    "code": _code,
    "product": _product,
}  # fmt: skip
