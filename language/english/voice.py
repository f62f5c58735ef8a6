"""Tell who does what a verb says: `who trained Ann` and `who was trained by Ann` ask for opposite people."""

import re

_BE = r"(?:is|are|am|was|were|be|been|being|gets?|got)"
_CLAUSE = r"(?:who|whom|whose|which|that|what|and|or|but|do|does|did|has|have|had)"
# A form of `be` before the verb, with a few words between, none of which begins a clause: `was Ann ever trained`.
_PASSIVE = re.compile(rf"\b{_BE}\s+(?:(?!{_CLAUSE}\b)[\w'’.-]+\s+){{0,6}}$", re.IGNORECASE)
_BY = re.compile(r"\bby\s+(?:the\s+|an?\s+)?(?:[a-z]+\s+)?$")
_BEFORE_NOUN = re.compile(
    r"(?:\b(?:the|an?|any|all|his|her|their|its|whose|which|what|how many)|['’]s?)\s+$", re.IGNORECASE
)
_BEHIND_NOUN = re.compile(r"^\s+(?:of|to|for)\b", re.IGNORECASE)
# Behind these, a name is no subject and no object.
_ASIDE = re.compile(
    r"\b(?:besides|except|than|like|with|without|from|of|for|in|at|near|about|after|before|under)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_OTHER_CLAUSE = re.compile(rf"\b{_CLAUSE}\b|[,;:]", re.IGNORECASE)
_DOER = re.compile(r"(?:er|or)s?$", re.IGNORECASE)
_DONE_TO = re.compile(r"ees?$", re.IGNORECASE)
_MOST_BETWEEN = 5


def does(text: str, name: tuple[int, int], verb: tuple[int, int]) -> bool | None:
    """Return whether a name does what a verb, or a noun made of it, says, and is not whom it is done to.

    Args:
        text: A question.
        name: Where the name starts and ends.
        verb: Where the verb starts and ends.

    Returns:
        None if the question does not say it in one of the ways that are known.

    Example:
        >>> text = "Who was trained by Ann?"
        >>> does(text, (19, 22), (8, 15)), does("Who trained Ann?", (12, 15), (4, 11))
        (True, False)
    """
    is_before = name[1] <= verb[0]
    between = text[name[1] : verb[0]] if is_before else text[verb[1] : name[0]]
    if len(between.split()) > _MOST_BETWEEN:
        return None
    if has(text, name, verb):
        return _of_noun(text[verb[0] : verb[1]])
    before, said = text[: verb[0]], text[verb[0] : verb[1]]
    is_passive = _PASSIVE.search(before) is not None and not said.lower().endswith("ing")
    if not is_before and _BY.search(text[: name[0]]):
        return True
    if is_passive:
        return False if is_before or not _ASIDE.search(text[: name[0]]) else None
    if is_before:
        return None if _ASIDE.search(text[: name[0]]) or _OTHER_CLAUSE.search(between) else True
    return None if _ASIDE.search(text[: name[0]]) or _OTHER_CLAUSE.search(between) else False


def has(text: str, name: tuple[int, int], noun: tuple[int, int]) -> bool:
    """Return whether a noun is that of a name: `Ann's parent`, or `the parent of Ann`."""
    if name[1] <= noun[0]:
        return re.fullmatch(r"['’]s?\s+(?:\w+\s+)?", text[name[1] : noun[0]]) is not None
    return _BEHIND_NOUN.match(text[noun[1] :]) is not None and _BEFORE_NOUN.search(text[: noun[0]]) is not None


def _of_noun(said: str) -> bool | None:
    """Return what a noun with the stem of a verb says: `Ann's trainer` trains Ann, and Ann her `trainees`."""
    if _DONE_TO.search(said):
        return True
    return False if _DOER.search(said) else None
