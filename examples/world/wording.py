"""The hand-written wordings, and how a wording becomes a question: mentions, letter case, typing errors."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from examples.world.store import HERE

SPLITS = ("train", "valid", "test")
WORDINGS = HERE / "wordings"
MARKS = {">": "valid", ">>": "test"}
WITH_THE = re.compile(
    r"^(United|Republic|Democratic|Central African|Dominican Republic|European Union|Arab League|Nordic|Gulf"
    r"|Schengen Area|Commonwealth|Caribbean$|Netherlands$|Philippines$|Bahamas$|Gambia$|Maldives$|Czech Republic|USA?$"
    r"|U\.S\.|UK$|UAE$|U\.K\.|DRC$|EU$|Vatican$|Isle of)|Islands$|Republic$|Emirates$"
)
NEIGHBOURS = {
    "a": "sq",
    "b": "vn",
    "c": "xv",
    "d": "sf",
    "e": "wr",
    "f": "dg",
    "g": "fh",
    "h": "gj",
    "i": "uo",
    "j": "hk",
    "k": "jl",
    "l": "k",
    "m": "n",
    "n": "bm",
    "o": "ip",
    "p": "o",
    "q": "w",
    "r": "et",
    "s": "ad",
    "t": "ry",
    "u": "yi",
    "v": "cb",
    "w": "qe",
    "x": "zc",
    "y": "tu",
    "z": "x",
}


@dataclass
class Kind:
    """A kind of question: a path, the topics that it is asked of, and its wordings per split."""

    name: str
    path: list[str]
    pools: list[str]
    wordings: dict[str, list[str]] = field(default_factory=lambda: {split: [] for split in SPLITS})


def read_kinds(names: tuple[str, ...], folder: Path = WORDINGS) -> list[Kind]:
    """The kinds of the wording files."""
    kinds: list[Kind] = []
    split = "train"
    for name in names:
        for line in (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("@"):
                title, path, pools = (part.strip() for part in line[1:].split("|"))
                kinds.append(Kind(title, path.split(), pools.split()))
                split = "train"
            elif line.split(" ")[0] in MARKS:
                split = MARKS[line.split(" ")[0]]
            elif line.strip():
                kinds[-1].wordings[split].append(line.strip())
    return kinds


def read_carriers(folder: Path = WORDINGS) -> list[str]:
    """What people say around a question, which stands at `{q}`; for training questions only."""
    return (folder / "carriers.txt").read_text(encoding="utf-8").splitlines()


def plain(text: str) -> str:
    """A wording without case and punctuation, to compare wordings."""
    return " ".join(re.findall(r"[a-z0-9{}]+", text.lower()))


def assert_disjoint(kinds: list[Kind]) -> None:
    """No wording of a split is a wording of another one."""
    owner: dict[str, str] = {}
    for kind in kinds:
        for split, wordings in kind.wordings.items():
            for wording in wordings:
                if owner.setdefault(plain(wording), split) != split:
                    raise ValueError(f"in two splits: {wording!r}")
            if len(set(wordings)) != len(wordings):
                raise ValueError(f"twice in {kind.name}, {split}")


def fill(wording: str, mention: str, rng: random.Random) -> str:
    """Put the mention into the wording, with the article that it needs."""
    spoken = len(wording.split()) > 4 or wording.endswith(("?", "."))
    if WITH_THE.search(mention) and spoken and "the {x}" not in wording and rng.random() < 0.8:
        mention = f"the {mention}"
    if mention.endswith("s") and rng.random() < 0.5:
        wording = wording.replace("{x}'s", "{x}'")
    text = wording.replace("{x}", mention).replace("the the ", "the ")
    return text[0].upper() + text[1:] if wording.startswith("{x}") and text.startswith("the ") else text


def typo(word: str, rng: random.Random) -> str:
    """A word with one typing error: two letters swapped, one left out, doubled or replaced by a key beside it."""
    places = [i for i in range(1, len(word) - 1) if word[i].isalpha() and word[i + 1].isalpha()]
    if not places:
        return word
    at = rng.choice(places)
    how = rng.randrange(4)
    if how == 0 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if how == 1:
        return word[:at] + word[at + 1 :]
    if how == 2:
        return word[:at] + word[at] + word[at:]
    keys = NEIGHBOURS.get(word[at].lower(), "")
    return word[:at] + rng.choice(keys) + word[at + 1 :] if keys else word[:at] + word[at + 1 :]


def misspell_wording(wording: str, rng: random.Random) -> str:
    """A wording with a typing error in one of its longer words."""
    words = wording.split(" ")
    long = [i for i, word in enumerate(words) if len(word) >= 5 and "{" not in word]
    if long:
        at = rng.choice(long)
        words[at] = typo(words[at], rng)
    return " ".join(words)


def rough(text: str, rng: random.Random, rate: float) -> str:
    """Sometimes the small letters and the missing marks of hasty typing."""
    if rng.random() < rate:
        text = text.lower()
    if rng.random() < rate * 1.2:
        text = text.rstrip("?.!")
    return text
