"""Does a text turn a relation round: `Y directed X` where X directed Y? Told from its words alone, without a model.

A text is read as groups of the facts' entities with words between. Where words of the relation's name are among them,
English says which end of the relation a group must be: after `directed by` who did it, after `the capital of` and
before `'s capital` whose capital it is. A wording that is not understood is taken to be right.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from shared.exact_match import composed, exact, mentions, tokens
from shared.grounding.support import is_form_of
from shared.triple import Triple, entity_names
from shared.verbalise.morphology import PAST_TENSES as PASTS
from shared.verbalise.morphology import PREPOSITIONS, RelationForm, is_participle
from shared.verbalise.morphology import RelationKind as Kind
from shared.verbalise.morphology import relation_form as form_of

_SENTENCE_END = re.compile(r"[.!?;]")
_JOINING = {"and", "or", "both"}
_BEING = {"is", "are", "was", "were"}
_HAVING = {"has", "have", "had"}
_FUNCTION_WORDS = PREPOSITIONS | _BEING | {"the", "a", "an", "has", "have", "to"}
_DOER_ENDINGS = ("or", "er", "ors", "ers")
_BEFORE_MARKER = 3
_AFTER_MARKER = 2
_AFTER_OWNER = 4


@dataclass(slots=True)
class _Group:
    """Entities that are named in a row, and the words before them, back to the group or sentence before."""

    names: set[str]
    before: list[str]
    follows_group: bool
    owns: bool = False
    after: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ends:
    subjects: frozenset[str]
    objects: frozenset[str]


def turned_round(text: str, facts: Sequence[Triple]) -> list[str]:
    """The relations that a text says the other way round; symmetric facts, (a, r, b) and (b, r, a), never are."""
    clauses = list(_clauses(text, set(entity_names(facts))))
    by_relation: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for fact in facts:
        by_relation[fact.relation].append((exact(fact.subject), exact(fact.object)))
    turned = []
    for relation, pairs in by_relation.items():
        asymmetric = [pair for pair in pairs if pair[::-1] not in pairs]
        ends = _Ends(frozenset(s for s, _ in asymmetric), frozenset(o for _, o in asymmetric))
        form = _form(relation)
        if not asymmetric or form.kind is Kind.LABEL or _is_like_another(relation, by_relation):
            continue
        if any(_is_turned(clause, form, ends) for clause in clauses):
            turned.append(relation)
    return turned


def _form(relation: str) -> RelationForm:
    form = form_of(relation)
    # `won`, `defeated`: no sentence can be made of these safely, but one is understood.
    is_verb = form.kind is Kind.LABEL and len(form.words) == 1 and is_participle(form.words[0])
    return RelationForm(Kind.VERB, form.words) if is_verb else form


def _is_like_another(relation: str, relations: Iterable[str]) -> bool:
    """Whether words of another relation would be taken for this one's: `sequel` and `sequel_of`."""
    own = _stems(_form(relation))
    others = [word for other in relations if other != relation for word in _form(other).words]
    return any(is_form_of(stem, other) for stem in own for other in others if other not in _FUNCTION_WORDS)


def _is_turned(clause: Sequence[_Group], form: RelationForm, ends: _Ends) -> bool:
    stems = _stems(form)
    for number, group in enumerate(clause):
        marker = _marker(group.before, stems)
        if marker and _wrong(group, _after(marker, form, ends), ends) and not _is_apposition(group, form, marker):
            return True
        following = clause[number + 1] if number + 1 < len(clause) else None
        if _owns(group, following, stems) and _wrong(group, _owner(form, ends), ends):
            return True
        before = clause[number - 1] if group.follows_group else None
        doer = _doer(form, ends)
        if before and doer and not (marker or before.owns) and _has_verb(group.before, form, stems):
            acted_on = ends.objects if doer is ends.subjects else ends.subjects
            if _wrong(before, doer, ends) and _wrong(group, acted_on, ends):
                return True
    return False


def _has_verb(between: Sequence[str], form: RelationForm, stems: Sequence[str]) -> bool:
    """Whether the relation's verb is among the words: `directed`, also where the relation is `director`."""
    verbs = between if form.kind is Kind.VERB else [word for word in between if not word.endswith(_DOER_ENDINGS)]
    return any(is_form_of(word, stem) for word in verbs for stem in stems)


def _after(marker: str, form: RelationForm, ends: _Ends) -> frozenset[str] | None:
    """What must follow the relation's word and a preposition: `member of ...`, `directed by ...`."""
    match form.kind, marker:
        case (Kind.NOUN, "of"):
            return ends.subjects
        case (Kind.NOUN, "by"):
            return ends.objects
        case (Kind.ROLE, "of"):
            return ends.objects
        case (Kind.VERB, "by"):
            return ends.subjects
        case (Kind.VERB, "of"):
            return ends.objects
        case (Kind.VERB | Kind.STATE, _) if marker == form.words[-1]:
            return ends.objects
        case (Kind.STATE, "of"):
            return ends.subjects
    return None


def _owner(form: RelationForm, ends: _Ends) -> frozenset[str] | None:
    """Whose the relation's noun is: `France's capital`, `a film's director`, `a band's members`."""
    return ends.objects if form.kind is Kind.ROLE else None if form.kind is Kind.VERB else ends.subjects


def _doer(form: RelationForm, ends: _Ends) -> frozenset[str] | None:
    """Who stands before the relation's verb, `X directed Y`, where there is one."""
    if form.kind is Kind.VERB:
        return ends.subjects
    is_agent = form.kind is Kind.NOUN and form.words[-1].endswith(_DOER_ENDINGS)
    return ends.objects if is_agent or (form.kind is Kind.STATE and form.words[-1] == "by") else None


def _wrong(group: _Group, wanted: frozenset[str] | None, ends: _Ends) -> bool:
    """Whether a group holds the other end of the relation and not the wanted one."""
    if wanted is None:
        return False
    other = ends.objects if wanted is ends.subjects else ends.subjects
    return not group.names & wanted and bool(group.names & other)


def _marker(before: Sequence[str], stems: Sequence[str]) -> str:
    """The preposition before a group that belongs to the relation's word: `the capital city of the ...` -> `of`."""
    for at in range(len(before) - 1, max(-1, len(before) - 2 - _AFTER_MARKER), -1):
        if before[at] in PREPOSITIONS:
            near = before[max(0, at - 1 - _BEFORE_MARKER) : at]
            return before[at] if any(is_form_of(word, stem) for word in near for stem in stems) else ""
    return ""


def _owns(group: _Group, next_group: _Group | None, stems: Sequence[str]) -> bool:
    """`X's capital is Y`, `X has the capital Y`, `X has Y as its capital`."""
    following = group.after[:_AFTER_OWNER]
    if next_group and len(following) == 1 and next_group.after[:1] == ["as"]:
        following = [*following, *next_group.after[1:_AFTER_OWNER]]
    has = bool(following) and following[0] in _HAVING and not any(map(is_participle, following))
    owns = group.owns or has
    return owns and any(is_form_of(word, stem) for word in following for stem in stems)


def _is_apposition(group: _Group, form: RelationForm, marker: str) -> bool:
    """`X has a population of 5`, `It belongs to the genre of Fantasy`: what follows is the noun's own value."""
    if form.kind is not Kind.NOUN or marker != "of":
        return False
    until = len(group.before) - 1 - group.before[::-1].index("of")
    if PREPOSITIONS & set(group.before[:until]):
        return True
    return group.follows_group and group.before[0] not in _BEING


def _stems(form: RelationForm) -> list[str]:
    if form.kind is Kind.NOUN:
        return [form.phrase.split(" of ")[0].split()[-1]]
    told = [word for word in form.words if word not in _FUNCTION_WORDS]
    return [*told, *(PASTS[word] for word in told if word in PASTS)]


def _clauses(text: str, names: set[str]) -> Iterator[list[_Group]]:
    """The groups of each sentence, in their order."""
    text = composed(text)
    said = tokens(text)
    named = {mention.first: mention for mention in reversed(mentions(text, names)) if mention.last > mention.first}
    clause: list[_Group] = []
    between: list[str] = []
    at, end = 0, 0
    while at < len(said):
        if _SENTENCE_END.search(text[end : said[at].start]):
            yield _closed(clause, between)
            clause, between = [], []
        if mention := named.get(at):
            _add(clause, between, exact(mention.name), mention.owns)
            between = []
            at, end = mention.last, mention.end
        else:
            between.append(said[at].key)
            at, end = at + 1, said[at].end
    yield _closed(clause, between)


def _add(clause: list[_Group], between: list[str], name: str, owns: bool) -> None:
    if clause:
        clause[-1].after = between
    if clause and _JOINING.issuperset(between) and not clause[-1].owns:
        clause[-1].names.add(name)
        clause[-1].owns = owns
    else:
        clause.append(_Group({name}, between, bool(clause), owns))


def _closed(clause: list[_Group], between: list[str]) -> list[_Group]:
    if clause:
        clause[-1].after = between
    return clause
