import pytest

from services.retriever.linking.linker import EntityLinker, LinkedTopic, find_mentions
from services.retriever.linking.word_surprisal import WordRarity
from shared.errors import UnknownEntityError
from tests.fakes.graph import InMemoryGraph

COUNTRIES = ["France", "Spain", "Luxembourg", "United Kingdom", "Côte d'Ivoire", "Guinea", "Guinea-Bissau", "Peru"]
CITIES = [
    "Nice",
    "Of",
    "Most",
    "Many",
    "Paris",
    "York",
    "New York",
    "Luxembourg City",
    "Bissau",
    "Perus",
    "Washington, D.C.",
]
QUESTION_WORDS = ["capital", "city", "country", "countries", "border", "currency", "language", "spoken", "languages"]


def graph() -> InMemoryGraph:
    triples = [(country, "continent", "Earth") for country in COUNTRIES]
    triples += [(city, "located_in", country) for city, country in zip(CITIES, COUNTRIES * 2, strict=False)]
    triples += [("France", "borders", other) for other in ("Spain", "Luxembourg")]
    aliases = [("Luxembourg City", "Luxembourg"), ("United Kingdom", "UK"), ("France", ".fr"), ("Nice", "IT")]
    return InMemoryGraph(triples, aliases)


def linker() -> EntityLinker:
    return EntityLinker(graph(), WordRarity(QUESTION_WORDS))


def mentioned(question: str, topic: LinkedTopic) -> str | None:
    return question[topic.mention.start : topic.mention.end] if topic.mention else None


@pytest.mark.parametrize(
    ("question", "entity", "mention"),
    [
        ("Which countries border France?", "France", "France"),
        ("which countries border france", "France", "france"),
        ("WHICH COUNTRIES BORDER FRANCE", "France", "FRANCE"),
        ("Which Countries Border France?", "France", "France"),
        ("France's neighbours", "France", "France"),
        ("france’s neighbours", "France", "france"),
        ("Frances neighbours", "France", "Frances"),
        ("What is the capital of Peru's neighbour?", "Peru", "Peru"),
        ("what is the capital of cote divoire", "Côte d'Ivoire", "cote divoire"),
        ("Capital of (Guinea-Bissau)?", "Guinea-Bissau", "Guinea-Bissau"),
        ("capital of guinea bissau", "Guinea-Bissau", "guinea bissau"),
        ('Where is "New York"?', "New York", "New York"),
        ("what is the currency of the uk", "United Kingdom", "uk"),
        ("which country has Washington, D.C. in it", "Washington, D.C.", "Washington, D.C"),
        # Cities that are ordinary words do not win over a real name, misspelt or not.
        ("What is the most spoken language in Frence?", "France", "Frence"),
        ("how many languages are spoken in spaiin", "Spain", "spaiin"),
        ("What is the most spoken of many languages in Spain?", "Spain", "Spain"),
        ("what is the currency of untied kingdom", "United Kingdom", "untied kingdom"),
        ("capital of teh united kingdom's neighbour", "United Kingdom", "united kingdom"),
        ("which country has new yrk in it", "New York", "new yrk"),
        ("which country has washingtn dc in it", "Washington, D.C.", "washingtn dc"),
        # What stands in quotes is meant, however common a word.
        ('which country is the "Of" of the song about New York in', "Of", "Of"),
        # But they are found where they are what is asked about.
        ("In which country is Nice?", "Nice", "Nice"),
        ("Which country has the city Most in it?", "Most", "Most"),
    ],
)
async def test_the_topic_is_found(question: str, entity: str, mention: str) -> None:
    best = (await linker().link(question))[0]

    assert (best.entity.name, mentioned(question, best)) == (entity, mention)


async def test_entities_of_one_name_are_all_candidates_the_bearer_of_the_name_first() -> None:
    found = await linker().link("What is the currency of Luxembourg?")

    assert [topic.entity.name for topic in found] == ["Luxembourg", "Luxembourg City"]
    assert found[0].score > found[1].score > 0.5


async def test_two_mentions_are_both_candidates() -> None:
    found = await linker().link("Does Paris lie in France?")

    assert {topic.entity.name for topic in found} == {"Paris", "France"}


async def test_at_most_five_candidates_are_returned_with_scores_between_0_and_1() -> None:
    found = await linker().link("France Spain Peru Guinea Luxembourg Nice Paris York UK")

    assert len(found) == 5
    assert all(0 < topic.score <= 1 for topic in found)


@pytest.mark.parametrize("question", ["?", "...", "what is it", "how do I tie a tie", "xyzzyplugh"])
async def test_nothing_is_found_where_nothing_is_named(question: str) -> None:
    assert await linker().link(question) == []


async def test_a_given_topic_is_looked_up_by_name_or_alias_and_its_mention_found() -> None:
    question = "what do people in the uk pay with"
    [topic] = await linker().resolve(question, "united kingdom")

    assert (topic.entity.name, mentioned(question, topic)) == ("United Kingdom", "uk")


async def test_a_given_name_means_rather_its_bearer_than_who_also_goes_by_it() -> None:
    country, city = await linker().resolve("how many people live in luxembourg", "Luxembourg")

    assert (country.entity.name, city.entity.name) == ("Luxembourg", "Luxembourg City")
    assert city.score < 0.85 * country.score


async def test_a_given_name_that_is_spelt_just_so_means_its_bearer() -> None:
    films = [("Moulin Rouge", "year", "1952"), ("Moulin Rouge!", "year", "2001"), ("Moulin Rouge!", "genre", "Musical")]
    linker = EntityLinker(InMemoryGraph(films), WordRarity())

    plain = await linker.resolve("year of it", "Moulin Rouge")
    loud = await linker.resolve("year of it", "Moulin Rouge!")
    either = await linker.resolve("year of it", "moulin rouge")

    assert [topic.entity.name for topic in plain] == ["Moulin Rouge", "Moulin Rouge!"]
    assert [topic.entity.name for topic in loud] == ["Moulin Rouge!", "Moulin Rouge"]
    assert plain[1].score < 0.6 * plain[0].score
    assert either[1].score > 0.9 * either[0].score


async def test_the_longest_questions_are_linked() -> None:
    question = ("which untied kingdms and spian neighbours " * 24).strip()

    assert "Spain" in {topic.entity.name for topic in await linker().link(question)}


async def test_a_given_topic_need_not_be_mentioned() -> None:
    [topic] = await linker().resolve("what do people pay with there", "UK")

    assert topic.mention is None


async def test_an_unknown_topic_is_refused_with_near_names() -> None:
    with pytest.raises(UnknownEntityError, match="'Frence'; did you mean 'France'"):
        await linker().resolve("capital of Frence", "Frence")
    with pytest.raises(UnknownEntityError, match="'gervasi'; did you mean 'Sacha Gervasi'"):
        await EntityLinker(FILMS, WordRarity()).resolve("films of gervasi", "gervasi")
    with pytest.raises(UnknownEntityError, match="check the spelling"):
        await linker().resolve("capital of Atlantis", "Atlantis")


async def test_mentions_of_known_topics_are_found_by_name_alias_and_with_errors() -> None:
    pairs = [
        ("who borders france", "France"),
        ("uk money", "United Kingdom"),
        ("untied kingdom money", "United Kingdom"),
        ("money", "France"),
    ]

    found = await find_mentions(graph(), pairs)

    assert [mention and mention.name for mention in found] == ["france", "uk", "untied kingdom", None]


FILMS = InMemoryGraph(
    [
        ("Psycho", "directed_by", "Alfred Hitchcock"),
        ("Rebecca", "directed_by", "Alfred Hitchcock"),
        ("Hitchcock", "directed_by", "Sacha Gervasi"),
        ("The Rocky Horror Picture Show", "directed_by", "Jim Sharman"),
        ("The Prize Winner of Defiance, Ohio", "directed_by", "Jane Anderson"),
        ("Borat: Cultural Learnings of America", "directed_by", "Larry Charles"),
        ("Psycho II", "directed_by", "Richard Franklin"),
    ]
)


@pytest.mark.parametrize(
    ("question", "entity", "mention"),
    [
        ("what else did gervasi direct", "Sacha Gervasi", "gervasi"),
        ("what else did gervassi direct", "Sacha Gervasi", "gervassi"),
        ("who made borat", "Borat: Cultural Learnings of America", "borat"),
        ("prize winner of defiance director", "The Prize Winner of Defiance, Ohio", "prize winner of defiance"),
        ("roky horror picture show director", "The Rocky Horror Picture Show", "roky horror picture show"),
        ("director of psyco 2", "Psycho II", "psyco 2"),
        ("who directed hitchcock", "Hitchcock", "hitchcock"),
        ("alfred hitchcock films", "Alfred Hitchcock", "alfred hitchcock"),
    ],
)
async def test_names_are_found_shortened_and_misspelt_without_their_article(
    question: str, entity: str, mention: str
) -> None:
    best = (await EntityLinker(FILMS, WordRarity(["director", "direct", "films"])).link(question))[0]

    assert (best.entity.name, mentioned(question, best)) == (entity, mention)


async def test_who_goes_by_a_name_for_short_is_a_candidate_beside_its_bearer() -> None:
    found = await EntityLinker(FILMS, WordRarity(["direct"])).link("what did hitchcock direct")

    assert [topic.entity.name for topic in found] == ["Hitchcock", "Alfred Hitchcock"]
    assert [topic.corrected for topic in found] == [0.0, 1.0]


@pytest.mark.parametrize(
    "question",
    ["films of Peter Gervasi", "films of peter gervassi", "cast of nosuch borat", "films of Gervasi Canterbury"],
)
async def test_nothing_goes_by_a_short_name_beside_another_name(question: str) -> None:
    found = await EntityLinker(FILMS, WordRarity(["films", "cast"])).link(question)

    assert not [topic for topic in found if topic.score > 0.1]


async def test_a_word_beside_a_name_that_may_belong_to_it_is_left_aside() -> None:
    [upper] = await linker().link("capital of Upper Peru")
    [farm] = await linker().link("capital of Peru Farm")
    [peru] = await linker().link("capital of Peru")
    [apart] = await linker().link("Lima's country, Peru")
    [small] = await linker().link("What do neighbours of beautiful Peru pay with?")

    assert (upper.entity.name, upper.corrected, farm.corrected) == ("Peru", 1.0, 1.0)
    assert (peru.corrected, apart.corrected, small.corrected) == (0.0, 0.0, 0.0)


async def test_characters_of_scripts_without_blanks_leave_nothing_aside() -> None:
    films = InMemoryGraph([("大白鲨", "导演", "史蒂文·斯皮尔伯格")])
    linker = EntityLinker(films, WordRarity(["请问", "的导演是谁", "导演的电影"]))

    [film] = await linker.link("请问大白鲨的导演是谁")
    [person] = await linker.link("请问斯皮尔伯格导演的电影")

    assert (film.entity.name, film.corrected) == ("大白鲨", 0.0)
    assert (person.entity.name, person.corrected) == ("史蒂文·斯皮尔伯格", 1.0)


@pytest.mark.parametrize(("question", "found"), [("was ist das", False), ("where is lhr", True), ("IST country", True)])
async def test_a_code_in_small_letters_is_no_word_of_another_language(question: str, found: bool) -> None:
    airports = InMemoryGraph(
        [("Istanbul Airport", "serves", "Istanbul"), ("London Heathrow Airport", "serves", "London")],
        [("Istanbul Airport", "IST"), ("London Heathrow Airport", "LHR")],
    )

    assert bool(await EntityLinker(airports, WordRarity(["country"])).link(question)) == found
