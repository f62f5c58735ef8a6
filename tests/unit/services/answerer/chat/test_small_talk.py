import pytest

from services.answerer.chat.small_talk import small_talk_reply


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Hello", "Hello! Ask me"),
        ("Hi there!", "Hello! Ask me"),
        ("Good morning", "Hello! Ask me"),
        ("Hi, how are you?", "Hello! Ask me"),
        ("How’s it going?", "Hello! Ask me"),
        ("thank you", "You're welcome!"),
        ("Great, thank you so much!!", "You're welcome!"),
        ("Thanks, bye", "Goodbye!"),
    ],
)
def test_greetings_and_thanks_are_answered(message: str, said: str) -> None:
    assert (small_talk_reply(message) or "").startswith(said)


@pytest.mark.parametrize(
    "message", ["Hi, which pets take Insulin?", "Who wrote Hello?", "How are you related to Ann?", "", "?", "hi " * 300]
)
def test_a_message_that_says_more_is_a_question(message: str) -> None:
    assert small_talk_reply(message) is None
