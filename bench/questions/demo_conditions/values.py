"""Compute the answers to questions about numbers, of one node or of groups."""

from bench.questions.demo_conditions.facts import World, mean, most, total
from bench.questions.demo_conditions.question import Pairs


def _cities_over(w: World, country: str, people: float) -> int:
    """Count the cities of a country that are known to have more people than this."""
    return sum(w.people(city) > people for city in w.known(w.cities(country), "population"))


FILTER: Pairs = [
    (
        "Which countries have more than 150 million inhabitants?",
        lambda w: {country for country in w.countries if w.people(country) > 150_000_000},
    ),
    (
        "Which African countries are larger than a million square kilometres?",
        lambda w: {country for country in w.continent("Africa") if w.area(country) > 1_000_000},
    ),
    (
        "european contries with a population between 9 and 11 million",
        lambda w: {country for country in w.continent("Europe") if 9_000_000 <= w.people(country) <= 11_000_000},
    ),
    (
        "Which EU countries are smaller than 10,000 square kilometers?",
        lambda w: {country for country in w.members("European Union") if w.area(country) < 10_000},
    ),
    (
        "Which airports in the world sit above 10,000 feet?",
        lambda w: {a for a in w.known(w.kind("Airport"), "elevation_ft") if w.height(a) > 10_000},
    ),
    (
        "cities in the world with over 10 million people",
        lambda w: {city for city in w.known(w.kind("City"), "population") if w.people(city) > 10_000_000},
    ),
    (
        "Which cities in the United Kingdom have between 400,000 and 600,000 inhabitants?",
        lambda w: {city for city in w.cities("United Kingdom") if 400_000 <= w.people(city) <= 600_000},
    ),
    (
        "Which ASEAN members have fewer than 10 million people?",
        lambda w: {country for country in w.members("ASEAN") if w.people(country) < 10_000_000},
    ),
    (
        "I heard some airports are below sea level, so with an elevation under 0 feet. Which ones?",
        lambda w: {a for a in w.known(w.kind("Airport"), "elevation_ft") if w.height(a) < 0},
    ),
    (
        "what australian cities have at least half a million inhabitants",
        lambda w: {city for city in w.cities("Australia") if w.people(city) >= 500_000},
    ),
    (
        "Which German airports have an elevation of more than 1,500 feet?",
        lambda w: {airport for airport in w.measured_airports("Germany") if w.height(airport) > 1500},
    ),
    (
        "South American countries with an area between 200,000 and 500,000 km2?",
        lambda w: {c for c in w.continent("South America") if 200_000 <= w.area(c) <= 500_000},
    ),
    (
        "Which capitals of US states have more than 700,000 inhabitants?",
        lambda w: {c for c in w.of_all(w.states("United States"), "capital") if w.people(c) > 700_000},
    ),
    (
        "give me all brazilian cities with more than two milion inhabitants",
        lambda w: {city for city in w.cities("Brazil") if w.people(city) > 2_000_000},
    ),
    (
        "Which Commonwealth of Nations countries have a population over 50 million?",
        lambda w: {c for c in w.members("Commonwealth of Nations") if w.people(c) > 50_000_000},
    ),
    (
        "Which OPEC countries are smaller than 300,000 square km?",
        lambda w: {country for country in w.members("OPEC") if w.area(country) < 300_000},
    ),
]

SUM_AVERAGE: Pairs = [
    ("What is the total population of the Benelux countries?", lambda w: total(w.members("Benelux"), w.people)),
    ("whats the average population of a G7 country", lambda w: mean(w.members("G7"), w.people)),
    (
        "How many people live in Norway, Sweden and Denmark combined?",
        lambda w: total(("Norway", "Sweden", "Denmark"), w.people),
    ),
    (
        "What's the average elevation of the airports in Switzerland, in feet?",
        lambda w: mean(w.measured_airports("Switzerland"), w.height),
    ),
    (
        "What is the lowest population of any EU country?",
        lambda w: min(map(w.people, w.members("European Union"))),
    ),
    (
        "Total area of all the countries in South America?",
        lambda w: total(w.continent("South America"), w.area),
    ),
    (
        "how many poeple live in the ASEAN countries altogether?",
        lambda w: total(w.members("ASEAN"), w.people),
    ),
    (
        "Average elevation of the airports that serve London?",
        lambda w: mean(w.known(w.airports_of_city("London"), "elevation_ft"), w.height),
    ),
    (
        "Add up the areas of the Nordic Council members.",
        lambda w: total(w.members("Nordic Council"), w.area),
    ),
    (
        "What's the average number of inhabitants of a city in Scotland?",
        lambda w: mean(w.cities_of_state("Scotland"), w.people),
    ),
    (
        "What is the combined population of the countries where Portuguese is official?",
        lambda w: total(w.speaking("Portuguese"), w.people),
    ),
    ("mean area of the g20 members in square kilometres", lambda w: mean(w.members("G20"), w.area)),
    ("What's the total area of France's neighbours?", lambda w: total(w.neighbours("France"), w.area)),
    (
        "What is the maximum elevation of an airport in Mexico?",
        lambda w: max(map(w.height, w.measured_airports("Mexico"))),
    ),
    (
        "How many people live in the countries bordering Poland, in total?",
        lambda w: total(w.neighbours("Poland"), w.people),
    ),
]

GROUP: Pairs = [
    (
        "Which continent has the most countries?",
        lambda w: most(w.kind("Continent"), lambda name: len(w.continent(name))),
    ),
    (
        "Which countries have more than 50 airports?",
        lambda w: {country for country in w.countries if len(w.airports(country)) > 50},
    ),
    (
        "which countries have more than 300 cities listed",
        lambda w: {country for country in w.countries if len(w.cities(country)) > 300},
    ),
    (
        "Which languages are official in more than 15 countries?",
        lambda w: {x for x in w.of_all(w.countries, "official_language") if len(w.speaking(x)) > 15},
    ),
    (
        "Which currencies are used in more than five countries?",
        lambda w: {x for x in w.of_all(w.countries, "currency") if len(w.paying_in(x)) > 5},
    ),
    (
        "Which Brazilian states have more than 50 cities?",
        lambda w: {state for state in w.states("Brazil") if len(w.cities_of_state(state)) > 50},
    ),
    (
        "What cities are served by more than four airports?",
        lambda w: {c for c in w.of_all(w.kind("Airport"), "serves") if len(w.airports_of_city(c)) > 4},
    ),
    (
        "list the organizations with over 20 members",
        lambda w: {name for name in w.kind("Organisation") if len(w.members(name)) > 20},
    ),
    (
        "Which countries have more than three official languages?",
        lambda w: {country for country in w.countries if len(w.of(country, "official_language")) > 3},
    ),
    (
        "Which countries have eight neighbouring countries or more?",
        lambda w: {country for country in w.countries if len(w.neighbours(country)) >= 8},
    ),
    (
        "Which scripts are used to write more than two languages?",
        lambda w: {s for s in w.kind("Script") if len(w.with_value("written_in", s)) > 2},
    ),
    (
        "Which countries have two or more cities of over 5 million people?",
        lambda w: {country for country in w.countries if _cities_over(w, country, 5_000_000) >= 2},
    ),
    (
        "which continent has the most airports?",
        lambda w: most(w.kind("Continent"), lambda name: sum(len(w.airports(c)) for c in w.continent(name))),
    ),
    (
        "Which US states have more than three cities with over half a million people?",
        lambda w: {
            state
            for state in w.states("United States")
            if sum(w.people(city) > 500_000 for city in w.cities_of_state(state)) > 3
        },
    ),
    (
        "Which countries are in four or more organisations?",
        lambda w: {country for country in w.countries if len(w.of(country, "member_of")) >= 4},
    ),
    (
        "Per country in South America, count the cities with over a million people: who has more than three?",
        lambda w: {c for c in w.continent("South America") if _cities_over(w, c, 1_000_000) > 3},
    ),
]
