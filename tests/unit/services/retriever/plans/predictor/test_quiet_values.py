import pytest

from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.predictor.quiet_values import without_operators


@pytest.mark.parametrize(
    ("question", "text", "form", "stored", "expected"),
    [
        ("Who made Less Than Zero?", "Less Than Zero", ValueForm.TEXT, "less than zero", "Who made xxxx xxxx Zero?"),
        ("Who said 'all not one'?", "all not one", ValueForm.QUOTED, None, "Who said 'all xxx one'?"),
        ("Which have more than two?", "more than two", ValueForm.TEXT, None, "Which have more than two?"),
        ("Who made Not Ann?", "Not Ann", ValueForm.TEXT, "Ann", "Who made Not Ann?"),
        ("Is it not here?", "not", ValueForm.TEXT, "not", "Is it not here?"),
    ],
)
def test_only_whole_names_hide_their_operators(
    question: str, text: str, form: ValueForm, stored: str | None, expected: str
) -> None:
    start = question.index(text)
    values = {} if stored is None else {0: stored}

    hidden = without_operators(english(question), [QuestionValue(start, start + len(text), form, text, text, values)])

    assert hidden.text == expected


def test_a_question_keeps_its_length() -> None:
    question = "Who directed 'Not Without My Daughter' and nothing else?"
    start, text = question.index("Not"), "Not Without My Daughter"

    hidden = without_operators(
        english(question), [QuestionValue(start, start + len(text), ValueForm.QUOTED, text, text)]
    )

    assert len(hidden.text) == len(question)
    assert hidden.text.endswith("and nothing else?")
