"""Compute the answers to questions about texts, and to those that ask about an answer."""

from bench.questions.demo_conditions.facts import containing, ending, most, only, starting
from bench.questions.demo_conditions.question import Pairs

TEXT: Pairs = [
    (
        "Which Asian countries have a currency ending in 'Rial' or 'Riyal'?",
        lambda w: {
            country
            for country in w.continent("Asia")
            if ending(w.of(country, "currency"), "rial") | ending(w.of(country, "currency"), "riyal")
        },
    ),
    (
        "which countries in oceania begin with the letter T",
        lambda w: starting(w.continent("Oceania"), "T"),
    ),
    ("cities in England that end in 'pool'?", lambda w: ending(w.cities_of_state("England"), "pool")),
    ("Name the Nigerian states starting with K.", lambda w: starting(w.states("Nigeria"), "K")),
    ("what languages begin with 'Ma'", lambda w: starting(w.kind("Language"), "Ma")),
    (
        "Which African capitals start with the letter L?",
        lambda w: starting(w.of_all(w.continent("Africa"), "capital"), "L"),
    ),
    (
        "Which time zones have Indiana or Kentucky in the name?",
        lambda w: containing(w.kind("TimeZone"), "Indiana") | containing(w.kind("TimeZone"), "Kentucky"),
    ),
    (
        "US states whose capital starts with 'S'?",
        lambda w: {state for state in w.states("United States") if starting(w.of(state, "capital"), "S")},
    ),
    (
        "Which airports in Italy have an IATA code that starts with T?",
        lambda w: {airport for airport in w.airports("Italy") if starting(w.of(airport, "iata_code"), "T")},
    ),
    (
        "In which South American countries does the name for the people end in 'ans'?",
        lambda w: {country for country in w.continent("South America") if ending(w.of(country, "demonym"), "ans")},
    ),
]

SECOND_STAGE: Pairs = [
    (
        "What's the capital of the most populous country in Middle Africa?",
        lambda w: w.of(only(most(w.region("Middle Africa"), w.people)), "capital"),
    ),
    (
        "which languages are official in the country whose capital is Nairobi",
        lambda w: w.of_all(w.with_value("capital", "Nairobi") & w.countries, "official_language"),
    ),
    (
        "What do you call the people of the country with the world's highest airport?",
        lambda w: w.of_all(
            w.of_all(most(w.known(w.kind("Airport"), "elevation_ft"), w.height), "airport_in"), "demonym"
        ),
    ),
    (
        "on which side do they drive in the country that Medellín is in?",
        lambda w: w.of_all(w.of("Medellín", "located_in"), "drives_on_side"),
    ),
    (
        "What's the time zone of the capital of Kazakhstan?",
        lambda w: w.of_all(w.of("Kazakhstan", "capital"), "time_zone"),
    ),
    (
        "whats the symbol of the money they use in Kraków's country",
        lambda w: w.of_all(w.of_all(w.of("Kraków", "located_in"), "currency"), "currency_symbol"),
    ),
    (
        "Which internet domains do the neighbours of Portugal and of Denmark use?",
        lambda w: w.of_all(w.neighbours("Portugal") | w.neighbours("Denmark"), "internet_domain"),
    ),
    (
        "In which state is the largest city of Brazil?",
        lambda w: w.of_all(w.of("Brazil", "largest_city"), "in_state"),
    ),
    (
        "The country with the calling code +31 is part of which organisations?",
        lambda w: w.of_all(w.with_value("calling_code", "+31"), "member_of"),
    ),
    (
        "what script is used for the official language of the country with Tbilisi as its biggest city",
        lambda w: w.of_all(w.of_all(w.with_value("largest_city", "Tbilisi"), "official_language"), "written_in"),
    ),
]
