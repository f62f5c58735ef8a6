"""The rewriter's prompt."""

from shared.llm.prompt_escaping import inert

PROMPT_VERSION = "1"

_T1 = (
    "Your task is to transform a knowledge graph to a sentence or multiple sentences. "
    "The knowledge graph is: {triples}. The sentence is:"
)


def rewrite_prompt(triples: str) -> str:
    """Template T1 (RRA, section 4.1.2) for triple-form text."""
    return _T1.replace("{triples}", inert(triples))
