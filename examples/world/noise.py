"""Insert mentions into wordings as people type them: with articles, typos, and careless case and punctuation."""

import random
import re

from examples.world.graph import read_facts

_TYPING = read_facts("typing")
_WITH_THE = re.compile("|".join(_TYPING["with_the"]))


def fill(wording: str, mention: str, rng: random.Random) -> str:
    """Insert a mention into a wording, with an article where one is needed."""
    spoken = len(wording.split()) > 4 or wording.endswith(("?", "."))
    if _WITH_THE.search(mention) and spoken and "the {x}" not in wording and rng.random() < 0.8:
        mention = f"the {mention}"
    if mention.endswith("s") and rng.random() < 0.5:
        wording = wording.replace("{x}'s", "{x}'")
    text = wording.replace("{x}", mention).replace("the the ", "the ")
    return text[0].upper() + text[1:] if wording.startswith("{x}") and text.startswith("the ") else text


def typo(word: str, rng: random.Random) -> str:
    """Swap two letters, omit or double a letter, or replace a letter with one on an adjacent key."""
    places = [i for i in range(1, len(word) - 1) if word[i].isalpha() and word[i + 1].isalpha()]
    if not places:
        return word
    at = rng.choice(places)
    error = rng.randrange(4)
    if error == 0 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if error == 1:
        return word[:at] + word[at + 1 :]
    if error == 2:
        return word[:at] + word[at] + word[at:]
    keys = _TYPING["adjacent_keys"].get(word[at].lower(), "")
    return word[:at] + (rng.choice(keys) if keys else "") + word[at + 1 :]


def misspell(text: str, rng: random.Random, *, letters_only: bool = False) -> str:
    """Add a typo to a word of five or more characters; with `letters_only`, choose a word that has only letters."""
    words = text.split(" ")
    long = [
        i for i, word in enumerate(words) if len(word) >= 5 and (word.isalpha() if letters_only else "{" not in word)
    ]
    if long:
        at = rng.choice(long)
        words[at] = typo(words[at], rng)
    return " ".join(words)


def roughen(text: str, rng: random.Random, rate: float) -> str:
    """Randomly drop capitals or the final punctuation mark, as people do when they type in a hurry."""
    if rng.random() < rate:
        text = text.lower()
    if rng.random() < rate * 1.2:
        text = text.rstrip("?.!")
    return text
