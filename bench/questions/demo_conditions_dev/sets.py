"""Compute the answers to questions that count, combine, or leave out."""

from bench.questions.demo_conditions.question import Pairs

COUNT: Pairs = [
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

AND: Pairs = [
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

OR: Pairs = [
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

NOT: Pairs = [
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
