"""How the relations of any graph are said: by hand where somebody wrote it, else by the form of the name alone."""

from collections.abc import Iterable, Mapping

from shared.verbalise.morphology import (
    PAST_TENSES,
    PREPOSITIONS,
    RelationForm,
    RelationKind,
    base_form,
    is_plural,
    relation_form,
)
from training.synthetic.lexicon import Relation
from training.synthetic.wording import (
    Kind,
    Wording,
    by_wording,
    label_wording,
    noun_wording,
    role_wording,
    state_wording,
    verb_wording,
)

_THING = Kind("one")


def relations_of(names: Iterable[str], known: Mapping[str, Relation]) -> dict[str, Relation]:
    """Each relation with its wording: that of `known`, else one derived from its name."""
    return {name: known.get(name) or _derived(name) for name in names}


def _derived(name: str) -> Relation:
    form = relation_form(name)
    wording = _wording(form)
    return Relation(form.phrase, _THING, _object(form), "title", "title", wording)


def _object(form: RelationForm) -> Kind:
    return Kind(_noun(form)) if form.kind is RelationKind.NOUN else Kind("thing")


def _noun(form: RelationForm) -> str:
    """`starred actors` -> `starred actor`: the wording itself knows when there are several."""
    is_regular = is_plural(form.phrase) and form.phrase.endswith("s")
    return base_form(form.phrase) if is_regular else form.phrase


def _wording(form: RelationForm) -> Wording:
    object_ = _object(form)
    match form.kind:
        case RelationKind.NOUN:
            return noun_wording(_noun(form), _THING, object_)
        case RelationKind.ROLE:
            return role_wording(form.phrase, _THING, object_)
        case RelationKind.VERB:
            third, *rest = form.words
            return verb_wording(form.phrase, " ".join([base_form(third), *rest]), _THING, object_)
        case RelationKind.STATE:
            be, *said, last = form.words
            participle = " ".join(said)
            # Who directed something is asked in the past; who owns it, in the present.
            if last == "by" and participle and be == "was":
                return by_wording(PAST_TENSES.get(participle, participle), participle, _THING, object_)
            if last in PREPOSITIONS and participle:
                return state_wording(be, participle, last, _THING, object_)
    return label_wording(form.phrase, _THING, object_)
