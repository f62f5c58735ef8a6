"""Answer greetings and thanks, which are no questions about the graph."""

from language.conversation import SmallTalk
from language.english.english import english

_REPLIES = {
    SmallTalk.GREETING: "Hello! Ask me about what the graph knows.",
    SmallTalk.FAREWELL: "Goodbye! Come back whenever you want to ask about what the graph knows.",
    SmallTalk.THANKS: "You're welcome! Ask me more about what the graph knows.",
}


def small_talk_reply(message: str) -> str | None:
    """Return the reply to a message that consists of greetings and thanks alone, or None for any other message.

    Example:
        >>> small_talk_reply("Good morning!")
        'Hello! Ask me about what the graph knows.'
    """
    said = english(message).small_talk
    return _REPLIES[said] if said else None
