import sys
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import pytest

from language.english.english import english
from services.retriever.linking import linker as linker_module
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.linking.word_surprisal import WordSurprisal
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
    return EntityLinker(graph(), WordSurprisal(QUESTION_WORDS))


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
        # Cities whose names are ordinary words do not take precedence over a real name, misspelled or not.
        ("What is the most spoken language in Frence?", "France", "Frence"),
        ("how many languages are spoken in spaiin", "Spain", "spaiin"),
        ("What is the most spoken of many languages in Spain?", "Spain", "Spain"),
        ("what is the currency of untied kingdom", "United Kingdom", "untied kingdom"),
        ("capital of teh united kingdom's neighbour", "United Kingdom", "united kingdom"),
        ("which country has new yrk in it", "New York", "new yrk"),
        ("which country has washingtn dc in it", "Washington, D.C.", "washingtn dc"),
        # Quoted text is a name, however common its words.
        ('which country is the "Of" of the song about New York in', "Of", "Of"),
        # Cities whose names are ordinary words are found if the question is about them.
        ("In which country is Nice?", "Nice", "Nice"),
        ("Which country has the city Most in it?", "Most", "Most"),
    ],
)
async def test_link_finds_the_topic(question: str, entity: str, mention: str) -> None:
    best = (await linker().link(english(question)))[0]

    assert (best.entity.name, mentioned(question, best)) == (entity, mention)


async def test_all_entities_with_a_name_are_candidates_those_with_an_alias_last() -> None:
    found = await linker().link(english("What is the currency of Luxembourg?"))

    assert [topic.entity.name for topic in found] == ["Luxembourg", "Luxembourg City"]
    assert found[0].score > found[1].score > 0.5


async def test_two_mentions_are_both_candidates() -> None:
    found = await linker().link(english("Does Paris lie in France?"))

    assert {topic.entity.name for topic in found} == {"Paris", "France"}


async def test_at_most_five_candidates_are_returned_with_scores_between_0_and_1() -> None:
    found = await linker().link(english("France Spain Peru Guinea Luxembourg Nice Paris York UK"))

    assert len(found) == 5
    assert all(0 < topic.score <= 1 for topic in found)


@pytest.mark.parametrize("question", ["?", "...", "what is it", "how do I tie a tie", "xyzzyplugh"])
async def test_a_question_without_names_has_no_topics(question: str) -> None:
    assert await linker().link(english(question)) == []


async def test_resolve_finds_a_given_topic_by_name_and_its_mention_by_alias() -> None:
    question = "what do people in the uk pay with"
    [topic] = await linker().resolve(english(question), "united kingdom")

    assert (topic.entity.name, mentioned(question, topic)) == ("United Kingdom", "uk")


async def test_resolve_prefers_a_name_to_an_alias() -> None:
    country, city = await linker().resolve(english("how many people live in luxembourg"), "Luxembourg")

    assert (country.entity.name, city.entity.name) == ("Luxembourg", "Luxembourg City")
    assert city.score < 0.85 * country.score


async def test_resolve_prefers_a_name_that_is_spelled_exactly_as_given() -> None:
    films = [("Moulin Rouge", "year", "1952"), ("Moulin Rouge!", "year", "2001"), ("Moulin Rouge!", "genre", "Musical")]
    linker = EntityLinker(InMemoryGraph(films), WordSurprisal())

    plain = await linker.resolve(english("year of it"), "Moulin Rouge")
    loud = await linker.resolve(english("year of it"), "Moulin Rouge!")
    either = await linker.resolve(english("year of it"), "moulin rouge")

    assert [topic.entity.name for topic in plain] == ["Moulin Rouge", "Moulin Rouge!"]
    assert [topic.entity.name for topic in loud] == ["Moulin Rouge!", "Moulin Rouge"]
    assert plain[1].score < 0.6 * plain[0].score
    assert either[1].score > 0.9 * either[0].score


async def test_the_longest_questions_are_linked() -> None:
    question = ("which untied kingdms and spian neighbours " * 24).strip()

    assert "Spain" in {topic.entity.name for topic in await linker().link(english(question))}


async def test_a_given_topic_needs_no_mention_in_the_question() -> None:
    [topic] = await linker().resolve(english("what do people pay with there"), "UK")

    assert topic.mention is None


async def test_an_unknown_topic_is_refused_with_similar_names() -> None:
    with pytest.raises(UnknownEntityError, match="'Frence'; did you mean 'France'"):
        await linker().resolve(english("capital of Frence"), "Frence")
    with pytest.raises(UnknownEntityError, match="'gervasi'; did you mean 'Sacha Gervasi'"):
        await EntityLinker(FILMS, WordSurprisal()).resolve(english("films of gervasi"), "gervasi")
    with pytest.raises(UnknownEntityError, match="check the spelling"):
        await linker().resolve(english("capital of Atlantis"), "Atlantis")


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
async def test_link_finds_shortened_and_misspelled_names_without_their_article(
    question: str, entity: str, mention: str
) -> None:
    best = (await EntityLinker(FILMS, WordSurprisal(["director", "direct", "films"])).link(english(question)))[0]

    assert (best.entity.name, mentioned(question, best)) == (entity, mention)


async def test_a_name_and_a_short_name_are_both_candidates() -> None:
    found = await EntityLinker(FILMS, WordSurprisal(["direct"])).link(english("what did hitchcock direct"))

    assert [topic.entity.name for topic in found] == ["Hitchcock", "Alfred Hitchcock"]
    assert [topic.correction for topic in found] == [0.0, 1.0]


@pytest.mark.parametrize(
    "question",
    ["films of Peter Gervasi", "films of peter gervassi", "cast of nosuch borat", "films of Gervasi Canterbury"],
)
async def test_a_short_name_next_to_another_name_does_not_count(question: str) -> None:
    found = await EntityLinker(FILMS, WordSurprisal(["films", "cast"])).link(english(question))

    assert not [topic for topic in found if topic.score > 0.1]


async def test_an_adjacent_word_that_may_belong_to_the_name_counts_as_a_correction() -> None:
    [upper] = await linker().link(english("capital of Upper Peru"))
    [farm] = await linker().link(english("capital of Peru Farm"))
    [peru] = await linker().link(english("capital of Peru"))
    [apart] = await linker().link(english("Lima's country, Peru"))
    [small] = await linker().link(english("What do neighbours of beautiful Peru pay with?"))

    assert (upper.entity.name, upper.correction, farm.correction) == ("Peru", 1.0, 1.0)
    assert (peru.correction, apart.correction, small.correction) == (0.0, 0.0, 0.0)


async def test_adjacent_characters_of_scripts_without_spaces_are_no_correction() -> None:
    films = InMemoryGraph([("大白鲨", "导演", "史蒂文·斯皮尔伯格")])
    linker = EntityLinker(films, WordSurprisal(["请问", "的导演是谁", "导演的电影"]))

    [film] = await linker.link(english("请问大白鲨的导演是谁"))
    [person] = await linker.link(english("请问斯皮尔伯格导演的电影"))

    assert (film.entity.name, film.correction) == ("大白鲨", 0.0)
    assert (person.entity.name, person.correction) == ("史蒂文·斯皮尔伯格", 1.0)


@pytest.mark.parametrize(("question", "found"), [("was ist das", False), ("where is lhr", True), ("IST country", True)])
async def test_a_foreign_function_word_is_not_a_code_in_lower_case(question: str, found: bool) -> None:
    airports = InMemoryGraph(
        [("Istanbul Airport", "serves", "Istanbul"), ("London Heathrow Airport", "serves", "London")],
        [("Istanbul Airport", "IST"), ("London Heathrow Airport", "LHR")],
    )

    assert bool(await EntityLinker(airports, WordSurprisal(["country"])).link(english(question))) == found


@pytest.mark.parametrize(("question", "most"), [("Which countries border France?", 6), ("who bordrs Frnce", 8)])
async def test_following_a_question_through_the_code_rarely_returns_to_a_file(question: str, most: int) -> None:
    room = Path(linker_module.__file__).parent
    first_calls: dict[CodeType, str] = {}

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and Path(frame.f_code.co_filename).parent == room:
            first_calls.setdefault(frame.f_code, frame.f_code.co_filename)

    tested = linker()
    sys.setprofile(record)
    try:
        await tested.link(english(question))
    finally:
        sys.setprofile(None)

    visits = [file for file, _ in groupby(first_calls.values())]
    assert len(set(visits)) >= 7  # every stage ran
    assert len(visits) - len(set(visits)) <= most
