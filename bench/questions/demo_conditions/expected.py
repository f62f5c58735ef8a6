"""Compute the expected answer of each question from the facts."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bench.questions.demo_conditions.facts import (
    World,
    bottom,
    containing,
    ending,
    least,
    mean,
    most,
    only,
    starting,
    top,
    total,
)

# A set has no order, and a list is in the order that the question asks for.
Answer = set[str] | list[str] | str | float | bool

KINDS = (
    "count",
    "and",
    "or",
    "not",
    "superlative",
    "top_k",
    "compare",
    "yes_no",
    "filter",
    "sum_average",
    "group",
    "text",
    "second_stage",
)


class Question(NamedTuple):
    """Connect the text of a question with the function that computes its answer."""

    kind: str
    text: str
    answer: Callable[[World], Answer]


Pairs = list[tuple[str, Callable[[World], Answer]]]

_COUNT: Pairs = [
    (
        "How many countries in South America have Spanish as an official language?",
        lambda w: len(w.continent("South America") & w.speaking("Spanish")),
    ),
    (
        "how many african countries pay with the West African CFA franc",
        lambda w: len(w.continent("Africa") & w.paying_in("West African CFA Franc")),
    ),
    (
        "How many EU countries drive on the left?",
        lambda w: len(w.members("European Union") & w.driving("left")),
    ),
    (
        "How many cities in Japan have more than a million inhabitants?",
        lambda w: sum(w.people(city) > 1_000_000 for city in w.cities("Japan")),
    ),
    ("how many airports does italy have", lambda w: len(w.airports("Italy"))),
    ("Canada has how many provinces and territories?", lambda w: len(w.states("Canada"))),
    (
        "How many languages are written with the Cyrillic script?",
        lambda w: len(w.with_value("written_in", "Cyrillic script")),
    ),
    (
        "What's the number of countries that border both France and Germany?",
        lambda w: len(w.neighbours("France") & w.neighbours("Germany")),
    ),
    (
        "how many members of the European Union use the euro?",
        lambda w: len(w.members("European Union") & w.paying_in("Euro")),
    ),
    (
        "How many NATO members aren't in Europe?",
        lambda w: len(w.members("NATO") - w.continent("Europe")),
    ),
    ("How many airports serve London?", lambda w: len(w.airports_of_city("London"))),
    (
        "count the cities in Texas with over 500,000 people",
        lambda w: sum(w.people(city) > 500_000 for city in w.cities_of_state("Texas")),
    ),
    ("How many time zones have the offset UTC+05:30?", lambda w: len(w.with_value("utc_offset", "UTC+05:30"))),
    (
        "Just curious, how many countries in South America belong to NATO?",
        lambda w: len(w.continent("South America") & w.members("NATO")),
    ),
    (
        "I wonder how many Asian countries have more than 100 million people?",
        lambda w: sum(w.people(country) > 100_000_000 for country in w.continent("Asia")),
    ),
]

_AND: Pairs = [
    (
        "Which countries have both French and German as official languages?",
        lambda w: w.speaking("French") & w.speaking("German"),
    ),
    ("Which EU members border Russia?", lambda w: w.members("European Union") & w.neighbours("Russia")),
    ("Name the countries that are in both the G7 and NATO.", lambda w: w.members("G7") & w.members("NATO")),
    (
        "list south american countries that border brazil and speak spanish",
        lambda w: w.continent("South America") & w.neighbours("Brazil") & w.speaking("Spanish"),
    ),
    (
        "Which African countries belong to OPEC and also to the Arab League?",
        lambda w: w.continent("Africa") & w.members("OPEC") & w.members("Arab League"),
    ),
    (
        "Which countries in Asia drive on the left and have a population of over 100 million?",
        lambda w: {country for country in w.continent("Asia") & w.driving("left") if w.people(country) > 100_000_000},
    ),
    (
        "which asean members also belong to the commonwealth of nations?",
        lambda w: w.members("ASEAN") & w.members("Commonwealth of Nations"),
    ),
    (
        "I'm planning a road trip, what countries border both Austria and Italy?",
        lambda w: w.neighbours("Austria") & w.neighbours("Italy"),
    ),
    (
        "Show me the countries that use the euro and cover more than 300,000 square kilometres",
        lambda w: {country for country in w.paying_in("Euro") if w.area(country) > 300_000},
    ),
    (
        "Which Nordic Council countries are in the EU and in NATO?",
        lambda w: w.members("Nordic Council") & w.members("European Union") & w.members("NATO"),
    ),
    ("wich countries border both china and india", lambda w: w.neighbours("China") & w.neighbours("India")),
    (
        "Give me the airports in Switzerland that are higher than 1,400 feet.",
        lambda w: {airport for airport in w.measured_airports("Switzerland") if w.height(airport) > 1400},
    ),
    (
        "Which cities are in North Rhine-Westphalia and have more than half a million people?",
        lambda w: {city for city in w.cities_of_state("North Rhine-Westphalia") if w.people(city) > 500_000},
    ),
    (
        "Countries in Eastern Africa where both English and Swahili are official?",
        lambda w: w.region("Eastern Africa") & w.speaking("English") & w.speaking("Swahili"),
    ),
    (
        "Which G20 members are in the European Union?",
        lambda w: w.members("G20") & w.members("European Union"),
    ),
    (
        "I'm looking for a small South American country next to Argentina: which of its neighbours have Spanish as an "
        "official language and fewer than 10 million people?",
        lambda w: {
            country
            for country in w.continent("South America") & w.speaking("Spanish") & w.neighbours("Argentina")
            if w.people(country) < 10_000_000
        },
    ),
]

_OR: Pairs = [
    (
        "Which countries share a border with Mexico or Panama?",
        lambda w: w.neighbours("Mexico") | w.neighbours("Panama"),
    ),
    (
        "Where is Danish or Swedish an official language?",
        lambda w: w.speaking("Danish") | w.speaking("Swedish"),
    ),
    (
        "Which countries belong to the Benelux or the Nordic Council?",
        lambda w: w.members("Benelux") | w.members("Nordic Council"),
    ),
    (
        "list european countries where russian or ukrainian is an official language",
        lambda w: w.continent("Europe") & (w.speaking("Russian") | w.speaking("Ukrainian")),
    ),
    (
        "Which airports serve either Rome or Milan?",
        lambda w: w.airports_of_city("Rome") | w.airports_of_city("Milan"),
    ),
    (
        "which countries pay with the swiss franc or the danish krone",
        lambda w: w.paying_in("Swiss Franc") | w.paying_in("Danish Krone"),
    ),
    (
        "What South American countries have Portuguese, Dutch or English as an official language?",
        lambda w: (
            w.continent("South America") & (w.speaking("Portuguese") | w.speaking("Dutch") | w.speaking("English"))
        ),
    ),
    (
        "Which countries have the calling code +34 or +351?",
        lambda w: w.with_value("calling_code", "+34") | w.with_value("calling_code", "+351"),
    ),
    (
        "Name the languages written in either Devanagari or Ethiopic script.",
        lambda w: w.with_value("written_in", "Devanagari script") | w.with_value("written_in", "Ethiopic script"),
    ),
    (
        "In which African countries is Portuguese or Spanish official?",
        lambda w: w.continent("Africa") & (w.speaking("Portuguese") | w.speaking("Spanish")),
    ),
    (
        "Which cities in Spain or Italy have over a million people?",
        lambda w: {city for city in w.cities("Spain") | w.cities("Italy") if w.people(city) > 1_000_000},
    ),
    ("Which countries are in the G7 or in BRICS?", lambda w: w.members("G7") | w.members("BRICS")),
    (
        "which countries border mongolia or nepal",
        lambda w: w.neighbours("Mongolia") | w.neighbours("Nepal"),
    ),
    (
        "Give me the countries whose internet domain is .at or .ch",
        lambda w: w.with_value("internet_domain", ".at") | w.with_value("internet_domain", ".ch"),
    ),
    (
        "Which cities with more than 200,000 people are there in Portugal or Ireland?",
        lambda w: {city for city in w.cities("Portugal") | w.cities("Ireland") if w.people(city) > 200_000},
    ),
]

_NOT: Pairs = [
    ("Which EU countries don't use the euro?", lambda w: w.members("European Union") - w.paying_in("Euro")),
    ("Which European Union members are not in NATO?", lambda w: w.members("European Union") - w.members("NATO")),
    (
        "South American countries where Spanish isn't an official language?",
        lambda w: w.continent("South America") - w.speaking("Spanish"),
    ),
    (
        "name the G20 members that aren't in the G7",
        lambda w: w.members("G20") - w.members("G7"),
    ),
    (
        "Which EU countries are outside the Schengen Area?",
        lambda w: w.members("European Union") - w.members("Schengen Area"),
    ),
    (
        "which schengen countries are not members of the EU",
        lambda w: w.members("Schengen Area") - w.members("European Union"),
    ),
    (
        "Is there a Central American country without Spanish as official language, and if so which?",
        lambda w: w.region("Central America") - w.speaking("Spanish"),
    ),
    (
        "Which countries in Southeast Asia have no land borders?",
        lambda w: {country for country in w.region("Southeast Asia") if not w.neighbours(country)},
    ),
    (
        "List the Arab League members that are not in Africa.",
        lambda w: w.members("Arab League") - w.continent("Africa"),
    ),
    (
        "Which ASEAN members drive on the left but aren't in the Commonwealth of Nations?",
        lambda w: (w.members("ASEAN") & w.driving("left")) - w.members("Commonwealth of Nations"),
    ),
    (
        "In which Asian countries is the capital not the largest city?",
        lambda w: {
            country
            for country in w.known(w.known(w.continent("Asia"), "largest_city"), "capital")
            if not w.of(country, "largest_city") & w.of(country, "capital")
        },
    ),
    (
        "Apart from France, which EU members border Germany?",
        lambda w: (w.members("European Union") & w.neighbours("Germany")) - {"France"},
    ),
    (
        "countries with over 100 million people that are not in the G20",
        lambda w: {country for country in w.countries - w.members("G20") if w.people(country) > 100_000_000},
    ),
    (
        "Which EU countries don't border any other EU country?",
        lambda w: {
            country
            for country in w.members("European Union")
            if not w.neighbours(country) & w.members("European Union")
        },
    ),
    (
        "What are the official languages of Switzerland except German?",
        lambda w: w.of("Switzerland", "official_language") - {"German"},
    ),
    (
        "Which Australian cities have more than a million people, not counting Sydney and Melbourne?",
        lambda w: {city for city in w.cities("Australia") if w.people(city) > 1_000_000} - {"Sydney", "Melbourne"},
    ),
]

_SUPERLATIVE: Pairs = [
    ("What's the largest country in Africa by area?", lambda w: most(w.continent("Africa"), w.area)),
    (
        "Which Spanish-speaking country in South America has the fewest people?",
        lambda w: least(w.continent("South America") & w.speaking("Spanish"), w.people),
    ),
    (
        "what is the highest airport in the world",
        lambda w: most(w.known(w.kind("Airport"), "elevation_ft"), w.height),
    ),
    (
        "Which airport in the Netherlands has the lowest elevation?",
        lambda w: least(w.measured_airports("Netherlands"), w.height),
    ),
    ("Which country has the most airports?", lambda w: most(w.countries, lambda c: len(w.airports(c)))),
    (
        "which country borders the most other countries?",
        lambda w: most(w.countries, lambda c: len(w.neighbours(c))),
    ),
    ("Which G7 country has the smallest population?", lambda w: least(w.members("G7"), w.people)),
    (
        "Name the most populous city in Africa.",
        lambda w: most({city for c in w.continent("Africa") for city in w.cities(c)}, w.people),
    ),
    (
        "Which country has the most official languages?",
        lambda w: most(w.countries, lambda c: len(w.of(c, "official_language"))),
    ),
    ("Smallest EU country by area?", lambda w: least(w.members("European Union"), w.area)),
    (
        "Which organisation has the most member countries?",
        lambda w: most(w.kind("Organisation"), lambda o: len(w.members(o))),
    ),
    (
        "what language is official in the most countries",
        lambda w: most(w.of_all(w.countries, "official_language"), lambda x: len(w.speaking(x))),
    ),
    (
        "Which currency is used by the largest number of countries?",
        lambda w: most(w.of_all(w.countries, "currency"), lambda x: len(w.paying_in(x))),
    ),
    ("What is the biggest city in Queensland?", lambda w: most(w.cities_of_state("Queensland"), w.people)),
    (
        "Which of Germany's neighbours has the smallest area?",
        lambda w: least(w.neighbours("Germany"), w.area),
    ),
    (
        "which city is served by the most airports?",
        lambda w: most(w.of_all(w.kind("Airport"), "serves"), lambda c: len(w.airports_of_city(c))),
    ),
]

_TOP_K: Pairs = [
    ("What are the top 5 most populous countries in the world?", lambda w: top(5, w.countries, w.people)),
    (
        "name the three largest countries of south america by area",
        lambda w: top(3, w.continent("South America"), w.area),
    ),
    (
        "The ten biggest cities in the world by population, please.",
        lambda w: top(10, w.known(w.kind("City"), "population"), w.people),
    ),
    ("Top 3 cities of Canada by number of inhabitants?", lambda w: top(3, w.cities("Canada"), w.people)),
    (
        "Which five airports in Bolivia are the highest?",
        lambda w: top(5, w.measured_airports("Bolivia"), w.height),
    ),
    (
        "3 least populated EU countries, starting with the smallest",
        lambda w: bottom(3, w.members("European Union"), w.people),
    ),
    (
        "Give me the three countries with the most airports.",
        lambda w: top(3, w.countries, lambda c: len(w.airports(c))),
    ),
    (
        "top four Portuguese speaking countries by population",
        lambda w: top(4, w.speaking("Portuguese"), w.people),
    ),
    ("Which three NATO members have the fewest people?", lambda w: bottom(3, w.members("NATO"), w.people)),
    ("What are the two biggest cities in Scotland?", lambda w: top(2, w.cities_of_state("Scotland"), w.people)),
    ("List the 5 largest Arab League countries by area.", lambda w: top(5, w.members("Arab League"), w.area)),
    (
        "what are germany's six largest cities by population",
        lambda w: top(6, w.cities("Germany"), w.people),
    ),
    (
        "Rank the five most populous neighbours of Germany.",
        lambda w: top(5, w.neighbours("Germany"), w.people),
    ),
    (
        "The three lowest airports in the Netherlands, lowest first?",
        lambda w: bottom(3, w.measured_airports("Netherlands"), w.height),
    ),
    (
        "Which three languages are official in the most countries?",
        lambda w: top(3, w.of_all(w.countries, "official_language"), lambda x: len(w.speaking(x))),
    ),
]

_COMPARE: Pairs = [
    ("Which covers more square kilometers, Norway or Poland?", lambda w: most({"Norway", "Poland"}, w.area)),
    (
        "My brother says France has more airports than Germany. Which of the two really has more?",
        lambda w: most({"France", "Germany"}, lambda c: len(w.airports(c))),
    ),
    ("Does Chile have more people than Peru?", lambda w: w.people("Chile") > w.people("Peru")),
    ("do norway and finland share a border", lambda w: "Finland" in w.neighbours("Norway")),
    (
        "Do Switzerland and Liechtenstein use the same currency?",
        lambda w: w.of("Switzerland", "currency") == w.of("Liechtenstein", "currency"),
    ),
    ("Which city has more people: Tokyo or Seoul?", lambda w: most({"Tokyo", "Seoul"}, w.people)),
    ("Is Kenya larger than Ukraine in terms of area?", lambda w: w.area("Kenya") > w.area("Ukraine")),
    (
        "Which lies higher, London Heathrow Airport or London Gatwick Airport?",
        lambda w: most({"London Heathrow Airport", "London Gatwick Airport"}, w.height),
    ),
    (
        "Do Brazil and Portugal have an official language in common?",
        lambda w: bool(w.of("Brazil", "official_language") & w.of("Portugal", "official_language")),
    ),
    (
        "do people in thailand and laos drive on the same side of the road?",
        lambda w: w.of("Thailand", "drives_on_side") == w.of("Laos", "drives_on_side"),
    ),
    (
        "Which country has more neighbours, Germany or Turkey?",
        lambda w: most({"Germany", "Turkey"}, lambda c: len(w.neighbours(c))),
    ),
    (
        "Which has more official languages, Switzerland or Belgium?",
        lambda w: most({"Switzerland", "Belgium"}, lambda c: len(w.of(c, "official_language"))),
    ),
    (
        "Are Lisbon and Madrid in the same time zone?",
        lambda w: w.of("Lisbon", "time_zone") == w.of("Madrid", "time_zone"),
    ),
    ("Which of Mali, Niger and Chad is the largest by area?", lambda w: most({"Mali", "Niger", "Chad"}, w.area)),
    (
        "which one's got fewer inhabitants, Bulgaria or Serbia",
        lambda w: least({"Bulgaria", "Serbia"}, w.people),
    ),
]

_YES_NO: Pairs = [
    ("Is Mexico in the G20 but not in the G7?", lambda w: "Mexico" in w.members("G20") - w.members("G7")),
    ("does poland use the euro", lambda w: "Poland" in w.paying_in("Euro")),
    ("Is Sydney the capital of Australia?", lambda w: "Sydney" in w.of("Australia", "capital")),
    ("Is it true that Bolivia borders more than four countries?", lambda w: len(w.neighbours("Bolivia")) > 4),
    ("Is French an official language of Cameroon?", lambda w: "Cameroon" in w.speaking("French")),
    ("Does Japan border any other country?", lambda w: bool(w.neighbours("Japan"))),
    ("Is there an airport in Liechtenstein?", lambda w: bool(w.airports("Liechtenstein"))),
    ("Are all G7 countries members of NATO?", lambda w: w.members("G7") <= w.members("NATO")),
    ("do all benelux countries use the euro?", lambda w: w.members("Benelux") <= w.paying_in("Euro")),
    (
        "Does any country in South America drive on the left?",
        lambda w: bool(w.continent("South America") & w.driving("left")),
    ),
    ("Does Istanbul have over 15 million inhabitants?", lambda w: w.people("Istanbul") > 15_000_000),
    ("Turkey is in NATO, right?", lambda w: "Turkey" in w.members("NATO")),
    ("Is Kazakhstan larger than 2 million square kilometers?", lambda w: w.area("Kazakhstan") > 2_000_000),
    (
        "Is Spanish official in every country of Central America?",
        lambda w: w.region("Central America") <= w.speaking("Spanish"),
    ),
    (
        "Is Luxembourg both in the EU and in NATO?",
        lambda w: "Luxembourg" in w.members("European Union") & w.members("NATO"),
    ),
]

_FILTER: Pairs = [
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

_SUM_AVERAGE: Pairs = [
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


def _cities_over(w: World, country: str, people: float) -> int:
    """Count the cities of a country that are known to have more people than this."""
    return sum(w.people(city) > people for city in w.known(w.cities(country), "population"))


_GROUP: Pairs = [
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

_TEXT: Pairs = [
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

_SECOND_STAGE: Pairs = [
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


def _are_neighbours(w: World, pair: list[str]) -> bool:
    """Check whether two countries share a border."""
    first, second = pair
    return second in w.neighbours(first)


def in_order(parts: Iterable[Pairs]) -> tuple[Question, ...]:
    """Return the questions of all kinds; `parts` has those of each kind, in the order of KINDS."""
    return tuple(Question(kind, text, answer) for kind, part in zip(KINDS, parts, strict=True) for text, answer in part)


QUESTIONS = in_order(
    (
        _COUNT,
        _AND,
        _OR,
        _NOT,
        _SUPERLATIVE,
        _TOP_K,
        _COMPARE,
        _YES_NO,
        _FILTER,
        _SUM_AVERAGE,
        _GROUP,
        _TEXT,
        _SECOND_STAGE,
    )
)
