"""Say by which English words a question means what."""

import re

from language.marks import Mark

_NOUN_PHRASE = r"(?:[\w'’-]+\s+){0,4}[\w'’-]+"
_YES_NO = "is|are|was|were|does|do|did|has|have|can|could|will"

PATTERNS: dict[Mark, re.Pattern[str]] = {
    Mark.WHETHER: re.compile(rf"\A(?!\W*is there an? list of\b)\s*(?:{_YES_NO}) ", re.IGNORECASE),
    Mark.DEFINITION: re.compile(r"\A\W*what(?:['’]s| is| are) an? [a-z][\w-]*(?: [a-z][\w-]*)?\W*\Z", re.IGNORECASE),
    Mark.MAY_COUNT: re.compile(
        r"\b(?:how (?:many|much|often|big|large)|numbers?|no\.|nr\.?|counts?|counted|counting|totals?|amount|quantity|"
        r"size|headcount|many|times|tally|population)(?!\w)|#",
        re.IGNORECASE,
    ),
    Mark.PER_PERIOD: re.compile(
        r"\b(?:(?:per|each|every|by|for each) (?:(year)|(quarter)|(month)|(week)|(day))"
        r"|(yearly)|(quarterly)|(monthly)|(weekly)|(daily))\b",
        re.IGNORECASE,
    ),
    Mark.ORDINAL: re.compile(
        r"(?<!per )\b(?:(second)|(third)|(fourth)|(fifth)|(sixth)|(seventh)|(eighth)|(ninth)|(tenth)"
        r"|([2-9]|[1-9]\d)(?:st|nd|rd|th))\b(?![ -](?:to )?(?:the )?last)",
        re.IGNORECASE,
    ),
    Mark.BEFORE_LAST_OBJECT: re.compile(r"\b(?:in|of|by|for|from)\s$", re.IGNORECASE),
    Mark.NUMBER_OF: re.compile(r"\b(?:how many|(?:number|no\.|count|amount|quantity) of)\s+(?:the\s+)?", re.IGNORECASE),
    Mark.NUMBER_BEHIND: re.compile(r"(?<=\s)numbers?(?: of)?\b", re.IGNORECASE),
    Mark.CONTRACTED: re.compile(r"(?<=\w['’])(?:s|t|ve|ll|re|d|m)(?![^\W_])", re.IGNORECASE),
    Mark.NUMBERED_NAME: re.compile(r"(?<![\w.])([^\W\d_]+)([ -]?)(\d{1,9})(?![\w.]|[,:]\d)"),
    Mark.AGE: re.compile(r"\b(?:old|older|young|younger|ages?|aged)\b", re.IGNORECASE),
    Mark.IS_HOW_OLD: re.compile(r"\bhow old (?:is|are|am)\b", re.IGNORECASE),
    Mark.ASKED_NOUN: re.compile(
        r"(?:\b(?:which|what|what['’]?s)"
        r"|(?:^|[.?!,:;]\s+|\b(?:please|you|to)\s+)"
        r"(?:list|show|display|give|find|get|name|identify|retrieve|return|fetch|who\s+(?:is|are|was|were)))\s+"
        r"(?:(?:is|are|was|were|me|us)\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?"
        r"(?:(?:names?|titles?)\s+of\s+(?:all\s+)?(?:the\s+)?)?"
        rf"({_NOUN_PHRASE})",
        re.IGNORECASE,
    ),
    Mark.COUNTED_NOUN: re.compile(rf"\bhow many\s+({_NOUN_PHRASE})", re.IGNORECASE),
    Mark.NUMBER_OF_NOUN: re.compile(
        rf"\b(?:how many|number of|count of|count)\s+(?:the\s+)?({_NOUN_PHRASE})", re.IGNORECASE
    ),
    Mark.PLACED_NOUN: re.compile(
        r"\A\W*where(?:['’]s|\s+(?:is|are|was|were|do|does|did))\s+(?:(?:all|each|every|the|an?|our|my)\s+)*"
        rf"({_NOUN_PHRASE})",
        re.IGNORECASE,
    ),
    Mark.NOUN_OF_SAME_PEOPLE: re.compile(
        r"\b(?:an?|any|some|the(?: same)?|one)\s+((?:[\w-]+\s+)?[\w-]+)\s+"
        r"(?:(?:that|which|whom?)\s+)?(?:they|he|she)\b",
        re.IGNORECASE,
    ),
    Mark.NEGATED_VERB: re.compile(r"\b(?:do|does|did|have|has|had)(?:n['’]?t| not)\b|\bnever\b", re.IGNORECASE),
    Mark.HOW_MUCH_MORE: re.compile(
        r"\bhow (?:many|much) (?:\w+ )?"
        r"(?:more|longer|older|heavier|higher|taller|larger|bigger|later|newer|pricier)\b",
        re.IGNORECASE,
    ),
    Mark.HOW_MUCH_LESS: re.compile(
        r"\bhow (?:many|much) (?:\w+ )?(?:less|fewer|shorter|younger|lighter|lower|smaller|earlier|cheaper)\b",
        re.IGNORECASE,
    ),
    Mark.TOGETHER: re.compile(
        r"\b(?:al)?together\W*$|\b(?:altogether|in total|in all|combined|across all)\b|\badd(?:ing)? up\b",
        re.IGNORECASE,
    ),
    Mark.HOW_MUCH_DID: re.compile(r"\A\W*how much (?:\w+ )?(?:did|has|have|had)\b", re.IGNORECASE),
    Mark.ASKS_AVERAGE: re.compile(
        r"\A\W*(?:what(?:['’]?s| is| was)\s+)?(?:the\s+)?(?:average|avg|mean)\b", re.IGNORECASE
    ),
    Mark.EACH: re.compile(r"\b(?:each|every|per|average|avg|mean)\b", re.IGNORECASE),
    Mark.CHOOSES: re.compile(r"\b(?:most|least|fewest|top|bottom|first|last|\w+est)\b", re.IGNORECASE),
}
"""The expression of each mark; its groups are the parts that `Said` holds."""
