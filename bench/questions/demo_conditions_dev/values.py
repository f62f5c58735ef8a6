"""Compute the answers to questions about numbers, of one node or of groups."""

from bench.questions.demo_conditions.facts import mean, most, total
from bench.questions.demo_conditions.question import Pairs

FILTER: Pairs = [
    (
        "Which African countries have under 300,000 inhabitants?",
        lambda w: {country for country in w.continent("Africa") if w.people(country) < 300_000},
    ),
    (
        "Asian countries with an area between 100,000 and 200,000 square kilometers",
        lambda w: {country for country in w.continent("Asia") if 100_000 <= w.area(country) <= 200_000},
    ),
    (
        "airports in mexico higher than 7000 ft",
        lambda w: {airport for airport in w.measured_airports("Mexico") if w.height(airport) > 7000},
    ),
    (
        "Which cities in Germany have between 500,000 and 600,000 people?",
        lambda w: {city for city in w.cities("Germany") if 500_000 <= w.people(city) <= 600_000},
    ),
    (
        "which portuguese speaking countries have at least 20 million people",
        lambda w: {country for country in w.speaking("Portuguese") if w.people(country) >= 20_000_000},
    ),
    (
        "Is there a list of European countries with at most 50,000 residents?",
        lambda w: {country for country in w.continent("Europe") if w.people(country) <= 50_000},
    ),
    (
        "What cities in Scotland have more than 100 000 people?",
        lambda w: {city for city in w.cities_of_state("Scotland") if w.people(city) > 100_000},
    ),
    (
        "Which neighbours of Sudan cover more than one million km2?",
        lambda w: {country for country in w.neighbours("Sudan") if w.area(country) > 1_000_000},
    ),
    (
        "which norwegian airports are somewhere between 500 and 2500 feet",
        lambda w: {airport for airport in w.measured_airports("Norway") if 500 <= w.height(airport) <= 2500},
    ),
    (
        "African capitals with over 5 million people?",
        lambda w: {city for city in w.of_all(w.continent("Africa"), "capital") if w.people(city) > 5_000_000},
    ),
]

SUM_AVERAGE: Pairs = [
    (
        "What's the total population of the Gulf Cooperation Council countries?",
        lambda w: total(w.members("Gulf Cooperation Council"), w.people),
    ),
    ("average area of the countries in Central America", lambda w: mean(w.region("Central America"), w.area)),
    (
        "If you add up the areas of all of Switzerland's neighbours, how many square kilometres do you get?",
        lambda w: total(w.neighbours("Switzerland"), w.area),
    ),
    (
        "What is the mean elevation of airports in Bolivia, in feet?",
        lambda w: mean(w.measured_airports("Bolivia"), w.height),
    ),
    ("how many people live in the caribbean altogether", lambda w: total(w.region("Caribbean"), w.people)),
    ("average number of inhabitants of the cities in Wales?", lambda w: mean(w.cities_of_state("Wales"), w.people)),
    (
        "what's the highest elevation that any airport in Australia has?",
        lambda w: max(map(w.height, w.measured_airports("Australia"))),
    ),
    (
        "How many people does the least populous G20 country have?",
        lambda w: min(map(w.people, w.members("G20"))),
    ),
    (
        "On average, how many neighbours does a South American country have? I mean only countries with a land border.",
        lambda w: mean(w.known(w.continent("South America"), "borders"), lambda country: len(w.neighbours(country))),
    ),
    (
        "combined populaton of all countries that have german as official language",
        lambda w: total(w.speaking("German"), w.people),
    ),
]

GROUP: Pairs = [
    (
        "Which country in Western Asia has the largest number of neighbours?",
        lambda w: most(w.region("Western Asia"), lambda country: len(w.neighbours(country))),
    ),
    (
        "which subregions consist of fewer than six countries?",
        lambda w: {region for region in w.kind("Subregion") if len(w.region(region)) < 6},
    ),
    (
        "Which cities have exactly four airports?",
        lambda w: {city for city in w.kind("City") if len(w.airports_of_city(city)) == 4},
    ),
    (
        "what currencies are shared by exactly three countries",
        lambda w: {currency for currency in w.kind("Currency") if len(w.paying_in(currency)) == 3},
    ),
    (
        "Which Japanese prefectures contain more than 30 cities?",
        lambda w: {state for state in w.states("Japan") if len(w.cities_of_state(state)) > 30},
    ),
    (
        "european countries with exactly three official languages",
        lambda w: {country for country in w.continent("Europe") if len(w.of(country, "official_language")) == 3},
    ),
    (
        "What Indian state has the most cities in it?",
        lambda w: most(w.states("India"), lambda state: len(w.cities_of_state(state))),
    ),
    (
        "Which countries belong to at least five organisations?",
        lambda w: {country for country in w.countries if len(w.of(country, "member_of")) >= 5},
    ),
    (
        "scripts that more than one language is written in",
        lambda w: {script for script in w.kind("Script") if len(w.with_value("written_in", script)) > 1},
    ),
    (
        "Who has more than ten time zones?",
        lambda w: {country for country in w.countries if len(w.of(country, "time_zone")) > 10},
    ),
]
