import pytest

from language.english.english import english
from services.retriever.linking.masking import masked_question
from services.retriever.linking.topic_mentions import find_mention, find_topic_mentions
from tests.fakes.graph import InMemoryGraph

GRAPH = InMemoryGraph(
    [(country, "continent", "Earth") for country in ("France", "United Kingdom")], [("United Kingdom", "UK")]
)


async def test_topics_are_found_by_name_by_alias_and_misspelled() -> None:
    pairs = [
        ("who borders france", "France"),
        ("uk money", "United Kingdom"),
        ("untied kingdom money", "United Kingdom"),
        ("money", "France"),
    ]

    found = await find_topic_mentions(GRAPH, [(english(question), topic) for question, topic in pairs])

    assert [mention and mention.name for mention in found] == ["france", "uk", "untied kingdom", None]


@pytest.mark.parametrize(
    ("question", "names", "masked"),
    [
        ("Which countries border France?", ["France"], "Which countries border [MASK] ?"),
        ("which countries border FRANCE", ["France"], "which countries border [MASK]"),
        ("France's neighbours", ["France"], "[MASK] 's neighbours"),
        ("France’s neighbours", ["France"], "[MASK] ’s neighbours"),
        ("Wales' capital", ["Wales"], "[MASK] capital"),
        ("Frances neighbours", ["France"], "[MASK] neighbours"),
        ("the capital of Cote d'Ivoire?", ["Côte d’Ivoire"], "the capital of [MASK] ?"),
        ("who speaks in Guinea-Bissau (Africa)?", ["Guinea-Bissau"], "who speaks in [MASK] (Africa)?"),
        ('who wrote "O Brother, Where Art Thou?"', ["O Brother, Where Art Thou?"], 'who wrote " [MASK] ?"'),
        ("what is Washington, D.C. in", ["Washington, D.C."], "what is [MASK] . in"),
        ("capital of Frnace", ["France"], "capital of [MASK]"),
        ("money in Untied Kingdom today", ["United Kingdom", "UK"], "money in [MASK] today"),
        ("what did peckinpah script", ["Sam Peckinpah"], "what did [MASK] script"),
        ("torrente writer", ["Torrente, el brazo tonto de la ley"], "[MASK] writer"),
        ("films of san peckinpah", ["Sam Peckinpah"], "films of [MASK]"),
        ("whose domain is .fr?", [".fr"], "whose domain is [MASK] ?"),
        ("what does  this   mean", ["France"], "what does this mean"),
    ],
)
def test_find_mention_finds_what_masking_hides(question: str, names: list[str], masked: str) -> None:
    assert masked_question(question, find_mention(english(question), names)) == masked
