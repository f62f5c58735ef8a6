"""Say by which English words a question means what."""

import re

from language.marks import Mark

_YES_NO = "is|are|was|were|does|do|did|has|have|can|could|will"

PATTERNS: dict[Mark, re.Pattern[str]] = {
    Mark.WHETHER: re.compile(rf"\A(?!\W*is there an? list of\b)\s*(?:{_YES_NO}) ", re.IGNORECASE),
    Mark.DEFINITION: re.compile(r"\A\W*what(?:['’]s| is| are) an? [a-z][\w-]*(?: [a-z][\w-]*)?\W*\Z", re.IGNORECASE),
    Mark.MAY_COUNT: re.compile(
        r"\b(?:how (?:many|much|often|big|large)|numbers?|no\.|nr\.?|counts?|counted|counting|totals?|amount|quantity|"
        r"size|headcount|many|times|tally|population)(?!\w)|#",
        re.IGNORECASE,
    ),
    Mark.WORD_OF_TEXT: re.compile(r"\w[\w'’-]*"),
    Mark.QUOTED_TEXT: re.compile(r"[\"“”„«»‘]([^\"“”„«»‘’]+)[\"“”«»’]"),
    Mark.QUOTED_WHOLE: re.compile(r"""\A["“”'](.+)["“”']\Z"""),
    Mark.CODE: re.compile(
        r"(?<!\S)(?=[\w.-]*[A-Z0-9])(?:[A-Z][A-Z0-9.-]+|[A-Z0-9.-]*[0-9][\w.-]*)(?<![.-])(?=[\s,;?!]|$)"
    ),
    Mark.PLAIN_WORD: re.compile(r"[^\W_]+"),
}
"""The expression of each mark; its groups are the parts that `Said` holds."""
