import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contracts.ask import AskRequest
from contracts.retrieve import RetrieveRequest
from question_sets.records import QuestionRecord
from shared.text import normalise, readable, with_full_stop, without_invisible, without_markup


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Côte d'Ivoire", "cote d’ivoire"),
        ("São Tomé", "sao tome"),
        ("№ 5", "no 5"),
        ("Straße", "STRASSE"),
        ("Ὀδυσσεύς", "οδυσσευς"),
        ("The_Matrix (1999)", "the matrix 1999"),
        ("3:_2", "3 2"),
    ],
)
def test_spellings_of_one_name_are_equal(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(("left", "right"), [("की", "का"), ("バス", "ハス"), ("Paris", "Pari")])
def test_other_letters_are_other_names(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


@given(st.text(min_size=1).filter(str.strip))
def test_normalising_is_idempotent_and_never_empty(text: str) -> None:
    once = normalise(text)
    assert once
    assert normalise(once) == once


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("directed_by", "directed by"),
        ("directedBy", "directed by"),
        ("film.film.directed_by", "directed by"),
        ("http://e.org/p#directedBy", "directed by"),
        ("^directed_by", "inverse of directed by"),
        ("...", "..."),
    ],
)
def test_relations_read_as_words(relation: str, words: str) -> None:
    assert readable(relation) == words


@pytest.mark.parametrize(
    "hidden", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066",
               "\u2069", "\ufeff", "\u061c"]
)  # fmt: skip
def test_what_nobody_sees_is_removed(hidden: str) -> None:
    assert without_invisible(f"{hidden} Fra{hidden}{hidden}nce {hidden}") == "France"
    assert without_invisible(f"Фра{hidden}нция") == "Франция"
    assert without_invisible(f"東{hidden}京") == "東京"


@pytest.mark.parametrize(
    "name",
    [
        "می\u200cخواهم",  # Persian: without it, the letters join
        "क्\u200dष",  # Hindi: with it, the half form
        "ശ്രീ\u200c",  # Malayalam
        "👩\u200d⚕️",
        "❤️\u200d🔥",
        "👨\u200d👩\u200d👧",
        "ប្រទេស\u200bបារាំង",  # Khmer: between words
        "Côte d’Ivoire",
        "Noël",
    ],
)
def test_what_a_script_or_an_emoji_needs_is_kept(name: str) -> None:
    assert without_invisible(name) == name


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = without_invisible(text)
    assert without_invisible(once) == once


def test_questions_and_topics_are_cleaned() -> None:
    asked = AskRequest(question="\u202ecapital of Fra\u200bnce?\u202c", topic_entity="Fra\u00adnce")
    assert (asked.question, asked.topic_entity) == ("capital of France?", "France")
    assert RetrieveRequest(question="\ufeff who?").question == "who?"
    record = QuestionRecord(question="q", topic="Fra\u2060nce", answers=("Pa\u200bris",), path=("capi\u200btal",))
    assert (record.topic, record.answers, record.path) == ("France", ("Paris",), ("capital",))


@pytest.mark.parametrize("question", ["\u200b", " \u200b\u202e ", "\ufeff"])
def test_a_question_of_nothing_visible_is_none(question: str) -> None:
    with pytest.raises(ValidationError, match="at least 1 character"):
        AskRequest(question=question)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<b>Which</b> films?<br/>", "Which films?"),
        ('<a href="http://e.org">Which</a> films', "Which films"),
        ("**Which** films did _Ann Lee_ direct?", "Which films did Ann Lee direct?"),
        ("***Which*** ~~old~~ films", "Which old films"),
        ("<@U42> which films? :smile: :+1:", "which films? :+1:"),
        ("<!here> <#C1|general> which films", "which films"),
    ],
)
def test_markup_and_chat_marks_are_removed(text: str, plain: str) -> None:
    assert without_markup(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "Is 3 < 5 and 7 > 6?",
        "Who made M*A*S*H?",
        "What is snake_case_name?",
        "Which films last 1:30:00?",
        "Is A* a search?",
        "Which nodes have a name like __init__.py?",
        "<b></b>",
        "Which x satisfy a<b and b>c?",
        "Who plays in Se7en: the *?",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert without_markup(text) == text


@given(st.text("a *_~<>:/b", max_size=12))
def test_removing_markup_leaves_some_text(text: str) -> None:
    plain = without_markup(text)

    assert plain.strip() or not text.strip()
    assert len(plain) <= len(text)


def test_questions_are_read_without_markup() -> None:
    assert RetrieveRequest(question="**Which** films?").question == "Which films?"


@pytest.mark.parametrize(("text", "expected"), [("a", "a."), ("a.", "a."), ("a?", "a?"), ("a!", "a!"), ("", ".")])
def test_a_sentence_has_one_mark_at_its_end(text: str, expected: str) -> None:
    assert with_full_stop(text) == expected
