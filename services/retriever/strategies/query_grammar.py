"""Write the grammar of the queries that a language model may write, for servers that constrain completions."""

import json
from collections.abc import Iterable

from services.retriever.strategies.pruned_schema import identifier
from services.retriever.strategies.query_prompt import NONE
from shared.plan.schema import GraphSchema

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


def query_grammar(schema: GraphSchema) -> str:
    """Return a grammar in GBNF, the notation of llama.cpp, of queries with the names of a schema.

    Labels, relationship types, and keys of properties are those of the schema. What stands between them is only divided
    into words and symbols; the guard reads it afterwards. Instead of a query, the model may say that there is none.

    Args:
        schema: The part of the schema that the prompt has.
    """
    of_nodes = [key for kind in schema.kinds.values() for key in kind.properties]
    of_relationships = [key for one in schema.relationships.values() for key in one.properties]
    return _GRAMMAR.format(
        none=NONE,
        kinds=_one_of(schema.kinds),
        types=_one_of(schema.relationships),
        keys=_one_of(dict.fromkeys([*of_nodes, *of_relationships])),
        parts=_one_of((*_PARTS_OF_DATES, *_PARTS_OF_DURATIONS)),
    )


def _one_of(names: Iterable[str]) -> str:
    """Return a rule that any of the names satisfies; without names, any word does, and the guard says what is wrong."""
    literals = [json.dumps(identifier(name), ensure_ascii=False) for name in names if name]
    return " | ".join(literals) or "word"
