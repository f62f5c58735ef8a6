"""State facts as one paragraph by grammar, without a language model.

Facts are aggregated by subject and relation, or by relation and object. Long lists are shown in part, and facts that
continue each other share a sentence: `Graz is located in Austria, whose capital is Vienna.` Every name is copied as it
is. The time is linear in the number of facts.
"""

from collections.abc import Sequence

from language.english.articles import capitalised, with_the
from language.english.morphology import PREPOSITIONS, RelationKind, is_plural, plural, relation_form
from shared.text import with_full_stop
from shared.triple import Triple
from texts.verbalise.sentence_plan import Form, Sentence, sentence_plan
from texts.verbalise.statements import MAX_LISTED, Statement, statements
from texts.verbalise.template import join_names

_BE = ("is", "are", "was", "were")


def as_paragraph(triples: Sequence[Triple]) -> str:
    """State each fact once, apart from what long lists leave out, which is counted.

    Example:
        >>> as_paragraph([Triple("Austria", "capital", "Vienna"), Triple("Austria", "currency", "Euro")])
        'The capital of Austria is Vienna, and the currency is Euro.'
    """
    return " ".join(with_full_stop(_text(one)) for one in sentence_plan(statements(triples)))


def _text(sentence: Sentence) -> str:
    """Write a sentence without a full stop."""
    first = sentence.statements[0]
    objects = [one.object_text for one in sentence.statements]
    if sentence.behind:
        objects[-1] += f", {_joined(sentence.behind)}"
    match sentence.form:
        case Form.PREDICATES:
            text = _coordinated(sentence, objects)
        case Form.PROPERTIES:
            text = _listed_properties(sentence.statements, objects)
        case Form.COMPARISON:
            text = _compared(sentence.statements, objects)
        case Form.SINGLE:
            text = _state(first, objects[0])
    return capitalised(text, first.subjects[0])


def _state(statement: Statement, objects: str) -> str:
    """Write a clause; a long list of what has no verb is counted."""
    relation, names = statement.measured
    form = relation_form(relation)
    if form.kind is RelationKind.NOUN and len(names) > MAX_LISTED:
        shown = join_names([with_the(name) for name in names[:MAX_LISTED]])
        return f"The graph lists {len(names)} {plural(form.phrase)} of {statement.subject_text}, among them {shown}"
    return statement.clause(statement.subject_text, objects)


def _listed_properties(found: Sequence[Statement], objects: Sequence[str]) -> str:
    """Write `The capital of France is Paris, and the currency is Euro`."""
    first = found[0].clause(found[0].subject_text, objects[0])
    others = [
        one.clause("\0", text).replace(" of \0 ", " ", 1) for one, text in zip(found[1:], objects[1:], strict=True)
    ]
    parts = [first, *(f"the {one.removeprefix('The ')}" for one in others)]
    has_commas = len(parts) > 2 and any(", " in one for one in parts[:-1])
    mark = ";" if has_commas or any("; " in one for one in parts) else ","
    return f"{f'{mark} '.join(parts[:-1])}{mark} and {parts[-1]}"


def _compared(found: Sequence[Statement], objects: Sequence[str]) -> str:
    """Write `The capital of France is Paris, and that of Spain is Madrid`."""
    first, *others = found
    phrase = relation_form(first.measured[0]).phrase
    are_many = len(first.objects) > 1 or is_plural(phrase.split(" of ")[0])
    that, be = ("those", "are") if are_many else ("that", "is")
    parts = [first.clause(first.subject_text, objects[0])]
    parts += [f"{that} of {one.subject_text} {be} {text}" for one, text in zip(others, objects[1:], strict=True)]
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _coordinated(sentence: Sentence, objects: Sequence[str]) -> str:
    """Write `Ann works on the team Core and on the project Heron, and reports to Bo`."""
    found = sentence.statements
    predicates = [
        (one.clause("", "").split(), one.clause("", text).strip()) for one, text in zip(found, objects, strict=True)
    ]
    merged = _merged([(_verb(words), text) for words, text in predicates])
    subject = found[0].subject_text
    between = f", {sentence.between}," if sentence.between else ""
    return f"{subject}{between} {_joined(_merged([(_auxiliary(text), text) for text in merged]))}"


def _verb(words: Sequence[str]) -> str:
    """Return the words of a predicate before its first preposition or article: `is located` for `is located in`."""
    end = next((at for at, word in enumerate(words) if word in PREPOSITIONS or word in ("the", "a", "an")), len(words))
    return "" if "not" in words else " ".join(words[:end])


def _auxiliary(predicate: str) -> str:
    first, second, *_ = [*predicate.split(" "), ""]
    return first if first in _BE and second != "not" else ""


def _merged(predicates: Sequence[tuple[str, str]]) -> list[str]:
    """Join predicates that begin with the same words, which are said once."""
    groups: dict[str, list[str]] = {}
    for place, (beginning, text) in enumerate(predicates):
        groups.setdefault(beginning or f"\0{place}", []).append(text)
    return [
        f"{beginning} {_joined([one.removeprefix(f'{beginning} ') for one in some], '')}" if len(some) > 1 else some[0]
        for beginning, some in groups.items()
    ]


def _joined(parts: Sequence[str], mark: str = ",") -> str:
    """Join clauses with `and`: behind a comma if there are several, or behind `mark` if one has an `and` of its own."""
    is_nested = any(" and " in one for one in parts)
    mark = ", and " if len(parts) > 2 else f"{mark if is_nested else ''} and "
    return mark.join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
