"""Print the page that teaches agents to use the tools: `kgqa guide`."""

import sys
from typing import Annotated

import typer


def guide(
    skill: Annotated[bool, typer.Option("--skill", help="Print it as a skill: kgqa guide --skill > SKILL.md")] = False,
) -> None:
    """Print a page that teaches an agent to use the tools of kgqa mcp well."""
    from services.answerer.mcp import guide as pages

    sys.stdout.write(pages.skill() if skill else pages.guide())
