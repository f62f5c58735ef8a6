"""Provide the page that teaches agents to use the tools, also as a skill."""

from functools import cache
from importlib.resources import files

_FRONT_MATTER = """\
---
name: kgqa
description: Answer questions from the user's own knowledge graph, with evidence and a confidence. Use it for \
questions about what the graph contains, when the tools ask, schema, neighbours, connect, plan, and evidence of kgqa \
are there.
---

"""


@cache
def guide() -> str:
    """Return the page, in Markdown."""
    return (files(__package__) / "guide.md").read_text(encoding="utf-8")


def skill() -> str:
    """Return the page as the content of a `SKILL.md`."""
    return _FRONT_MATTER + guide()
