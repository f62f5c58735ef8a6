import pytest

from language.english.measures import with_unit_name, with_units
from language.english.relation_words import calling, in_words
from shared.exact_match import named
from shared.triple import Triple
from texts.grounding.hallucination_checks import Source, find_hallucinations
from texts.verbalise.paragraph import as_paragraph


def said(relation: str, value: str) -> tuple[str, str]:
    name, (written,) = with_units(relation, (value,))
    return in_words(name), written


@pytest.mark.parametrize("stored", ["capacity", "CAPACITY"])
def test_the_unit_that_an_owner_gives_is_said_with_the_number_alone(stored: str) -> None:
    with calling({stored: with_unit_name("capacity", stored, "euros")}):
        assert in_words(stored) == "capacity euros"
        assert said(stored, "350") == ("capacity", "350 euros")


def test_a_unit_in_the_stored_name_is_not_repeated() -> None:
    assert with_unit_name("life expectancy years", "life_expectancy_years", "winters") == "life expectancy years"
    assert with_unit_name("budget", "hasBudgetEUR", "") == "budget eur"


@pytest.mark.parametrize(
    ("relation", "value", "noun", "written"),
    [
        ("price_eur", "250", "price", "250 EUR"),
        ("priceEUR", "250", "price", "250 EUR"),
        ("PRICE_EUR", "9.50", "price", "9.50 EUR"),
        ("price-chf", "-3", "price", "-3 CHF"),
        ("http://example.org/shop#priceJpy", "40000", "price", "40,000 JPY"),
        ("shop.item.price_dollars", "40", "price", "40 dollars"),
        ("sla_hours", "4", "SLA", "4 hours"),
        ("sla_hrs", "4", "SLA", "4 hours"),
        ("warrantyMonths", "24", "warranty", "24 months"),
        ("durationMin", "90", "duration", "90 minutes"),
        ("running_time_min", "90", "running time", "90 minutes"),
        ("response_time_ms", "120", "response time", "120 ms"),
        ("duration_s", "30", "duration", "30 seconds"),
        ("delay_secs", "30", "delay", "30 seconds"),
        ("weight_kg", "80", "weight", "80 kg"),
        ("weightG", "80", "weight", "80 g"),
        ("height_m", "8848", "height", "8848 m"),
        ("pitch_length_yards", "115", "pitch length", "115 yards"),
        ("area_sq_km", "357022", "area", "357,022 km²"),
        ("areaKm2", "12", "area", "12 km²"),
        ("file_size_mb", "512", "file size", "512 MB"),
        ("clock_ghz", "3.2", "clock", "3.2 GHz"),
        ("top_speed_kmh", "250", "top speed", "250 km/h"),
        ("growth_pct", "2.5", "growth", "2.5%"),
        ("equityRatioPercent", "12", "equity ratio", "12%"),
    ],
)
def test_the_unit_of_a_number_stands_behind_it(relation: str, value: str, noun: str, written: str) -> None:
    assert said(relation, value) == (noun, written)


@pytest.mark.parametrize(
    ("relation", "value"),
    [
        ("price_eur", "on request"),
        ("currency_eur", "yes"),
        ("eur", "250"),
        ("has_eur", "250"),
        ("hours", "4"),
        ("temperature_min", "4"),
        ("order_qty_min", "10"),
        ("release_year", "1999"),
        ("runtime_php", "8"),
        ("matches_all", "8"),
        ("budget_m", "8"),
        ("grade_g", "8"),
        ("sick_leave_day", "8"),
        ("working_hours", "40"),
        ("paid_days", "8"),
        ("active_years", "8"),
        ("business_days", "8"),
    ],
)
def test_other_names_and_values_stay_as_they_are(relation: str, value: str) -> None:
    assert with_units(relation, (value,)) == (relation, (value,))


def test_values_of_which_one_is_no_number_stay_as_they_are() -> None:
    assert with_units("price_eur", ("250", "n/a")) == ("price_eur", ("250", "n/a"))


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (("Tern", "priceEUR", "2930"), "The price of Tern is 2930 EUR."),
        (("Tern", "hasBudgetEUR", "29300"), "The budget of Tern is 29,300 EUR."),
        (("CT-1", "sla_hours", "8"), "The SLA of CT-1 is 8 hours."),
        (("Heat", "durationMin", "170"), "The duration of Heat is 170 minutes."),
        (("Kern AG", "growth_pct", "12"), "The growth of Kern AG is 12%."),
        (("Lot 5", "weighs_kg", "12"), "Lot 5 weighs 12 kg."),
    ],
)
def test_a_text_with_a_unit_names_its_value_and_passes_the_checks(fact: tuple[str, str, str], text: str) -> None:
    triple = Triple(*fact)
    assert as_paragraph([triple]) == text
    assert named(text, [triple.object]) == [triple.object]
    assert find_hallucinations(text, Source.from_facts([triple])) == []
