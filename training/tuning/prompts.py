"""Build the prompts of knowledge-graph tuning, and read the replies (Bridging the Gap, Prompt 2)."""

from shared.llm.prompt_escaping import escape_prompt

OUTPUT = "### Output:"
"""Stands between the reasoning and the answers."""
_SEPARATOR = "; "


def reasoning_prompt(knowledge: str, question: str) -> str:
    """Ask for reasoning and then for all answers, from knowledge as YAML, which may hold irrelevant facts."""
    return (
        "Think step by step and then answer the question. Keep the answer as simple as possible, and list all possible "
        f"answers.\nQuestion: {escape_prompt(question)}\nHints:\n{escape_prompt(knowledge)}\nLet's think step by step."
    )


def reasoned_reply(reasoning: str, answers: list[str]) -> str:
    """Join reasoning and answers, as `answers_in` reads them."""
    return f"{reasoning} {OUTPUT} {_SEPARATOR.join(answers)}"


def answers_in(completion: str) -> list[str]:
    """Return the answers that stand after the reasoning; none if the completion has no answers.

    Example:
        >>> answers_in("Heat was directed by Michael Mann. ### Output: Michael Mann; Val Kilmer")
        ['Michael Mann', 'Val Kilmer']
    """
    _, found, answers = completion.rpartition(OUTPUT)
    return [name for one in answers.split(_SEPARATOR) if (name := one.strip())] if found else []
