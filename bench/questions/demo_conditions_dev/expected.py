"""Compute the expected answer of each question from the facts."""

from bench.questions.demo_conditions.expected import Pairs, in_order
from bench.questions.demo_conditions.facts import (
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

_COUNT: Pairs = [
    (
        "How many countries in Oceania use the US dollar?",
        lambda w: len(w.continent("Oceania") & w.paying_in("US Dollar")),
    ),
    (
        "number of carribean countries where you drive on the left side of the road",
        lambda w: len(w.region("Caribbean") & w.driving("left")),
    ),
    (
        "How many different currencies are there in Western Africa?",
        lambda w: len(w.of_all(w.region("Western Africa"), "currency")),
    ),
    (
        "how many polish cities have more than 200,000 inhabitants?",
        lambda w: sum(w.people(city) > 200_000 for city in w.cities("Poland")),
    ),
    (
        "How many territories does the United Kingdom have?",
        lambda w: len(w.with_value("territory_of", "United Kingdom")),
    ),
    (
        "In how many Commonwealth of Nations members is English not an official language",
        lambda w: len(w.members("Commonwealth of Nations") - w.speaking("English")),
    ),
    (
        "How many of Brazil's neighbours have more than 20 million people?",
        lambda w: sum(w.people(country) > 20_000_000 for country in w.neighbours("Brazil")),
    ),
    (
        "gimme the number of time zones in Brazil and Argentina put together",
        lambda w: len(w.of_all({"Brazil", "Argentina"}, "time_zone")),
    ),
    (
        "How many airports in Nepal lie above 2,000 feet?",
        lambda w: sum(w.height(airport) > 2000 for airport in w.measured_airports("Nepal")),
    ),
    ("how many currencies have $ as their symbol", lambda w: len(w.with_value("currency_symbol", "$"))),
]

_AND: Pairs = [
    (
        "Which Caribbean countries use the East Caribbean dollar and are in the Commonwealth of Nations?",
        lambda w: w.region("Caribbean") & w.paying_in("East Caribbean Dollar") & w.members("Commonwealth of Nations"),
    ),
    (
        "what african nations have english as an official language + pay with the south african rand",
        lambda w: w.continent("Africa") & w.speaking("English") & w.paying_in("South African Rand"),
    ),
    ("Which of Turkey's neighbors also border Russia?", lambda w: w.neighbours("Turkey") & w.neighbours("Russia")),
    (
        "What languages are official in Peru as well as in Bolivia?",
        lambda w: w.of("Peru", "official_language") & w.of("Bolivia", "official_language"),
    ),
    (
        "In which Central American countries is the capital also the biggest city?",
        lambda w: {
            country
            for country in w.region("Central America")
            if w.of(country, "capital") & w.of(country, "largest_city")
        },
    ),
    (
        "wich countries in oceania use the australian dollar and have fewer than 20,000 people",
        lambda w: {
            country
            for country in w.continent("Oceania") & w.paying_in("Australian Dollar")
            if w.people(country) < 20_000
        },
    ),
    ("Which BRICS countries share a border with China?", lambda w: w.members("BRICS") & w.neighbours("China")),
    (
        "Which French territories are in North America and use the euro?",
        lambda w: w.with_value("territory_of", "France") & w.continent("North America") & w.paying_in("Euro"),
    ),
    (
        "airports that serve Moscow and are higher than 600 feet pls",
        lambda w: {
            airport for airport in w.known(w.airports_of_city("Moscow"), "elevation_ft") if w.height(airport) > 600
        },
    ),
    (
        "My company ships to European countries where people drive on the left and pay with pounds sterling. "
        "Which ones are these?",
        lambda w: w.continent("Europe") & w.driving("left") & w.paying_in("Pound Sterling"),
    ),
]

_OR: Pairs = [
    (
        "Which countries have Hindi, Urdu or Bengali as an official language?",
        lambda w: w.speaking("Hindi") | w.speaking("Urdu") | w.speaking("Bengali"),
    ),
    (
        "who pays with moroccan dirhams or south african rand?",
        lambda w: w.paying_in("Moroccan Dirham") | w.paying_in("South African Rand"),
    ),
    (
        "Countries that are either in Australasia or in Melanesia?",
        lambda w: w.region("Australasia") | w.region("Melanesia"),
    ),
    (
        "What countries border either Mongolia or North Korea?",
        lambda w: w.neighbours("Mongolia") | w.neighbours("North Korea"),
    ),
    (
        "list every language thats written in the Arabic script or the Tibetan script",
        lambda w: w.with_value("written_in", "Arabic script") | w.with_value("written_in", "Tibetan script"),
    ),
    (
        "Where do I end up if I dial +7 or +39?",
        lambda w: w.with_value("calling_code", "+7") | w.with_value("calling_code", "+39"),
    ),
    (
        "Which cities are in Tasmania or in the Northern Territory?",
        lambda w: w.cities_of_state("Tasmania") | w.cities_of_state("Northern Territory"),
    ),
    (
        "airports for Paris or Istanbul",
        lambda w: w.airports_of_city("Paris") | w.airports_of_city("Istanbul"),
    ),
    (
        "Which South American countries have either more than 40 million people or an area of over 2 million sq km?",
        lambda w: {
            country
            for country in w.continent("South America")
            if w.people(country) > 40_000_000 or w.area(country) > 2_000_000
        },
    ),
    (
        "Which places are territories of Australia or of New Zealand?",
        lambda w: w.with_value("territory_of", "Australia") | w.with_value("territory_of", "New Zealand"),
    ),
]

_NOT: Pairs = [
    (
        "Which members of the Gulf Cooperation Council aren't in OPEC?",
        lambda w: w.members("Gulf Cooperation Council") - w.members("OPEC"),
    ),
    (
        "Which G20 countries are in neither NATO nor BRICS?",
        lambda w: w.members("G20") - w.members("NATO") - w.members("BRICS"),
    ),
    (
        "which spanish cities arent in the Europe/Madrid time zone",
        lambda w: w.cities("Spain") - w.with_value("time_zone", "Europe/Madrid"),
    ),
    (
        "Which countires next to Hungary are outside the European Union?",
        lambda w: w.neighbours("Hungary") - w.members("European Union"),
    ),
    (
        "What official languages of Asian countries are written neither in Latin script nor in Cyrillic or Arabic?",
        lambda w: {
            language
            for language in w.of_all(w.continent("Asia"), "official_language")
            if not w.of(language, "written_in") & {"Latin script", "Cyrillic script", "Arabic script"}
        },
    ),
    (
        "which countries have no internet domain?",
        lambda w: w.countries - w.known(w.countries, "internet_domain"),
    ),
    (
        "Name the Western African countries where neither French nor English is official.",
        lambda w: w.region("Western Africa") - w.speaking("French") - w.speaking("English"),
    ),
    (
        "all caribbean countries that are not a territory and are not in the Commonwealth of Nations either",
        lambda w: w.region("Caribbean") - w.known(w.countries, "territory_of") - w.members("Commonwealth of Nations"),
    ),
    (
        "Which South American countries have a capital that isn't their largest city?",
        lambda w: {
            country
            for country in w.known(w.known(w.continent("South America"), "largest_city"), "capital")
            if not w.of(country, "capital") & w.of(country, "largest_city")
        },
    ),
    (
        "I've been to every country in Eastern Asia except Japan and China, so which ones have I visited?",
        lambda w: w.region("Eastern Asia") - {"Japan", "China"},
    ),
]

_SUPERLATIVE: Pairs = [
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

_TOP_K: Pairs = [
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

_COMPARE: Pairs = [
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

_YES_NO: Pairs = [
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

_FILTER: Pairs = [
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

_SUM_AVERAGE: Pairs = [
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

_GROUP: Pairs = [
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

_TEXT: Pairs = [
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

_SECOND_STAGE: Pairs = [
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
