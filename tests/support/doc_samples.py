"""Read the samples of documentation pages: fenced blocks of shell and Python, with what they print."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)
_RUN = {"sh", "bash", "console", "python"}
_CONTINUED = re.compile(r" *\\\n *")
_COMMENT = re.compile(r" +# .*$")


@dataclass(frozen=True, slots=True)
class Command:
    """Hold a command line, joined where it is continued, and what it prints; None where the page does not say."""

    words: str
    printed: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """Hold a block of shell or Python, the block that directly follows, and why the block is not run, if it is not."""

    name: str
    language: str
    text: str
    printed: str
    reason: str

    def commands(self) -> Iterator[Command]:
        """Yield the commands of a block of shell; in a `console`, each begins with `$`, and output follows."""
        text = _CONTINUED.sub(" ", self.text)
        if self.language != "console":
            yield from (Command(_COMMENT.sub("", line)) for line in text.splitlines() if line)
            return
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            words, _, printed = part.partition("\n")
            yield Command(words, printed)


def read_samples(page: Path) -> list[Sample]:
    """Return the samples of a page; a comment `<!-- not run: REASON -->` above a block marks what cannot run."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    samples = []
    for block, following in pairwise([*blocks, None]):
        if block is None or block["language"] not in _RUN:
            continue
        is_next = following is not None and not text[block.end() : following.start()].strip()
        printed = following["text"] if following is not None and is_next and following["language"] == "text" else ""
        name = f"{page.name}:{text.count(chr(10), 0, block.start('language')) + 1}"
        samples.append(Sample(name, block["language"], block["text"], printed, block["reason"] or ""))
    return samples


def prints(expected: str, printed: str) -> bool:
    """Return whether a program printed what a page says; durations differ, and an ellipsis stands for anything."""
    pattern = re.escape(expected.strip()).replace("…", ".*")
    return re.fullmatch(re.sub(r"\d+\\ ms", r"\\d+\\ ms", pattern), printed.strip()) is not None
