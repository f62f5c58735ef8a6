"""Build the QA model's prompt."""

from shared.llm.prompt_escaping import escape_prompt

ANSWER_PROMPT_VERSION = "t2-1"
"""Change this version whenever the prompt changes, because answers to different prompts are not comparable."""

I_DO_NOT_KNOW = "I don't know."


def answer_prompt(knowledge: str, question: str) -> str:
    """Fill in template T2 (RRA, section 4.1.3); `knowledge` may be empty."""
    return (
        f"Below are the facts that might be relevant to answer the question: {escape_prompt(knowledge)} "
        f"Question: {escape_prompt(question)} Answer:"
    )
