"""Check that a text keeps the direction of each relation and does not attach a name to the wrong relation.

The checks use the words in the relations' names and need no model. They accept any wording that they cannot
interpret.

Terms: the ends of a relation are its subject and its object. A group is a run of entities that a clause enumerates.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from language.english.inflection import PAST_TENSES
from language.english.morphology import (
    PREPOSITIONS,
    RelationForm,
    RelationKind,
    is_form_of,
    is_participle,
    relation_form,
)
from shared.exact_match import composed, exact, mentions, tokens
from shared.triple import Triple, entity_names

_CLAUSE_END = re.compile(r"[.!?;]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CONJUNCTIONS = {"and", "or", "both"}
_BE = {"is", "are", "was", "were"}
_HAVE = {"has", "have", "had"}
# Words that are too common in relation names to identify a relation.
_COMMON_WORDS = PREPOSITIONS | _BE | {"the", "has", "have"}
_FUNCTION_WORDS = _COMMON_WORDS | {"a", "an"}
_AGENT_ENDINGS = ("or", "er", "ors", "ers")
# Maximum distances in words: from the relation's word to the preposition, from the preposition to the entity, and from
# the owner to the relation's word.
_BEFORE_PREPOSITION = 3
_AFTER_PREPOSITION = 2
_AFTER_OWNER = 4
# Number of leading letters in which a word of the text and a word of a relation's name must agree.
_STEM = 4


_End = Enum("_End", ["SUBJECT", "OBJECT"])
_Ends = Mapping[_End, set[str]]
_OPPOSITE = {_End.SUBJECT: _End.OBJECT, _End.OBJECT: _End.SUBJECT}
# The end that follows the relation's word and a preposition, as in `the capital of ...` or `directed by ...`.
_END_AFTER = {
    (RelationKind.NOUN, "of"): _End.SUBJECT,
    (RelationKind.NOUN, "by"): _End.OBJECT,
    (RelationKind.ROLE, "of"): _End.OBJECT,
    (RelationKind.VERB, "by"): _End.SUBJECT,
    (RelationKind.VERB, "of"): _End.OBJECT,
}
# The end that owns the relation's noun, as in `France's capital`, `a film's director`, or `a band's members`.
_OWNERS = {RelationKind.NOUN: _End.SUBJECT, RelationKind.STATE: _End.SUBJECT, RelationKind.ROLE: _End.OBJECT}


@dataclass(slots=True)
class _Group:
    """Hold entities that a clause enumerates, and the adjacent words up to the next group or the clause's boundary."""

    before: list[str]
    names: set[str] = field(default_factory=set)
    is_possessive: bool = False
    after: list[str] = field(default_factory=list)


def reversed_relations(text: str, facts: Sequence[Triple]) -> list[str]:
    """Return the relations whose subject and object a text swaps, such as `Y directed X` although X directed Y.

    The words around an entity determine which end of the relation it is. The entity after `directed by` must be the
    director; the entity after `the capital of` or before `'s capital` must be the country. Symmetric facts, (a, r, b)
    and (b, r, a), never count as swapped.
    """
    clauses = list(_clauses(text, entity_names(facts)))
    by_relation: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for fact in facts:
        by_relation[fact.relation].append((exact(fact.subject), exact(fact.object)))
    found = []
    for relation, pairs in by_relation.items():
        asymmetric = [pair for pair in pairs if pair[::-1] not in pairs]
        form = _form(relation)
        if not asymmetric or form.kind is RelationKind.LABEL or _resembles_another(relation, by_relation):
            continue
        ends = {_End.SUBJECT: {s for s, _ in asymmetric}, _End.OBJECT: {o for _, o in asymmetric}}
        if any(_is_reversed(clause, form, ends) for clause in clauses):
            found.append(relation)
    return found


def misplaced_names(text: str, facts: Sequence[Triple]) -> list[str]:
    """Return the names that occur in a sentence about a relation other than their own.

    An example is `1970` in `The stars of Ned Kelly are Mark McManus and 1970`. A sentence is about every relation for
    which it contains an identifying word. A sentence without any such word is accepted.
    """
    own: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        for name in (fact.subject, fact.object):
            own[exact(name)].add(fact.relation)
    text = composed(text)
    named = mentions(text, entity_names(facts))
    # A period inside a name does not end a sentence.
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    ends = [end for end in ends if not any(mention.start < end < mention.end for mention in named)]
    in_names = {at for mention in named for at in range(mention.first, mention.last)}
    stems: dict[int, set[str]] = defaultdict(set)
    for at, token in enumerate(tokens(text)):
        if at not in in_names:
            stems[bisect(ends, token.start)].add(token.key[:_STEM])
    telling = {fact.relation: _telling_words(relation_form(fact.relation), _COMMON_WORDS) for fact in facts}
    stated = {
        sentence: {relation for relation, words in telling.items() if any(word[:_STEM] in here for word in words)}
        for sentence, here in stems.items()
    }
    found = []
    for mention in named:
        relations = stated.get(bisect(ends, mention.start))
        if relations and relations.isdisjoint(own[exact(mention.name)]):
            found.append(mention.name)
    return list(dict.fromkeys(found))


def _telling_words(form: RelationForm, common: Collection[str]) -> list[str]:
    """Return the words that identify a relation, and the past tense of each participle among them."""
    telling = [word for word in form.words if word not in common]
    return [*telling, *(PAST_TENSES[word] for word in telling if word in PAST_TENSES)]


def _form(relation: str) -> RelationForm:
    form = relation_form(relation)
    # A template cannot use `won` or `defeated` safely, but these checks can interpret it in a text.
    is_verb = form.kind is RelationKind.LABEL and len(form.words) == 1 and is_participle(form.words[0])
    return RelationForm(RelationKind.VERB, form.words) if is_verb else form


def _stems(form: RelationForm) -> list[str]:
    """Return the words whose inflected forms express the relation; for a noun phrase, only the head noun."""
    is_noun = form.kind is RelationKind.NOUN
    return [form.phrase.split(" of ")[0].split()[-1]] if is_noun else _telling_words(form, _FUNCTION_WORDS)


def _has_form(said: Iterable[str], stems: Sequence[str]) -> bool:
    return any(is_form_of(word, stem) for word in said for stem in stems)


def _resembles_another(relation: str, relations: Iterable[str]) -> bool:
    """Return whether another relation's name contains a form of this relation's words: `sequel` and `sequel_of`."""
    others = [word for other in relations if other != relation for word in _form(other).words]
    return _has_form((word for word in others if word not in _FUNCTION_WORDS), _stems(_form(relation)))


def _is_reversed(clause: Sequence[_Group], form: RelationForm, ends: _Ends) -> bool:
    stems = _stems(form)
    agent = _agent(form)
    for before, group, following in zip([None, *clause], clause, [*clause[1:], None], strict=False):
        preposition = _preposition(group.before, stems)
        is_apposition = _is_apposition(group, form, preposition, follows=before is not None)
        if not is_apposition and _is_swapped(group, _end_after(preposition, form), ends):
            return True
        if _is_owner(group, following, stems) and _is_swapped(group, _OWNERS.get(form.kind), ends):
            return True
        if agent and before and not before.is_possessive and not preposition:
            are_swapped = _is_swapped(before, agent, ends) and _is_swapped(group, _OPPOSITE[agent], ends)
            if are_swapped and _has_verb(group.before, form, stems):
                return True
    return False


def _is_swapped(group: _Group, expected: _End | None, ends: _Ends) -> bool:
    """Return whether a group must name the expected end of the relation, but names only the opposite end."""
    if expected is None or not group.names.isdisjoint(ends[expected]):
        return False
    return not group.names.isdisjoint(ends[_OPPOSITE[expected]])


def _preposition(before: Sequence[str], stems: Sequence[str]) -> str:
    """Return the preposition that links the relation's word to a group: `of` in `the capital city of the ...`."""
    for at in range(len(before) - 1, max(-1, len(before) - 2 - _AFTER_PREPOSITION), -1):
        if before[at] in PREPOSITIONS:
            return before[at] if _has_form(before[max(0, at - 1 - _BEFORE_PREPOSITION) : at], stems) else ""
    return ""


def _end_after(preposition: str, form: RelationForm) -> _End | None:
    if end := _END_AFTER.get((form.kind, preposition)):
        return end
    if form.kind in (RelationKind.VERB, RelationKind.STATE) and preposition == form.words[-1]:
        return _End.OBJECT
    return _End.SUBJECT if form.kind is RelationKind.STATE and preposition == "of" else None


def _is_apposition(group: _Group, form: RelationForm, preposition: str, *, follows: bool) -> bool:
    """Return whether a group is the noun's value: `has a population of 5`, `belongs to the genre of Fantasy`."""
    if form.kind is not RelationKind.NOUN or preposition != "of":
        return False
    until = len(group.before) - 1 - group.before[::-1].index("of")
    return bool(PREPOSITIONS & set(group.before[:until])) or (follows and group.before[0] not in _BE)


def _is_owner(group: _Group, following: _Group | None, stems: Sequence[str]) -> bool:
    """Return whether a group X owns the noun: `X's capital is Y`, `X has the capital Y`, `X has Y as its capital`."""
    said = group.after[:_AFTER_OWNER]
    if following and len(said) == 1 and following.after[:1] == ["as"]:
        said = [*said, *following.after[1:_AFTER_OWNER]]
    has = bool(said) and said[0] in _HAVE and not any(map(is_participle, said))
    return (group.is_possessive or has) and _has_form(said, stems)


def _agent(form: RelationForm) -> _End | None:
    """Return the end that precedes the relation's verb, as in `X directed Y`, if the relation has a verb."""
    if form.kind is RelationKind.VERB:
        return _End.SUBJECT
    is_agent_noun = form.kind is RelationKind.NOUN and form.words[-1].endswith(_AGENT_ENDINGS)
    is_passive = form.kind is RelationKind.STATE and form.words[-1] == "by"
    return _End.OBJECT if is_agent_noun or is_passive else None


def _has_verb(between: Sequence[str], form: RelationForm, stems: Sequence[str]) -> bool:
    """Return whether the words contain the relation's verb, such as `directed` for the relation `director`."""
    is_verb = form.kind is RelationKind.VERB
    return _has_form((word for word in between if is_verb or not word.endswith(_AGENT_ENDINGS)), stems)


def _clauses(text: str, names: Collection[str]) -> Iterator[list[_Group]]:
    """Split a text into clauses, each of which is a list of groups."""
    text = composed(text)
    said = tokens(text)
    named = {mention.first: mention for mention in reversed(mentions(text, names)) if mention.last > mention.first}
    clause: list[_Group] = []
    between: list[str] = []
    at, end = 0, 0
    while at < len(said):
        if _CLAUSE_END.search(text[end : said[at].start]):
            yield clause
            clause, between = [], []
        if mention := named.get(at):
            if not clause or clause[-1].is_possessive or not _CONJUNCTIONS.issuperset(between):
                clause.append(_Group(between))
            group = clause[-1]
            group.names.add(exact(mention.name))
            group.is_possessive = mention.is_possessive
            group.after = between = []
            at, end = mention.last, mention.end
        else:
            between.append(said[at].key)
            at, end = at + 1, said[at].end
    yield clause
