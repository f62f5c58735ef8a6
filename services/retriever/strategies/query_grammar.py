"""Write the grammar of the queries that a language model may write, for servers that constrain completions."""

import re
from collections.abc import Iterable

from graph.plan.schema import GraphSchema
from services.retriever.strategies.pruned_schema import identifier
from services.retriever.strategies.query_prompt import NONE

MAX_CHARACTERS = 16_000
"""The length of a grammar, because some servers limit it; a longer one is not sent."""
_PARTS_OF_DATES = ("year", "quarter", "month", "week", "day", "dayOfWeek", "hour", "minute", "second")
_PARTS_OF_DURATIONS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
_GRAMMAR = r"""root ::= "{none}" | ("MATCH" | "OPTIONAL MATCH" | "UNWIND" | "WITH") part+
part ::= node | relationship | map | property | subquery | call | text | number | word | symbol
node ::= "(" word? ":" kind ([:|&] kind)*
relationship ::= "[" word? ":" type ("|" ":"? type)*
map ::= "{{" " "? key ":" " "? value ("," " "? key ":" " "? value)* " "? "}}"
property ::= "." (key | part-of-date)
subquery ::= "{{" " "? ("MATCH" | "OPTIONAL MATCH" | "WITH" | node | "(")
call ::= ("date" | "datetime" | "localdatetime" | "time" | "localtime" | "duration" | "point") "." [A-Za-z]+ "("
value ::= text | number | "true" | "false" | word ("." key)?
text ::= "'" ([^'\\\n] | "\\" [^\n])* "'" | "\"" ([^"\\\n] | "\\" [^\n])* "\""
number ::= "-"? [0-9]+ ("." [0-9]+)? | ".." [0-9]*
word ::= [A-Za-z_] [A-Za-z0-9_]* | "`" [^`\n]+ "`"
symbol ::= [ \n,=<>+*/%^~|()\[\]}}-]
kind ::= {kinds}
type ::= {types}
key ::= {keys}
part-of-date ::= {parts}
"""
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')


def query_grammar(schema: GraphSchema) -> str | None:
    """Return a grammar in GBNF, the notation of llama.cpp, of queries with the names of a schema; None if it is long.

    Labels, relationship types, and keys of properties are those of the schema. What stands between them is only divided
    into words and symbols; the guard reads it afterwards. Instead of a query, the model may say that there is none.

    Args:
        schema: The part of the schema that the prompt has.
    """
    of_nodes = [key for kind in schema.kinds.values() for key in kind.properties]
    of_relationships = [key for one in schema.relationships.values() for key in one.properties]
    grammar = _GRAMMAR.format(
        none=NONE,
        kinds=_one_of(schema.kinds),
        types=_one_of(schema.relationships),
        keys=_one_of(dict.fromkeys([*of_nodes, *of_relationships])),
        parts=_one_of((*_PARTS_OF_DATES, *_PARTS_OF_DURATIONS)),
    )
    return grammar if len(grammar) <= MAX_CHARACTERS else None


def _one_of(names: Iterable[str]) -> str:
    """Return a rule that any of the names satisfies; without names, any word does, and the guard says what is wrong."""
    return " | ".join(_literal(identifier(name)) for name in names if name) or "word"


def _literal(text: str) -> str:
    """Write a text in quotation marks."""
    return '"' + _SPECIAL.sub(lambda found: rf"\x{ord(found.group()):02X}", text) + '"'
