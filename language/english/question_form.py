"""Tell from the words of a question whether it wants yes or no, a number, or a definition."""

import re

_YES_NO = (
    "is ", "are ", "was ", "were ", "does ", "do ", "did ", "has ", "have ", "can ", "could ", "will ", "is there ",
)  # fmt: skip
_COUNT = re.compile(
    r"\b(?:how (?:many|much|often|big|large)|numbers?|no\.|nr\.?|counts?|counted|counting|totals?|amount|quantity|"
    r"size|headcount|many|times|tally|population)(?!\w)|#",
    re.IGNORECASE,
)
_LIST = re.compile(r"\W*is there an? list of\b", re.IGNORECASE)
_DEFINITION = re.compile(r"\W*what(?:['’]s| is| are) an? [a-z][\w-]*(?: [a-z][\w-]*)?\W*", re.IGNORECASE)


def asks_definition(question: str) -> bool:
    """Return whether a question asks what a word means, as `What is an avalanche?` does."""
    return _DEFINITION.fullmatch(question) is not None


def asks_whether(question: str) -> bool:
    """Return whether a question is to be answered by yes or no; `Is there a list of` asks for the list."""
    return question.lower().lstrip().startswith(_YES_NO) and _LIST.match(question) is None


def may_ask_for_count(question: str) -> bool:
    """Return whether a question has a word that may ask for a number, or asks whether there is anything."""
    return asks_whether(question) or _COUNT.search(question) is not None
