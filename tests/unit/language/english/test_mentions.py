from hypothesis import given
from hypothesis import strategies as st

from language.english.mentions import mentions_in
from services.retriever.linking.masking import masked_question
from shared.text import normalise


def test_the_longest_mentions_come_first_and_none_exceeds_the_limit() -> None:
    mentions = mentions_in("new york city hall", max_words=2)

    assert [mention.words for mention in mentions] == [2, 2, 2, 1, 1, 1, 1]
    assert mentions[0].name == "new york"


def test_characters_of_scripts_without_spaces_are_words() -> None:
    assert "北京" in {mention.name for mention in mentions_in("北京的人口")}


@given(st.text(max_size=60))
def test_mentions_lie_in_the_question_and_masking_never_fails(question: str) -> None:
    for mention in mentions_in(question):
        assert 0 <= mention.start < mention.end <= len(question)
        assert "[MASK]" in masked_question(question, mention)


@given(st.text(alphabet="abS 's-1É.?", max_size=30))
def test_every_mention_has_its_normalised_text_as_name(question: str) -> None:
    names = {(mention.start, mention.end, mention.name) for mention in mentions_in(question) if not mention.penalty}

    assert all(name == normalise(question[start:end]) for start, end, name in names)
