import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.linking.mentions import masked_question, mention_of, mentions_in
from shared.text import normalise


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
def test_the_mention_of_a_known_topic_is_masked(question: str, names: list[str], masked: str) -> None:
    assert masked_question(question, mention_of(question, names)) == masked


def test_the_longest_runs_come_first_and_no_run_is_longer_than_asked() -> None:
    mentions = mentions_in("new york city hall", max_words=2)

    assert [mention.words for mention in mentions] == [2, 2, 2, 1, 1, 1, 1]
    assert mentions[0].name == "new york"


def test_characters_of_scripts_without_blanks_are_words() -> None:
    assert "北京" in {mention.name for mention in mentions_in("北京的人口")}


@given(st.text(max_size=60))
def test_mentions_lie_in_the_question_and_masking_never_fails(question: str) -> None:
    for mention in mentions_in(question):
        assert 0 <= mention.start < mention.end <= len(question)
        assert "[MASK]" in masked_question(question, mention)


@given(st.text(alphabet="abS 's-1É.?", max_size=30))
def test_every_run_stands_under_its_normalised_text(question: str) -> None:
    names = {(mention.start, mention.end, mention.name) for mention in mentions_in(question) if not mention.doubt}

    assert all(name == normalise(question[start:end]) for start, end, name in names)
