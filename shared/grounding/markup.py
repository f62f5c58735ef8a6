"""Links, markup and control characters in a model's text: whatever shows or reads it may act on them.

Names may hold them: what stands in a text just as in a name of its evidence is no fault.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_MARKUP = re.compile(
    r"""
    (?P<tag> <[/!?|]?[a-zA-Z] | &(?:\#\w+|\w+); )
    | (?P<code> `+ )
    | (?P<link>
        !\[ | \][(\[:]
      | [a-zA-Z][a-zA-Z0-9+.-]{0,20}://\S*
      | \b(?:www\.|mailto:|javascript:|data:|tel:)\S+
      | [\w.+-]{1,64}@[\w-]{1,63}\.\w+
      | \b[\w-]{2,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,63}\b(?:/\S*)?
    )
    """,
    re.VERBOSE,
)
_WHAT = {"tag": "markup", "code": "code", "link": "a link"}
_ALLOWED_CONTROLS = "\t\n\r"
# Control and format characters, lone surrogates, private use, and line and paragraph separators.
_CONTROLS = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def markup(text: str, names: Sequence[str]) -> list[str]:
    """What kinds of it a text holds, in words for a log, but for those that are in `names`."""
    marked = list(_marked(text))
    in_names = [span for name in names if marked and _MARKUP.search(name) for span in _spans(name, text)]
    found = [f"holds {kind}" for kind, start, end in marked if not any(a <= start and end <= b for a, b in in_names)]
    controls = {c for c in text if unicodedata.category(c) in _CONTROLS and c not in _ALLOWED_CONTROLS}
    if controls and not controls.issubset("".join(names)):
        found.append("holds control characters")
    return list(dict.fromkeys(found))


def _marked(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _MARKUP.finditer(text):
        # A sentence's own punctuation may follow a link.
        end = match.start() + len(match[0].rstrip(".,;:!?)'\""))
        yield _WHAT[match.lastgroup or "tag"], match.start(), end


def _spans(name: str, text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(re.escape(name), text, re.IGNORECASE):
        yield match.span()
