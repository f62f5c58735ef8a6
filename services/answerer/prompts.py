"""The QA model's prompt."""

from shared.llm.prompt_escaping import escape_prompt

ANSWER_PROMPT_VERSION = "t2-1"
"""Changes with the prompt: what a model said to another one is not comparable."""

I_DO_NOT_KNOW = "I don't know."


def answer_prompt(knowledge: str, question: str) -> str:
    """Template T2 (RRA, section 4.1.3); `knowledge` holds the verbalised evidence, or nothing."""
    return (
        f"Below are the facts that might be relevant to answer the question: {escape_prompt(knowledge)} "
        f"Question: {escape_prompt(question)} Answer:"
    )
