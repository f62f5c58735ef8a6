import pytest

from language.english.english import english
from services.retriever.linking.longer_names import names_beside


@pytest.mark.parametrize(
    ("question", "mention", "beside"),
    [
        ("On which continent does Springfield Isle lie?", "Springfield", ["Isle"]),
        ("What is the capital of New France?", "France", ["New"]),
        ("What does the Upper Springfield Isle export", "Springfield", ["Upper", "Isle"]),
        ("Does Springfield lie on an isle?", "Springfield", []),  # the first word has a capital anyway
        ("what is the capital of new france?", "france", []),
        ("Capital Of New France", "France", []),  # all words have capitals
        ("Who founded Springfield, Illinois?", "Springfield", []),  # the comma ends the name
        ("Is Springfield the USA of old?", "Springfield", []),
        ("Is SPRINGFIELD ISLE an isle of the sea?", "SPRINGFIELD", []),
        ("Which isle?", "Springfield", []),
    ],
)
def test_capitalised_words_beside_a_mention_make_it_a_part_of_a_longer_name(
    question: str, mention: str, beside: list[str]
) -> None:
    assert names_beside(english(question), mention) == beside
