"""Build the rewriter's prompt."""

from shared.llm.prompt_escaping import escape_prompt

PROMPT_VERSION = "1"
"""Part of every cache key. Change it whenever the prompt changes."""

_T1 = (
    "Your task is to transform a knowledge graph to a sentence or multiple sentences. "
    "The knowledge graph is: {triples}. The sentence is:"
)


def rewrite_prompt(triples: str) -> str:
    """Fill in template T1 (RRA, section 4.1.2) with triples written as text."""
    return _T1.replace("{triples}", escape_prompt(triples))
