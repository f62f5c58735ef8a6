"""Compute the answers to questions that rank, compare, or ask whether."""

from bench.questions.demo_conditions.facts import bottom, least, most, top
from bench.questions.demo_conditions.question import Pairs

SUPERLATIVE: Pairs = [
    (
        "what left-driving country in Africa has the smallest population?",
        lambda w: least(w.continent("Africa") & w.driving("left"), w.people),
    ),
    (
        "Which London airport has the highest elevation?",
        lambda w: most(w.known(w.airports_of_city("London"), "elevation_ft"), w.height),
    ),
    ("most populous city in pakistan", lambda w: most(w.cities("Pakistan"), w.people)),
    ("Which Arab League member has the fewest inhabitants?", lambda w: least(w.members("Arab League"), w.people)),
    (
        "out of all the airports in Central Asian countries, where's the lowest one",
        lambda w: least(
            {airport for country in w.region("Central Asia") for airport in w.measured_airports(country)}, w.height
        ),
    ),
    (
        "What's the largest place by area that uses the euro without being in the European Union?",
        lambda w: most(w.paying_in("Euro") - w.members("European Union"), w.area),
    ),
    (
        "Which Spanish-speaking country has the most people?",
        lambda w: most(w.speaking("Spanish"), w.people),
    ),
    (
        "of all the countries bordering china, which one has the least people?",
        lambda w: least(w.neighbours("China"), w.people),
    ),
    (
        "Apart from Nairobi, what's Kenya's biggest city?",
        lambda w: most(w.cities("Kenya") - {"Nairobi"}, w.people),
    ),
    (
        "whats the biggest country that uses the West African CFA franc, in square kilometers?",
        lambda w: most(w.paying_in("West African CFA Franc"), w.area),
    ),
]

TOP_K: Pairs = [
    ("top five biggest countries in Africa by area", lambda w: top(5, w.continent("Africa"), w.area)),
    (
        "What are the 3 highest airports in Ethiopia?",
        lambda w: top(3, w.measured_airports("Ethiopia"), w.height),
    ),
    ("the four most populatd cities in turkey please", lambda w: top(4, w.cities("Turkey"), w.people)),
    (
        "Which five European Union members have the fewest people? Start with the smallest.",
        lambda w: bottom(5, w.members("European Union"), w.people),
    ),
    (
        "List the three British territories with the largest population, biggest first",
        lambda w: top(3, w.with_value("territory_of", "United Kingdom"), w.people),
    ),
    ("3 largest cities of Tamil Nadu", lambda w: top(3, w.cities_of_state("Tamil Nadu"), w.people)),
    (
        "Which three left-driving countries are the smallest by area?",
        lambda w: bottom(3, w.driving("left"), w.area),
    ),
    (
        "what are the top 3 south american capitals by population?",
        lambda w: top(3, w.of_all(w.continent("South America"), "capital"), w.people),
    ),
    (
        "Rank the five most populous countries where Arabic is an official language.",
        lambda w: top(5, w.speaking("Arabic"), w.people),
    ),
    (
        "gimme the two lowest airports in Azerbaijan, lowest one first",
        lambda w: bottom(2, w.measured_airports("Azerbaijan"), w.height),
    ),
]

COMPARE: Pairs = [
    (
        "Which is bigger by area, Algeria or the Democratic Republic of the Congo?",
        lambda w: most({"Algeria", "Democratic Republic of the Congo"}, w.area),
    ),
    ("Lahore or Karachi, which one has more people?", lambda w: most({"Lahore", "Karachi"}, w.people)),
    (
        "Do the Chilean peso and the Mexican peso have the same symbol?",
        lambda w: bool(w.of("Chilean Peso", "currency_symbol") & w.of("Mexican Peso", "currency_symbol")),
    ),
    (
        "who has more airports, norway or sweden",
        lambda w: most({"Norway", "Sweden"}, lambda country: len(w.airports(country))),
    ),
    (
        "Which of these three has the smallest population: Malta, Iceland or Luxembourg?",
        lambda w: least({"Malta", "Iceland", "Luxembourg"}, w.people),
    ),
    (
        "are uganda and ethiopia both commonwealth of nations members",
        lambda w: {"Uganda", "Ethiopia"} <= w.members("Commonwealth of Nations"),
    ),
    (
        "Do Belgium and Suriname have an official language in common?",
        lambda w: bool(w.of("Belgium", "official_language") & w.of("Suriname", "official_language")),
    ),
    (
        "Does BRICS or ASEAN have more members?",
        lambda w: most({"BRICS", "ASEAN"}, lambda organisation: len(w.members(organisation))),
    ),
    (
        "Are Brisbane and Vladivostok at the same UTC offset?",
        lambda w: bool(
            w.of_all(w.of("Brisbane", "time_zone"), "utc_offset")
            & w.of_all(w.of("Vladivostok", "time_zone"), "utc_offset")
        ),
    ),
    (
        "Which airport is higher up, Jomo Kenyatta International or O. R. Tambo International?",
        lambda w: most({"Jomo Kenyatta International Airport", "O. R. Tambo International Airport"}, w.height),
    ),
]

YES_NO: Pairs = [
    ("Is Turkey a member of the European Union?", lambda w: "Turkey" in w.members("European Union")),
    ("does vietnam border thailand", lambda w: "Thailand" in w.neighbours("Vietnam")),
    ("Is Toronto the capital of Canada?", lambda w: "Toronto" in w.of("Canada", "capital")),
    (
        "Is Portuguese an official language in at least five African countries?",
        lambda w: len(w.speaking("Portuguese") & w.continent("Africa")) >= 5,
    ),
    ("Are all the Benelux countries in NATO?", lambda w: w.members("Benelux") <= w.members("NATO")),
    ("is greenland a territory of denmark?", lambda w: "Denmark" in w.of("Greenland", "territory_of")),
    (
        "Is there any country in Northern Africa that isn't part of the Arab League?",
        lambda w: bool(w.region("Northern Africa") - w.members("Arab League")),
    ),
    (
        "is there an airport in Bolivia thats above 13,000 feet",
        lambda w: any(w.height(airport) > 13_000 for airport in w.measured_airports("Bolivia")),
    ),
    ("Is .ch the internet domain of China?", lambda w: ".ch" in w.of("China", "internet_domain")),
    (
        "Does JFK airport serve New York City?",
        lambda w: bool(w.with_value("iata_code", "JFK") & w.airports_of_city("New York City")),
    ),
]
