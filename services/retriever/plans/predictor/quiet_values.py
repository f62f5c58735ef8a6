"""Hide the operators inside names and quoted texts from the model: the title `Less Than Zero` compares nothing."""

from collections.abc import Sequence

from language.question import Question
from language.values import QuestionValue, ValueForm


def without_operators(question: Question, values: Sequence[QuestionValue]) -> Question:
    """Return a question of the same length in which values that are wholly quoted or stored have no operators."""
    return question.hidden(
        [
            (value.start + phrase.start, value.start + phrase.end)
            for value in values
            if _is_whole(value)
            for phrase in question.reworded(question.text[value.start : value.end]).phrases
        ]
    )


def _is_whole(value: QuestionValue) -> bool:
    """Return whether a value is a text of several words that is quoted, or stored as the question has it."""
    if len(value.text.split()) == 1:
        return False
    texts = (one.casefold() for one in value.stored.values() if isinstance(one, str))
    return value.form is ValueForm.QUOTED or value.text.casefold() in texts
