import pytest

from language.english.english import english
from language.english.stems import stems_of
from services.retriever.plans.accounting.named_words import phrases_of_names


@pytest.mark.parametrize(
    ("question", "name", "phrases"),
    [
        ("Which question has the highest view count?", "view_count", ["view", "count"]),
        ("Count the views", "view_count", []),
        ("Which product has a quantity per unit of 4?", "quantityPerUnit", ["quantity", "per", "unit"]),
        ("How many units per order are there?", "unitsOnOrder", ["How many "]),
        ("What is the number of units?", "unitsOnOrder", ["number of "]),
        ("Which supplier has the fax number 12?", "fax", ["number"]),
        ("Which supplier has the number 12?", "fax", []),
        ("In which state is the biggest city?", "largest_city", ["biggest", "city"]),
        ("Which is the biggest country?", "largest_city", []),
    ],
)
def test_words_of_a_name_are_together(question: str, name: str, phrases: list[str]) -> None:
    stems = stems_of(name)

    found = phrases_of_names(english(question), stems, stems)

    assert [question[start:end] for start, end in sorted(found)] == phrases
