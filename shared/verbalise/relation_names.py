"""The grammatical form of a relation, told by its name alone.

Five forms: `capital`, `has_genre` (nouns), `directed_by`, `located_in` (states), `borders`, `plays_for` (verbs),
`is_part_of`, `member_of` (roles), and any other, a label.
"""

from dataclasses import dataclass
from enum import Enum

from shared.text import readable


class Kind(Enum):
    """What kind of words a relation's name is made of: in the order of the fields below, `France capital Paris`."""

    NOUN = "the object is the subject's ..."
    STATE = "the subject is (or was) ... the object"
    ROLE = "the subject is a ... of the object"
    VERB = "the subject ... the object"
    LABEL = "no form that a sentence could be made of"


@dataclass(frozen=True, slots=True)
class RelationForm:
    """A relation's kind and words; `words` of a state begin with `is` or `was`, those of a role lack the `of`."""

    kind: Kind
    words: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """The words with blanks between."""
        return " ".join(self.words)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _words("""
about above across after against along among around as at before behind below beside between beyond by during for
from in inside into near of off on onto opposite out outside over past since through to toward towards under until
upon via with within without
""")
_IRREGULAR_PARTICIPLES = _words("""
awarded begun born bound bought bred brought built caught chosen cut done drawn driven eaten fed fought found
given gone grown held hidden hit hung hurt kept known laid led left lent lost made meant met paid put read run
sent set shot shown sold spent split spoken sung taken taught thought thrown told understood won worn written
""")
# Participles whose past tense is another word.
PASTS = {
    "begun": "began", "chosen": "chose", "done": "did", "drawn": "drew", "driven": "drove", "eaten": "ate",
    "given": "gave", "grown": "grew", "hidden": "hid", "known": "knew", "run": "ran", "shown": "showed",
    "spoken": "spoke", "sung": "sang", "taken": "took", "thrown": "threw", "worn": "wore", "written": "wrote",
}  # fmt: skip
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
ACTIVE_PASTS = _words("""
acted appeared arrived attended belonged collaborated competed consisted debuted departed depended died
emerged emigrated fell fought graduated happened immigrated lived moved occurred participated played resided
resulted retired served spoke starred started studied travelled traveled voted went worked
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


def form_of(relation: str) -> RelationForm:
    """The form of a relation's name."""
    words = readable(relation).split()
    if not words or not all(word.isalpha() for word in words):
        return RelationForm(Kind.LABEL, tuple(words) or (relation,))
    match words:
        case ["is" | "are", _, *_, "of"] if not is_participle(words[1]):
            return RelationForm(Kind.ROLE, tuple(words[1:-1]))
        case ["is" | "are" | "was" | "were" as be, _, *_]:
            return RelationForm(Kind.STATE, ("is" if be in ("is", "are") else "was", *words[1:]))
        case ["has" | "have", _, *_]:
            return RelationForm(Kind.NOUN, tuple(words[1:]))
        case [first, *_, "of"] if len(words) > 1 and not is_participle(first):
            return RelationForm(Kind.ROLE, tuple(words[:-1]))
        case [verb, *_] if verb in _VERBS and (len(words) == 1 or words[-1] in PREPOSITIONS):
            return RelationForm(Kind.VERB, tuple(words))
        case [past, *_, last] if past in ACTIVE_PASTS and last in PREPOSITIONS - {"by"}:
            return RelationForm(Kind.VERB, tuple(words))
        case [participle, *_, last] if last in PREPOSITIONS and is_participle(participle):
            present = participle in (_STATES_BY if last == "by" else _STATES)
            return RelationForm(Kind.STATE, ("is" if present else "was", *words))
        case [adjective, "to" | "with" | "from"] if adjective in _ADJECTIVES:
            return RelationForm(Kind.STATE, ("is", *words))
    # `in_language`, `drives_on_side`, `won`: no noun, or none that "of" could follow.
    if not PREPOSITIONS.isdisjoint(set(words) - {"of"}) or (len(words) == 1 and is_participle(words[0])):
        return RelationForm(Kind.LABEL, tuple(words))
    return RelationForm(Kind.NOUN, tuple(words))


def is_participle(word: str) -> bool:
    """Whether a word has the form of a past participle."""
    return word in _IRREGULAR_PARTICIPLES or (
        word.endswith("ed") and word not in ("bed", "need", "seed", "feed", "speed")
    )
