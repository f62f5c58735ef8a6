import pytest

from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.names.ordinals import ordinal_of


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Which is the third largest job?", 3),
        ("the 3rd most expensive job", 3),
        ("the second-cheapest job", 2),
        ("What was the tenth job?", 10),
        ("the 21st job", 21),
        ("Which is the largest job?", None),
        ("the second to last job", None),
        ("How many metres per second?", None),
        ("jobs in the third quarter of 2023", None),
        ("jobs of the 19th century", None),
        ("the second and the third job", None),
        ("How long is 3 seconds?", None),
    ],
)
def test_an_ordinal_has_a_number(question: str, number: int | None) -> None:
    found = ordinal_of(english(question), english(question).stated)
    assert (found and found[2]) == number


def test_an_ordinal_in_a_name_is_none() -> None:
    name = QuestionValue(4, 16, ValueForm.TEXT, "Third Street", "Third Street", stored={0: "Third Street"})
    assert ordinal_of(english("the Third Street"), [name]) is None
