"""Test how texts say elements to which their owner gave names."""

from graph.plan.meaning import Address
from graph.plan.schema import Meaning
from language.english.measures import with_units
from language.english.relation_words import calling, in_words
from services.retriever.execution.said_names import said_names
from shared.triple import Triple
from texts.verbalise.template import as_sentences

_SAID: dict[Address, Meaning] = {
    ("relationships", "rpts_to"): Meaning(names=("works under", "boss")),
    ("properties", "hasBudgetEUR"): Meaning(names=("funds",)),
    ("properties", "sla"): Meaning(names=("response time",), unit="hours"),
    ("kinds", "Emp", "properties", "sla"): Meaning(names=("patience",)),
    ("kinds", "Emp"): Meaning(description="Who works here."),
}


def test_the_first_name_is_said_and_numbers_keep_their_units() -> None:
    assert said_names(_SAID) == {
        "rpts_to": "works under",
        "hasBudgetEUR": "funds eur",
        "sla": "response time hours",
    }


def test_texts_say_names_within_a_request_only() -> None:
    fact = [Triple("Bo", "rpts_to", "Ann")]
    with calling(said_names(_SAID)):
        assert in_words("rpts_to") == "works under"
        assert as_sentences(fact) == "Bo works under Ann."
        assert with_units("hasBudgetEUR", ("12000",)) == ("funds", ("12,000 EUR",))
        assert with_units("sla", ("8",)) == ("response_time", ("8 hours",))
    assert as_sentences(fact) == "Bo reports to Ann."
