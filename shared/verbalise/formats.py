"""Facts as triples and as YAML, and names as an enumeration: forms of knowledge that need no wording."""

import json
import re
from collections.abc import Sequence

from shared.contracts import KnowledgeFormat
from shared.triple import Triple

# Written without quotes only if it begins with a letter and holds nothing that YAML gives a meaning.
_PLAIN = re.compile(r"[^\W\d_](?:[\w .()/'+-]*[\w.)'+])?")
_READ_AS_OTHER = re.compile(r"y|n|yes|no|on|off|true|false|null|nan|inf", re.IGNORECASE)
# JSON leaves these characters unescaped. YAML forbids them or reads them as line breaks, except the bidirectional
# controls: those change the order in which a terminal or an editor shows the text around them.
_ESCAPED = re.compile(
    "[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
# YAML takes at most 1,024 characters for a key before its colon.
_LONGEST_KEY = 1000


def joint(knowledge_format: KnowledgeFormat) -> str:
    """What stands between two items of evidence: YAML remains YAML only by lines."""
    return "\n" if knowledge_format is KnowledgeFormat.YAML else " "


def join_names(names: Sequence[str]) -> str:
    """`A, B and C`; with semicolons where a name itself holds a comma or `and`, so that names stay apart."""
    if len(names) < 2:
        return "".join(names)
    if any("," in name or " and " in name or ";" in name for name in names):
        return "; ".join(names[:-1]) + f"; and {names[-1]}"
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def as_triples(facts: Sequence[Triple]) -> str:
    """Triple-form text (RRA, section 4.1.2): `(France, capital, Paris) (France, borders, Spain)`."""
    return " ".join(f"({fact.subject}, {fact.relation}, {fact.object})" for fact in facts)


def as_yaml(facts: Sequence[Triple]) -> str:
    """YAML, head entity to relation to list of tails (Bridging the Gap): 25 to 28 % fewer tokens than triples there."""
    tails: dict[str, dict[str, dict[str, None]]] = {}
    for fact in facts:
        tails.setdefault(fact.subject, {}).setdefault(fact.relation, {})[fact.object] = None
    lines = []
    for head, relations in tails.items():
        lines.append(_key(head, ""))
        for relation, names in relations.items():
            lines.append(f"{_key(relation, '  ')} [{', '.join(map(_scalar, names))}]")
    return "\n".join(lines)


def _key(name: str, indent: str) -> str:
    scalar = _scalar(name)
    if len(scalar) > _LONGEST_KEY:
        return f"{indent}? {scalar}\n{indent}:"
    return f"{indent}{scalar}:"


def _scalar(name: str) -> str:
    if _PLAIN.fullmatch(name) and not _READ_AS_OTHER.fullmatch(name):
        return name
    return _ESCAPED.sub(_escape, json.dumps(name, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
