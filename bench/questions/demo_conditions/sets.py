"""Compute the answers to questions that count, combine, or leave out."""

from bench.questions.demo_conditions.question import Pairs

COUNT: Pairs = [
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

AND: Pairs = [
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

OR: Pairs = [
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

NOT: Pairs = [
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
