"""Read Markdown as chat front ends do."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

_TEXTS = {"text", "text_special", "softbreak"}
_BLOCKS = {"inline", "paragraph_open", "paragraph_close"}
_LISTS = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
_LINKS = {"link_open", "link_close"}
# CommonMark with raw HTML, and the tables and the strikethrough of GitHub.
_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(markdown: str) -> Iterator[Token]:
    """Yield the tokens of a text, and those inside of them."""
    for block in _PARSER.parse(markdown):
        yield block
        yield from block.children or ()


def shown_text(markdown: str) -> str:
    """Return the text of one paragraph that must contain nothing but text."""
    found = list(tokens(markdown))
    assert {one.type for one in found} <= _TEXTS | _BLOCKS, markdown
    assert sum(one.type == "paragraph_open" for one in found) <= 1, markdown
    return "".join(one.content for one in found if one.type in _TEXTS)


def links(markdown: str) -> list[str]:
    """Return the targets of the links in paragraphs and lists that must contain nothing else but text."""
    found = list(tokens(markdown))
    assert {one.type for one in found} <= _TEXTS | _BLOCKS | _LISTS | _LINKS, markdown
    return [str(one.attrGet("href")) for one in found if one.type == "link_open"]
