"""Plain sentences from facts, without a model: right in direction, and grammatical where the relation's name allows.

UniOQA's searcher says "The {relation} of {head} is {tail}." of everything. That reads well for nouns only, so a
relation's name is told apart by its form: `capital`, `has_genre` (nouns), `directed_by`, `located_in` (participles),
`borders`, `plays_for` (verbs), `is_part_of`, `member_of` (roles). Any other name stands behind a colon.
"""

from collections.abc import Callable, Sequence

from shared.llm.formats import Fact, join_names
from shared.text import readable

Say = Callable[[Sequence[str], Sequence[str]], str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREPOSITIONS = _words("""
about above across after against along among around as at before behind below beside between beyond by during for
from in inside into near of off on onto opposite out outside over past since through to toward towards under until
upon via with within without
""")
_IRREGULAR_PARTICIPLES = _words("""
awarded begun born bound bought bred brought built caught chosen cut done drawn driven eaten fed fought found
given gone grown held hidden hit hung hurt kept known laid led left lent lost made meant met paid put read run
sent set shot shown sold spent split spoken sung taken taught thought thrown told understood won worn written
""")
# What still holds is said in the present tense.
_STATES = _words("""
abbreviated affiliated allied associated attached based bound called caused classified compatible composed
connected contained covered depicted derived described divided found governed headquartered included inhabited
inspired kept known linked located made managed married measured named operated owned populated ranked related
represented required ruled served situated spoken supported surrounded twinned used worn written
""")
_STATES_BY = _words("""
affected caused covered defined followed governed inhabited led maintained managed operated owned
preceded regulated represented required served supported surrounded treated used
""")
# Intransitive: before a preposition other than `by` these are the past tense, not participles.
_ACTIVE_PASTS = _words("""
acted appeared arrived attended belonged collaborated competed consisted debuted departed depended died
emerged emigrated fell fought graduated happened immigrated lived moved occurred participated played resided
resulted retired served spoke starred started studied travelled traveled voted went worked
""")
_IRREGULAR_PLURALS = _words("""
children people men women data media staff personnel series species feet alumni criteria
""")
_ADJECTIVES = _words("""
adjacent close compatible similar equivalent equal identical native opposite next parallel
""")
_VERBS = _words("""
accepts achieves acquires acts adapts administers advises affects applies appears approves asks attends attracts
authors becomes begins belongs binds borders breeds brings builds buys carries catalyses causes characterises
comes commands competes comprises concerns connects consists contains controls converts cooks corresponds covers
creates crosses defeats defines delivers demonstrates depends depicts derives describes detects develops directs
displays dissolves eats edits emits employs encodes ends enters equals exhibits exists exports expresses extends
faces feeds flies flows follows forms funds gains generates gives goes governs grows happens hates helps hires
holds hosts identifies implements implies imports improves includes increases indicates influences inherits
inhabits inhibits invests involves joins keeps kills knows lacks leads learns likes links listens lives loves
maintains makes manages manufactures marries mediates meets mentions merges modifies needs observes obtains
occupies occurs offers opens operates orbits orders originates overlooks overlaps owns participates passes pays
performs plays possesses practises precedes prevents produces promotes proposes protects provides publishes
reaches reads receives recognises recommends reduces refers regulates relates releases replaces reports represents
requires resembles resides reviews rules runs says sells sends serves shows sings sits speaks stars starts studies
succeeds suffers supplies supports surrounds takes targets teaches tells tests trains translates travels
treats understands uses visits wants wears wins works writes yields
""")


def as_sentences(facts: Sequence[Fact]) -> str:
    """Say facts in their order; those that share head and relation, or tail and relation, in one sentence."""
    return " ".join(_sentence(group) for group in _groups(facts))


def _groups(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Partition facts by a common (head, relation) or (relation, tail), whichever joins more of those still unsaid."""
    distinct = list({(fact.subject, fact.relation, fact.object): fact for fact in facts}.values())
    by_head: dict[tuple[str, str], list[Fact]] = {}
    by_tail: dict[tuple[str, str], list[Fact]] = {}
    for fact in distinct:
        by_head.setdefault((fact.subject, fact.relation), []).append(fact)
        by_tail.setdefault((fact.relation, fact.object), []).append(fact)
    groups = []
    said: set[int] = set()
    for fact in distinct:
        if id(fact) not in said:
            same_head = [f for f in by_head[fact.subject, fact.relation] if id(f) not in said]
            same_tail = [f for f in by_tail[fact.relation, fact.object] if id(f) not in said]
            groups.append(same_head if len(same_head) >= len(same_tail) else same_tail)
            said.update(map(id, groups[-1]))
    return groups


def _sentence(group: Sequence[Fact]) -> str:
    subjects = list(dict.fromkeys(fact.subject for fact in group))
    objects = list(dict.fromkeys(fact.object for fact in group))
    text = _saying(group[0].relation)(subjects, objects)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _saying(relation: str) -> Say:
    """The way to say a relation, by the form of its name."""
    words = readable(relation).split()
    if not words or not all(word.isalpha() for word in words):
        return _labelled(" ".join(words) or relation)
    match words:
        case ["is" | "are", _, *_, "of"] if not _is_participle(words[1]):
            return _role(words[1:-1])
        case ["is" | "are" | "was" | "were" as be, _, *_]:
            return _predicate(f"{'is' if be in ('is', 'are') else 'was'} {' '.join(words[1:])}")
        case ["has" | "have", _, *_]:
            return _attribute(words[1:])
        case [first, *_, "of"] if len(words) > 1 and not _is_participle(first):
            return _role(words[:-1])
        case [verb, *_] if verb in _VERBS and (len(words) == 1 or words[-1] in _PREPOSITIONS):
            return _verb(verb, words[1:])
        case [past, *_, last] if past in _ACTIVE_PASTS and last in _PREPOSITIONS - {"by"}:
            return _verb(past, words[1:])
        case [participle, *_, last] if last in _PREPOSITIONS and _is_participle(participle):
            present = participle in (_STATES_BY if last == "by" else _STATES)
            return _predicate(f"{'is' if present else 'was'} {' '.join(words)}")
        case [adjective, "to" | "with" | "from"] if adjective in _ADJECTIVES:
            return _predicate(f"is {' '.join(words)}")
    # `in_language`, `drives_on_side`, `won`: no noun, or none that "of" could follow.
    if not _PREPOSITIONS.isdisjoint(set(words) - {"of"}) or (len(words) == 1 and _is_participle(words[0])):
        return _labelled(" ".join(words))
    return _attribute(words)


def _is_participle(word: str) -> bool:
    return word in _IRREGULAR_PARTICIPLES or (
        word.endswith("ed") and word not in ("bed", "need", "seed", "feed", "speed")
    )


def _attribute(words: Sequence[str]) -> Say:
    noun = " ".join(words)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        named = _plural(noun) if len(objects) > 1 else noun
        several = len(objects) > 1 or _is_plural(noun.split(" of ")[0])
        return f"The {named} of {join_names(subjects)} {'are' if several else 'is'} {join_names(objects)}"

    return say


def _predicate(predicate: str) -> Say:
    """A phrase that begins with `is` or `was`."""
    be, rest = predicate.split(" ", 1)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        verb = be if len(subjects) == 1 else "are" if be == "is" else "were"
        return f"{join_names(subjects)} {verb} {rest} {join_names(objects)}"

    return say


def _role(words: Sequence[str]) -> Say:
    """`member` of `member_of`; `part` is no countable role."""
    role = " ".join(words)
    article = "" if role in ("part", "kind") or words[0] in ("a", "an", "the", "one") else _article(role)

    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        if len(subjects) == 1:
            return f"{subjects[0]} is {article}{role} of {join_names(objects)}"
        return f"{join_names(subjects)} are {_plural(role) if article else role} of {join_names(objects)}"

    return say


def _verb(third: str, rest: Sequence[str]) -> Say:
    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        verb = third if len(subjects) == 1 or third in _ACTIVE_PASTS else _base(third)
        return f"{join_names(subjects)} {' '.join([verb, *rest])} {join_names(objects)}"

    return say


def _labelled(label: str) -> Say:
    def say(subjects: Sequence[str], objects: Sequence[str]) -> str:
        return f"{join_names(subjects)}: {label} {join_names(objects)}"

    return say


def _article(noun: str) -> str:
    return "an " if noun[0] in "aeiou" else "a "


def _is_plural(noun: str) -> bool:
    last = noun.rsplit(" ", 1)[-1]
    return last in _IRREGULAR_PLURALS or (last.endswith("s") and not last.endswith(("ss", "us", "is", "as", "ics")))


def _plural(noun: str) -> str:
    """The plural of a noun, which may be followed by `of` and more: `places of birth`."""
    head, of, rest = noun.partition(" of ")
    if _is_plural(head):
        return noun
    if head.endswith("y") and head[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return f"{head[:-1]}ies{of}{rest}"
    return f"{head}{'es' if head.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}{of}{rest}"


def _base(third: str) -> str:
    """`borders` -> `border`, `carries` -> `carry`, `teaches` -> `teach`, `has` -> `have`."""
    if third.endswith("ies"):
        return f"{third[:-3]}y"
    if third.endswith(("sses", "shes", "ches", "xes", "goes", "does")):
        return third[:-2]
    return third[:-1]
