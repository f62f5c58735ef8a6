"""Say by which English words a question means what."""

import re

from language.marks import Mark

_YES_NO = "is|are|was|were|does|do|did|has|have|can|could|will"
_REQUEST = r"\W*(?:can|could|will) (?:you|someone|somebody|anyone|anybody) (?:please )?(?!have|own|be)\w+"

_NOUN = r"((?:[\w'’-]+\s+){0,4}[\w'’-]+)"
_WHICH = r"which|what|what['’]?s"
_SHOW = r"list|show|display|give|find|get|name|identify|retrieve|return|fetch|who\s+(?:is|are|was|were)"
_ORDER = r"(?:in|by) (?:(?:ascending|descending|the) )*order of|(?:sort|order|rank|group)(?:ed)?(?: \w+){0,2}? by"
_BEFORE_ATTRIBUTE = (
    r"average|avg|mean|total|max(?:imum)?|min(?:imum)?|highest|lowest|largest|greatest|smallest|biggest|least|each"
    rf"|(?<=\w )whose|every|per|(?:{_ORDER})(?: (?:their|its|the|his|her|ascending|descending))*"
    r"|(?:most|least) (?:common|frequent|popular)|(?:with|of|below|above|under|over|at)(?= \w+ \d)"
    r"|with(?= (?:an? )?\w+ (?:above|below|over|under|higher|lower|greater|less|more|larger|smaller|between|equal))"
)
_THEM = r"(?:them|these|those)\b"


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


PATTERNS: dict[Mark, re.Pattern[str]] = {
    Mark.WHETHER: re.compile(rf"\A(?!\W*is there an? list of\b|{_REQUEST}\b)\s*(?:{_YES_NO}) ", re.IGNORECASE),
    Mark.OLDEST: _any(r"\b(?:oldest|earliest|longest|older|earlier|longer)\b"),
    Mark.NEWEST: _any(r"\b(?:youngest|newest|shortest|younger|newer|shorter|later|latest|(?:most )recent(?:ly)?)\b"),
    Mark.MAY_EXCLUDE: _any(
        r"\b(?:not?|nor|neither|never|non\w*|nobody|nothing|nowhere|without|except\w*|exclud\w*|but|other\w*|another"
        r"|else\w*|besides?|apart|aside|outside|lack\w*|miss\w*|only|just|solely|unique\w*|single|alone|un\w+|in\w{4,}"
        r"|im\w+|ir\w+|dis\w+|\w+less|free|avoid\w*|skip\w*|fail\w*|rather|differ\w*|yet|still|remain\w*|left|rest"
        r"|empty|minus|beyond|off|out|zero|0|opposite|instead|bar|save|stop\w*|ceas\w*|former\w*|past|refus\w*"
        r"|available|idle|open|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could)nt)\b|n['’]t\b"
    ),
    Mark.ASKED_NOUN: _any(
        rf"(?:\b(?:{_WHICH})|(?:^|[.?!,:;]\s+|\b(?:please|you|to)\s+)(?:{_SHOW}))\s+"
        r"(?:(?:is|are|was|were|me|us)\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?"
        rf"(?:(?:names?|titles?)\s+of\s+(?:all\s+)?(?:the\s+)?)?{_NOUN}"
    ),
    Mark.ATTRIBUTE: _any(rf"\b(?:{_BEFORE_ATTRIBUTE})\s+(?:an? |the )?(\w+)(?:\s+(\w+))?"),
    Mark.PER_PERIOD: _any(
        r"\b(?:(?:per|each|every|by|for each) (?:(year)|(quarter)|(month)|(week)|(day))"
        r"|(yearly)|(quarterly)|(monthly)|(weekly)|(daily))\b"
    ),
    Mark.ORDINAL: _any(
        r"(?<!per )\b(?:(second)|(third)|(fourth)|(fifth)|(sixth)|(seventh)|(eighth)|(ninth)|(tenth)"
        r"|([2-9]|[1-9]\d)(?:st|nd|rd|th))\b(?![ -](?:to )?(?:the )?last)"
    ),
    Mark.BEFORE_LAST_OBJECT: _any(r"\b(?:in|of|by|for|from)\s$"),
    Mark.NUMBER_OF: _any(r"\b(?:how many|(?:number|no\.|count|amount|quantity) of)\s+(?:the\s+)?"),
    Mark.NUMBER_BEHIND: _any(r"(?<=\s)numbers?(?: of)?\b"),
    Mark.CONTRACTED: _any(r"(?<=\w['’])(?:s|t|ve|ll|re|d|m)(?![^\W_])"),
    Mark.NUMBERED_NAME: re.compile(r"(?<![\w.])([^\W\d_]+)([ -]?)(\d{1,9})(?![\w.]|[,:]\d)"),
    Mark.AGE: _any(r"\b(?:old|older|young|younger|ages?|aged)\b"),
    Mark.IS_HOW_OLD: _any(r"\bhow old (?:is|are|am)\b"),
    Mark.NUMBER_OF_NOUN: _any(rf"\b(?:how many|number of|count of|count)\s+(?:the\s+)?{_NOUN}"),
    Mark.NOUN_OF_SAME_PEOPLE: _any(
        r"\b(?:an?|any|some|the(?: same)?|one)\s+((?:[\w-]+\s+)?[\w-]+)\s+"
        r"(?:(?:that|which|whom?)\s+)?(?:they|he|she)\b"
    ),
    Mark.NEGATED_VERB: _any(r"\b(?:do|does|did|have|has|had)(?:n['’]?t| not)\b|\bnever\b"),
    Mark.HOW_MUCH_MORE: _any(
        r"\bhow (?:many|much) (?:\w+ )?"
        r"(?:more|longer|older|heavier|higher|taller|larger|bigger|later|newer|pricier)\b"
    ),
    Mark.HOW_MUCH_LESS: _any(
        r"\bhow (?:many|much) (?:\w+ )?(?:less|fewer|shorter|younger|lighter|lower|smaller|earlier|cheaper)\b"
    ),
    Mark.TOGETHER: _any(
        r"\b(?:al)?together\W*$|\b(?:altogether|in total|in all|combined|across all)\b|\badd(?:ing)? up\b"
    ),
    Mark.HOW_MUCH_DID: _any(r"\A\W*how much (?:\w+ )?(?:did|has|have|had)\b"),
    Mark.ASKS_AVERAGE: _any(r"\A\W*(?:what(?:['’]?s| is| was)\s+)?(?:the\s+)?(?:average|avg|mean)\b"),
    Mark.EACH: _any(r"\b(?:each|every|per|average|avg|mean)\b"),
    Mark.CHOOSES: _any(r"\b(?:most|least|fewest|top|bottom|first|last|\w+est)\b"),
    Mark.WORD_OF_TEXT: re.compile(r"\w[\w'’-]*"),
    Mark.QUOTED_TEXT: re.compile(r"[\"“”„«»‘]([^\"“”„«»‘’]+)[\"“”«»’]"),
    Mark.QUOTED_WHOLE: re.compile(r"""\A["“”'](.+)["“”']\Z"""),
    Mark.CODE: re.compile(
        r"(?<!\S)(?=[\w.-]*[A-Z0-9])(?:[A-Z][A-Z0-9.-]+|[A-Z0-9.-]*[0-9][\w.-]*)(?<![.-])(?=[\s,;?!]|$)"
    ),
    Mark.PLAIN_WORD: re.compile(r"[^\W_]+"),
    Mark.ABOUT_LANGUAGE: _any(
        r"\b(?:speak\w*|spoke\w*|languages?|tongues?|linguistic|say|said|words?|writ\w*|scripts?|alphabets?|letters?|"
        r"translat\w*|dialects?|accents?|pronounc\w*|grammar|understand\w*|learn\w*|native)\b|"
        r"\bofficial(?: in\b|\W*$)"
    ),
    Mark.CONTINUES: _any(r"\A\s*(?:(?:and|but|so|then|also|ok|okay|now)\b,?\s+)+"),
    Mark.WHICH_OF_THEM: _any(rf"\A(?:(how\s+many)|which|who)(?:\s+ones?)?\s+of\s+({_THEM}(?:\s+(\w+))?)"),
    Mark.SOME_OF_THEM: _any(
        r"\b(?:how many|which|who|what|any|ones?|some|all|both|each|most|none|half|\w+est)\s+of\s+" + _THEM
    ),
    Mark.OF_THEM: _any(rf"\bof\s+({_THEM})"),
    Mark.QUANTIFIED_OF_THEM: _any(rf"\b(?:any|ones?|some|all|both|each|most|none|half)\s+of\s+{_THEM}"),
    Mark.OTHER: _any(r"(?<=\w)\s+(other|else)\b"),
    Mark.SINGULAR_VERB: _any(r"\A(?:is|was|has|does|\w+[^s\W]s)\b"),
    Mark.DIGITS: re.compile(r"\b\d+\b"),
    Mark.BEFORE_ARTICLE: _any(r"(?<!\S)(?!(?:the|an?)(?!\S))(\S+)(?:\s+(?:the|an?)(?!\S))*\s*\Z"),
    Mark.REMAINDER: _any(r"\b(?:(\d[\d,]*) )?(?:more|others?)\b"),
    Mark.WANTS_TITLE: re.compile(
        r"\A\s*(?:please\s+)?(?:generate|create|provide|write|suggest|give|come up with|summari[sz]e|analy[sz]e"
        r"|based on|you (?:will|are|should))\b(?:(?!\n\n).){0,400}?\b(?:title|name|topic)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    # In lower case, because "The Conversation" may be a name.
    Mark.CONVERSATION: re.compile(r"\b(?:[Tt]his|[Tt]he|[Oo]ur|a|following) (?:conversation|chat|dialogue)\b"),
}
"""The expression of each mark; its groups are the parts that `Said` holds."""
