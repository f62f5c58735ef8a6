import pytest

from language.english.attributes import leaves_attribute
from language.english.english import english


@pytest.mark.parametrize(
    ("question", "unread", "expected"),
    [
        ("What is the average age of the visitors?", ["age"], True),
        ("Which player has the highest earnings?", ["earnings"], True),
        ("Find the average weight for each pet type.", ["weight"], True),
        ("How many shops are there in each location?", ["location"], True),
        ("List the names of teachers whose hometown is not Bath", ["hometown"], True),
        ("Return the names of players sorted by their earnings", ["earnings"], True),
        ("What is the most common nationality of people?", ["nationality"], True),
        ("How many visitors with age 30 are there?", ["age"], True),
        ("players with a height above 200", ["height"], True),
        ("What is the average age of the visitors?", [], False),
        ("What is the average age of the visitors?", ["visitors"], False),
        ("Find the number of teachers of each listed course", ["listed"], False),
        ("What is the total amount of the bonuses?", ["amount"], False),
        ("What is the average value per year?", ["year"], False),
        ("Who earns more than Ann?", ["earns"], False),
        ("Whose laptop is this?", ["laptop"], False),
    ],
)
def test_attributes_are_the_nouns_that_a_question_measures_by(question: str, unread: list[str], expected: bool) -> None:
    assert leaves_attribute(english(question), unread) is expected
