"""What people call an entity for short: Kubrick, or Borat without the rest of the title."""

import re

from shared.graph.spelling import is_correctable
from shared.text import normalise

MOST_BEARERS = 8
"""What more entities would go by for short is an ordinary word (`airport`), or tells too little (`smith`)."""

LONGEST = 6
"""In words; longer ones nobody calls short."""

# A title before its subtitle: `Star Wars: Episode IV`, `Dr. Strangelove or: How I Learned`, `Yi Yi (A One and a Two)`.
_SUBTITLE = re.compile(r"(?:\sor\s*)?[:(;\uff1a\uff08\uff1b]|,\s|\uff0c|\s[-–—/]\s")
# People have a few names, the last of which is their family's; longer names are titles or descriptions.
_MOST_NAMES = 4
_AFTER_NAMES = {"jr", "sr", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"}
_SHORTEST = 3


def short_name(name: str, normalised: str) -> str | None:
    """What may stand for a whole name, normalised: what precedes its subtitle, else the last of its few words.

    `normalised`: the name after `shared.text.normalise`. None where no part is telling.
    """
    subtitle = _SUBTITLE.search(name)
    short = _title(name[: subtitle.start()]) if subtitle else _family_name(normalised.split())
    # Signs alone normalise to themselves, but vanish beside letters.
    return short if short and short != normalised and short in normalised else None


def _title(text: str) -> str | None:
    title = normalise(text)
    words = title.split()
    telling = len(title) >= _SHORTEST and any(word.isalpha() for word in words)
    return title if telling and len(words) <= LONGEST else None


def _family_name(names: list[str]) -> str | None:
    while names and names[-1] in _AFTER_NAMES:
        names = names[:-1]
    return names[-1] if 1 < len(names) <= _MOST_NAMES and is_correctable(names[-1]) else None
