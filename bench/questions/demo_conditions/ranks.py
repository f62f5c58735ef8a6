"""Compute the answers to questions that rank, compare, or ask whether."""

from bench.questions.demo_conditions.facts import bottom, least, most, top
from bench.questions.demo_conditions.question import Pairs

SUPERLATIVE: Pairs = [
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

TOP_K: Pairs = [
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

COMPARE: Pairs = [
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

YES_NO: Pairs = [
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
