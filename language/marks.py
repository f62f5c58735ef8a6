"""Name what questions say beside words, values, and operators."""

from enum import StrEnum


class Mark(StrEnum):
    """Name what a part of a question means; each language says by which words.

    A mark whose name begins with `BEFORE_` or `AFTER_` is looked for right before a place, with `Question.before`.
    """

    WHETHER = "whether"
    """The whole question is to be answered by yes or no."""
    DEFINITION = "definition"
    """The whole question asks what a word means."""
    MAY_COUNT = "may_count"
    """A word that may ask for a number."""

    WORD_OF_TEXT = "word_of_text"
    """A word of any text, with its hyphens and apostrophes."""
    QUOTED_TEXT = "quoted_text"
    """A text in quotation marks; its part is the text within them."""
    QUOTED_WHOLE = "quoted_whole"
    """The whole text is in quotation marks; its part is the text within them."""
    CODE = "code"
    """A code, which people write as a value without quotes: `KEF`, `A-113`."""
    PLAIN_WORD = "plain_word"
    """A run of letters and digits."""
