"""Hide the operators inside names and quoted texts from the model: the title `Less Than Zero` compares nothing."""

import re
from collections.abc import Sequence

from language.english.operators import OPERATORS
from language.values import QuestionValue, ValueForm

_WORD_CHARACTER = re.compile(r"\w")


def without_operators(question: str, values: Sequence[QuestionValue]) -> str:
    """Return a question of the same length in which values that are wholly quoted or stored have no operators."""
    for value in values:
        if _is_whole(value):
            for operator in OPERATORS:
                for found in operator.pattern.finditer(question[value.start : value.end]):
                    start, end = value.start + found.start(), value.start + found.end()
                    hidden = _WORD_CHARACTER.sub("x", question[start:end])
                    question = f"{question[:start]}{hidden}{question[end:]}"
    return question


def _is_whole(value: QuestionValue) -> bool:
    """Return whether a value is a text of several words that is quoted, or stored as the question has it."""
    if len(value.text.split()) == 1:
        return False
    texts = (one.casefold() for one in value.stored.values() if isinstance(one, str))
    return value.form is ValueForm.QUOTED or value.text.casefold() in texts
