"""Choose wordings from `wordings.toml`, and keep those that are held out apart."""

import random
import re
import tomllib
import zlib
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter

_HELD_OUT_PERCENT = 15
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_OPENER = re.compile(r"\{opener_(\w+)\}")


class Split(StrEnum):
    """Name a part of the wordings; questions for training use no wording that is held out."""

    TRAIN = "train"
    HELD_OUT = "held_out"


@cache
def _tables() -> Mapping[str, Mapping[str, Sequence[str]]]:
    loaded: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    )
    return loaded


@cache
def wordings(table: str, name: str, split: Split) -> Sequence[str]:
    """Return the wordings of a list that belong to a split; a list has at least one in each."""
    found = _tables()[table][name]
    distinct = sorted(set(found), key=lambda text: zlib.crc32(f"{name} {text}".encode()))
    held_out = set(distinct[: max(1, len(distinct) * _HELD_OUT_PERCENT // 100)]) if len(distinct) > 1 else set()
    return [text for text in found if (text in held_out) is (split is Split.HELD_OUT)]


@cache
def part_wordings(table: str, name: str, split: Split) -> Sequence[str]:
    """Return the wordings of a part of a question; questions that are held out use all of them."""
    found = wordings(table, name, Split.TRAIN)
    return found if split is Split.TRAIN else [*found, *wordings(table, name, Split.HELD_OUT)]


def frames() -> Mapping[str, Sequence[str]]:
    """Return the wordings of all shapes."""
    return _tables()["frames"]


@cache
def slots_of(wording: str) -> frozenset[str]:
    """Return the slots that a wording needs, apart from openers, which every question has."""
    names = {name for _, name, _, _ in Formatter().parse(wording) if name}
    return frozenset(name for name in names if not name.startswith("opener_"))


def choose_frame(shape: str, available: Collection[str], split: Split, rng: random.Random) -> str | None:
    """Choose a wording of a shape whose slots are available, with its choices and its opener decided."""
    fitting = [text for text in wordings("frames", shape, split) if slots_of(text) <= set(available)]
    if not fitting:
        return None
    frame = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), rng.choice(fitting))
    return _OPENER.sub(lambda found: rng.choice(wordings("openers", found[1], split)), frame)


def expansions(wording: str) -> list[str]:
    """Return a wording with its choices decided in all ways; openers stay slots."""
    parts = _CHOICE.split(wording)
    options = [part.split("|") if place % 2 else [part] for place, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*options)]
