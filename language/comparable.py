"""Write questions alike that differ only in spaces, quotes, and the mark at the end."""

import re


def comparable(question: str, *, is_whole: bool = True) -> str:
    """Collapse whitespace, and write quotes in one way; of a whole question, drop the mark at its end."""
    text = re.sub(r"\s+", " ", re.sub("[‘’`´]", "'", question))
    return text.rstrip(" ?.!") if is_whole else text
