"""Word the answer that a plan gives, without a language model."""

from services.answerer.answer_text import enumerate_answers
from shared.contracts import AnswerType, RetrieveResponse, answer_names


def plan_answer(retrieved: RetrieveResponse) -> str:
    """State the result of a plan: yes or no, a number with what was counted, or a list."""
    names = answer_names(retrieved.answers)
    value = retrieved.answers[0].value
    if retrieved.answer_type is AnswerType.BOOLEAN:
        return "Yes." if value else "No."
    if retrieved.answer_type is AnswerType.NUMBER:
        text = next((item.text for item in retrieved.plan_evidence if item.text), "")
        return text.split("\n")[0] if names[0] in text.split("\n")[0] else names[0]
    return enumerate_answers(names)
