"""Compute the answers to questions about texts, and to those that ask about an answer."""

from bench.questions.demo_conditions.facts import World, containing, ending, least, most, only, starting, top
from bench.questions.demo_conditions.question import Pairs


def _are_neighbours(w: World, pair: list[str]) -> bool:
    """Check whether two countries share a border."""
    first, second = pair
    return second in w.neighbours(first)


TEXT: Pairs = [
    ("Which countries start with the letter Z?", lambda w: starting(w.countries, "Z")),
    (
        'european countries whose name ends in "land"',
        lambda w: ending(w.continent("Europe"), "land"),
    ),
    ("Which countries have the word Guinea in their name?", lambda w: containing(w.countries, "Guinea")),
    ("List African countries beginning with M.", lambda w: starting(w.continent("Africa"), "M")),
    ('Which airports contain "London" in their name?', lambda w: containing(w.kind("Airport"), "London")),
    (
        'Which Californian cities with over 300,000 people have a name that starts with "San"?',
        lambda w: {c for c in starting(w.cities_of_state("California"), "San") if w.people(c) > 300_000},
    ),
    (
        "which official languages end in ish",
        lambda w: ending(w.of_all(w.countries, "official_language"), "ish"),
    ),
    ("Which currencies have a name ending in Franc?", lambda w: ending(w.kind("Currency"), "Franc")),
    ('US states that start with "New"?', lambda w: starting(w.states("United States"), "New")),
    ("What countries end with stan?", lambda w: ending(w.countries, "stan")),
    (
        "Which capitals of US states begin with the letter S?",
        lambda w: starting(w.of_all(w.states("United States"), "capital"), "S"),
    ),
    (
        "German cities with over 200,000 people that end in 'burg'",
        lambda w: {city for city in ending(w.cities("Germany"), "burg") if w.people(city) > 200_000},
    ),
    ('Name the countries with "United" in their name.', lambda w: containing(w.countries, "United")),
    ("which south american countries end in guay", lambda w: ending(w.continent("South America"), "guay")),
    ("Which currencies contain the word Peso?", lambda w: containing(w.kind("Currency"), "Peso")),
]

SECOND_STAGE: Pairs = [
    (
        "Which language is official in the largest country of South America by area?",
        lambda w: w.of(only(most(w.continent("South America"), w.area)), "official_language"),
    ),
    (
        "What are the neighbours of the most populous country in Africa?",
        lambda w: w.neighbours(only(most(w.continent("Africa"), w.people))),
    ),
    (
        "whats the currency of the smallest ASEAN member by area",
        lambda w: w.of(only(least(w.members("ASEAN"), w.area)), "currency"),
    ),
    (
        "What's the capital of the OPEC country with the most people?",
        lambda w: w.of(only(most(w.members("OPEC"), w.people)), "capital"),
    ),
    (
        "Which airports serve the biggest city in the United Kingdom?",
        lambda w: w.airports_of_city(only(most(w.cities("United Kingdom"), w.people))),
    ),
    (
        "Which countries border the country with the most official languages?",
        lambda w: w.neighbours(only(most(w.countries, lambda c: len(w.of(c, "official_language"))))),
    ),
    (
        "How many neighbours does Africa's largest country by area have?",
        lambda w: len(w.neighbours(only(most(w.continent("Africa"), w.area)))),
    ),
    (
        "in which country is the highest airport in the world?",
        lambda w: w.of(only(most(w.known(w.kind("Airport"), "elevation_ft"), w.height)), "airport_in"),
    ),
    (
        "Name the capitals of the countries that border the smallest Benelux country by area.",
        lambda w: w.of_all(w.neighbours(only(least(w.members("Benelux"), w.area))), "capital"),
    ),
    (
        "Which state is Australia's most populous city in?",
        lambda w: w.of(only(most(w.cities("Australia"), w.people)), "in_state"),
    ),
    (
        "How many people live in the capital of the largest country in Asia by area?",
        lambda w: w.people(only(w.of(only(most(w.continent("Asia"), w.area)), "capital"))),
    ),
    (
        "whats the UTC offset of the time zone that the biggest city in India is in",
        lambda w: w.of_all(w.of(only(most(w.cities("India"), w.people)), "time_zone"), "utc_offset"),
    ),
    (
        "What is the population of Germany's smallest neighbour by area?",
        lambda w: w.people(only(least(w.neighbours("Germany"), w.area))),
    ),
    (
        "Do the two most populous countries in the world border each other?",
        lambda w: _are_neighbours(w, top(2, w.countries, w.people)),
    ),
    (
        "How many cities are there in the smallest member of the Nordic Council by population?",
        lambda w: len(w.cities(only(least(w.members("Nordic Council"), w.people)))),
    ),
]
