import pytest

from language.english.relation_words import in_words
from shared.triple import Triple
from texts.verbalise.template import as_sentences


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("rpts_to", "reports to"),
        ("cost_ctr", "cost center"),
        ("costCtr", "cost center"),
        ("DEPT_MGR", "department manager"),
        ("dob", "date of birth"),
        ("ACTED_IN", "acted in"),
        ("film.film.directed_by", "directed by"),
        ("iata_code", "IATA code"),
        ("cat", "cat"),
        ("123", "123"),
    ],
)
def test_an_identifier_is_said_in_words(identifier: str, words: str) -> None:
    assert in_words(identifier) == words


def test_a_sentence_spells_out_the_relation_and_copies_the_names() -> None:
    facts = [Triple("INC_2003", "rpts_to", "dept_mgr")]
    assert as_sentences(facts) == "INC_2003 reports to dept_mgr."
