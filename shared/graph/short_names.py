"""What people call an entity for short: Kubrick, or Borat without the rest of the title."""

import re

from shared.graph.spelling import is_correctable
from shared.text import normalise

MOST_BEARERS = 8
"""What more entities would go by for short is an ordinary word (`airport`), or tells too little (`smith`)."""

# A title before its subtitle: `Star Wars: Episode IV`, `Dr. Strangelove or: How I Learned`, `Yi Yi (A One and a Two)`.
_SUBTITLE = re.compile(r"(?:\s+or)?\s*[:(;]|,\s|\s+[-–—/]\s")
# People have a few names, the last of which is their family's; longer names are titles or descriptions.
_MOST_WORDS = 4


def short_name(name: str, normalised: str) -> str | None:
    """What may stand for a whole name, normalised: what precedes its subtitle, else the last of its few words.

    `normalised`: the name after `shared.text.normalise`. None where no part is telling.
    """
    if subtitle := _SUBTITLE.search(name):
        short = normalise(name[: subtitle.start()])
    else:
        words = normalised.split()
        short = words[-1] if 1 < len(words) <= _MOST_WORDS else ""
    # Signs alone normalise to themselves, but vanish beside letters.
    return short if is_correctable(short) and short != normalised and short in normalised else None
