"""Names as an attacker would write them into a graph, with markup of the formats that replies are shown in."""

from hypothesis import strategies as st

REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

HOSTILE_NAMES = (
    "![x](https://evil.example/?q=1)",
    "[click](javascript:alert(1))",
    "[1]: https://evil.example",
    "x\n\n[1]: https://evil.example/ \"Oslo\"",
    "[1]",
    "[^1]: note",
    "](https://evil.example) [x",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</div><iframe src=//evil.example>",
    "<https://evil.example>",
    "<!-- comment -->",
    "<code_interpreter lang=python>",
    "&lt;b&gt; &#x3c;b> &copy;",
    "\\[x](javascript:alert(1))",
    "`code` ``` fence",
    "```\nfence\n```",
    "~~~\nfence",
    "**bold** _it_ __b__ ~~gone~~ *x*",
    "# heading",
    "\n# heading\n===\n---",
    "> quote",
    "- item",
    "1. item",
    "1988.",
    "    indented code",
    "\tindented code",
    "| a | b |\n|---|---|\n| c | d |",
    "a\n---",
    "$x$ $$y$$ \\(z\\) \\[w\\]",
    "ends with a backslash \\",
    "=HYPERLINK(\"http://evil.example\")",
    "\x1b[2J\x1b]0;title\x07 \x9b31m",
    "\r\n2026-01-01 00:00:00,000 ERROR kgqa forged id=1",
    "a\u202egnp.exe\u2066\u2028b\x00",
    '"} 1\nkgqa_forged_total{x="',
    "[bold red]markup[/] :smile:",
    "%s {0} {name} ${HOME}",
)  # fmt: skip
_PIECES = (
    *HOSTILE_NAMES, "[", "]", "(", ")", "!", "<", ">", "&", ";", "#", "*", "_", "`", "~", "|", "\\", "$", '"', "'", "=",
    "-", "+", ".", "1", " ", "\n", "\t", "\r", "javascript:", "a", "é", *REORDERING,
)  # fmt: skip


def names_with_markup() -> st.SearchStrategy[str]:
    """Return texts that mix markup, letters, and any other characters but lone surrogates, which no graph stores."""
    piece = st.sampled_from(_PIECES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
    return st.lists(piece, min_size=1, max_size=8).map("".join)
