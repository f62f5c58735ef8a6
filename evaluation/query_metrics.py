"""Compare queries with gold queries (UniOQA's LX), and their results with gold results (EX).

Queries that differ only in white space, case of keywords, quotes, names of variables, or a final semicolon are equal.
They need not be valid, since language models wrote some of them. Precision, recall, and F1 of answer sets are in
`evaluation.metrics`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from graph.plan.value_text import value_text
from shared.exact_match import exact

_TOKEN = re.compile(
    r"""
    (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | `(?P<quoted>(?:[^`]|``)*)`
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<sign><=|>=|<>|\.\.|\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = frozenset({
    "all", "and", "as", "asc", "ascending", "by", "call", "case", "contains", "count", "create", "delete", "desc",
    "descending", "detach", "distinct", "else", "end", "ends", "exists", "false", "foreach", "in", "is", "limit",
    "load", "match", "merge", "not", "null", "on", "optional", "or", "order", "remove", "return", "set", "skip",
    "starts", "then", "true", "union", "unwind", "when", "where", "with", "xor", "yield",
})  # fmt: skip
_STRING, _NAME = "'", "name:"
_AFTER_VARIABLE = (":", "{", ")", "]", "*")


def same_query(query: str, gold: str) -> bool:
    """Return whether a query equals the gold query apart from its notation.

    Example:
        >>> same_query("MATCH (f:Film {title: 'Heat'}) RETURN f.year;", 'match (x:Film{title:"Heat"}) return x.year')
        True
    """
    return _normalised(query) == _normalised(gold)


def same_rows(rows: Iterable[Sequence[Any]], gold: Iterable[Sequence[Any]]) -> bool:
    """Return whether two results have the same rows, in any order and as often; names compare as `exact` does."""
    return _counted(rows) == _counted(gold)


def _counted(rows: Iterable[Sequence[Any]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(exact(value_text(cell)) for cell in row) for row in rows)


def _normalised(query: str) -> list[str]:
    """Return the tokens of a query; variables have numbers in the order of their appearance, or are left out."""
    tokens = _tokens(query)
    while tokens and tokens[-1] == ";":
        tokens.pop()
    variables = {tokens[place] for place in range(len(tokens)) if _declares(tokens, place)}
    places = [place for place, token in enumerate(tokens) if token in variables and not _is_key(tokens, place)]
    uses = Counter(tokens[place] for place in places)
    numbers: dict[str, int] = {}
    for place in places:
        token = tokens[place]
        if uses[token] > 1:
            tokens[place] = f"variable:{numbers.setdefault(token, len(numbers))}"
        else:
            tokens[place] = ""  # a variable that nothing else uses
    return [token for token in tokens if token]


def _tokens(query: str) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(query):
        if (string := match["string"]) is not None:
            found.append(_STRING + re.sub(r"\\(.)", r"\1", string[1:-1], flags=re.DOTALL))
        elif (quoted := match["quoted"]) is not None:
            found.append(_NAME + quoted.replace("``", "`"))
        elif (name := match["name"]) is not None:
            is_free = not found or found[-1] not in (":", ".", "|")
            rest = query[match.end() :].lstrip()
            is_variable = found[-1:] in (["("], ["["]) and rest.startswith(_AFTER_VARIABLE)
            is_word = is_free and not is_variable and (name.lower() in _KEYWORDS or rest.startswith("("))
            found.append(name.lower() if is_word else _NAME + name)
        else:
            found.append(match.group())
    return found


def _declares(tokens: Sequence[str], place: int) -> bool:
    """Return whether a pattern names a variable here: after a bracket, before its label, its properties, or its end."""
    if not 0 < place < len(tokens) - 1 or not tokens[place].startswith(_NAME):
        return False
    return tokens[place - 1] in ("(", "[") and tokens[place + 1] in _AFTER_VARIABLE


def _is_key(tokens: Sequence[str], place: int) -> bool:
    """Return whether a name is a label, a type, or a property here."""
    before = tokens[place - 1] if place else ""
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    return before in (":", ".", "|") or (before in ("{", ",") and after == ":")
