"""Tell from the words of a question whether it wants yes or no."""

import re

_YES_NO = (
    "is ", "are ", "was ", "were ", "does ", "do ", "did ", "has ", "have ", "can ", "could ", "will ", "is there ",
)  # fmt: skip
_LIST = re.compile(r"\W*is there an? list of\b", re.IGNORECASE)


def asks_whether(question: str) -> bool:
    """Return whether a question is to be answered by yes or no; `Is there a list of` asks for the list."""
    return question.lower().lstrip().startswith(_YES_NO) and _LIST.match(question) is None
