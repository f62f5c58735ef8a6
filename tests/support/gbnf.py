"""Match texts with grammars in GBNF that do not call themselves, as llama.cpp does."""

import ast
import re

_RULE = re.compile(r"[a-z][a-z-]*")


def matches(grammar: str | None, text: str) -> bool:
    """Return whether a text follows a grammar, whose rules stand on a line each."""
    assert grammar is not None
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip().splitlines())
    return re.fullmatch(_as_regex(rules["root"], rules), text) is not None


def _as_regex(body: str, rules: dict[str, str]) -> str:
    parts, place = [], 0
    while place < len(body):
        end = place + 1
        if body[place] == '"':
            end = _end(body, place, '"')
            parts.append(f"(?:{re.escape(ast.literal_eval(body[place:end]))})")
        elif body[place] == "[":
            end = _end(body, place, "]")
            parts.append(body[place:end])
        elif found := _RULE.match(body, place):
            end = found.end()
            parts.append(f"(?:{_as_regex(rules[found.group()], rules)})")
        elif body[place] != " ":
            parts.append(body[place])
        place = end
    return "".join(parts)


def _end(body: str, start: int, last: str) -> int:
    """Return where a literal or a class of characters ends."""
    place = start + 1
    while body[place] != last:
        place += 2 if body[place] == "\\" else 1
    return place + 1
