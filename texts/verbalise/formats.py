"""Render triples in the knowledge formats that a QA model reads (RRA, section 5; YAML is from Bridging the Gap).

    triples   (France, capital, Paris) (France, borders, Spain) (France, borders, Italy)
    template  The capital of France is Paris. France borders Spain and Italy.
    yaml      France:
                capital: [Paris]
                borders: [Spain, Italy]
    none      the empty string: the QA model answers from memory

The fifth format, `text`, is written by a language model where that adds something to what grammar says
(`texts.verbalise.paragraph`): see `services.rewriter.pipeline`.
"""

import json
import re
from collections.abc import Sequence

from contracts.rewrite import KnowledgeFormat
from shared.escaping import json_text
from shared.triple import Triple
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.template import as_sentences

# Only names that begin with a letter and contain no YAML syntax can be written without quotes.
_PLAIN = re.compile(r"[^\W\d_](?:[\w .()/'+-]*[\w.)'+])?")
_OTHER_SCALARS = re.compile(r"y|n|yes|no|on|off|true|false|null|nan|inf", re.IGNORECASE)
# YAML allows at most 1,024 characters for a key before its colon.
_LONGEST_KEY = 1000


def render(triples: Sequence[Triple], knowledge_format: KnowledgeFormat) -> str:
    """Render the triples of one item of evidence without a language model; `text` is then written by grammar."""
    match knowledge_format:
        case KnowledgeFormat.TRIPLES:
            return as_triples(triples)
        case KnowledgeFormat.YAML:
            return as_yaml(triples)
        case KnowledgeFormat.NONE:
            return ""
        case KnowledgeFormat.TEMPLATE:
            return as_sentences(triples)
        case KnowledgeFormat.TEXT:
            return as_paragraph(triples)


def separator(knowledge_format: KnowledgeFormat) -> str:
    """Return the separator between two rendered items of evidence: a newline for YAML, otherwise a space."""
    return "\n" if knowledge_format is KnowledgeFormat.YAML else " "


def as_triples(triples: Sequence[Triple]) -> str:
    """Render triple-form text (RRA, section 4.1.2): `(France, capital, Paris) (France, borders, Spain)`."""
    return " ".join(f"({triple.subject}, {triple.relation}, {triple.object})" for triple in triples)


def as_yaml(triples: Sequence[Triple]) -> str:
    """Render YAML, which took 25 to 28% fewer tokens than triples in the paper Bridging the Gap."""
    tails: dict[str, dict[str, dict[str, None]]] = {}
    for triple in triples:
        tails.setdefault(triple.subject, {}).setdefault(triple.relation, {})[triple.object] = None
    lines = []
    for head, relations in tails.items():
        lines.append(_key(head, ""))
        for relation, names in relations.items():
            lines.append(f"{_key(relation, '  ')} [{', '.join(map(_scalar, names))}]")
    return "\n".join(lines)


def _key(name: str, indent: str) -> str:
    scalar = _scalar(name)
    return f"{indent}{scalar}:" if len(scalar) <= _LONGEST_KEY else f"{indent}? {scalar}\n{indent}:"


def _scalar(name: str) -> str:
    if _PLAIN.fullmatch(name) and not _OTHER_SCALARS.fullmatch(name):
        return name
    # YAML forbids some of the characters that this escapes, and reads others as line breaks.
    return json_text(json.dumps(name, ensure_ascii=False))
