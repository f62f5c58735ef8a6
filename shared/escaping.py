"""Escape text from a graph for each format that the project writes: Markdown, JSON, and lines of plain text.

Other formats have libraries that escape: prometheus_client the labels of metrics, and the page's `elements.js` creates
text nodes.
"""

import re

_BREAKS = "\t-\r\x1c-\x1f\x85\u2028\u2029"
_CONTROLS = "\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
# These reorder the text around them in terminals, editors, and browsers, and a byte order mark is invisible.
_REORDERING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_ANY_BREAK = re.compile(f"[{_BREAKS}]")
_ANY_CONTROL = re.compile(f"[{_CONTROLS}]")
_ANY_REORDERING = re.compile(f"[{_REORDERING}]")
_UNSAFE = re.compile(f"[{_BREAKS}{_CONTROLS}{_REORDERING}]")
# JSON itself escapes control characters below U+0020.
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff{_REORDERING}]")

# An ampersand matters only before what looks like an entity, and an underscore only beside the end of a word.
_INLINE = re.compile(r"[\\`*~\[$<]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
# What begins a heading, a quotation, a list, or a line below another one, at the start of a paragraph.
_BLOCK = re.compile(r"^( ?)(?:(\d{1,9})(?=[.)](?:\s|$))|(?=[#>=]|[+-](?![^\W_])))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(lt|amp);")


def markdown_text(text: str) -> str:
    r"""Return Markdown that shows a text as it is, in one paragraph; line breaks become spaces.

    Square brackets are escaped on the left only: front ends with formulas read `\[x\]` as one. Less-than signs become
    entities, because some front ends look for tags before they read Markdown. A front end may still turn an address
    such as `https://example.org` into a link, which leads where it says.

    Example:
        >>> print(markdown_text("![x](//e.org) <b>1_000_</b>"))
        !\[x](//e.org) &lt;b>1_000\_&lt;/b>
    """
    shown = _ANY_REORDERING.sub("", _ANY_CONTROL.sub("\ufffd", _ANY_BREAK.sub(" ", text)))
    shown = re.sub("^ +", " ", shown)
    inline = _INLINE.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), shown)
    return _BLOCK.sub(r"\1\2\\", inline)


def text_of_markdown(markdown: str) -> str:
    """Return the text that `markdown_text` has escaped."""
    entities = {name.strip("&;"): character for character, name in _ENTITIES.items()}
    return _ESCAPED.sub(lambda found: found[1] or entities[found[2]], markdown)


def line_text(text: str) -> str:
    r"""Return a text as a part of one line of a log or a terminal, with control characters written out.

    Example:
        >>> print(line_text("Oslo\x1b[2J\n2026-01-01 ERROR"))
        Oslo\x1b[2J\n2026-01-01 ERROR
    """
    return _UNSAFE.sub(lambda found: repr(found[0])[1:-1], text)


def json_text(json: str) -> str:
    """Escape in JSON the characters that change how a terminal or an editor shows it, and line separators."""
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
