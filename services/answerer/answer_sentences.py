"""Answer a question with a sentence written by grammar, which names the answers exactly as the graph spells them."""

from collections.abc import Sequence

from contracts.answers import Answer, answer_names
from contracts.retrieve import RetrieveResponse
from language.english.articles import capitalised, with_the
from language.english.measures import with_units
from language.english.morphology import RelationKind, counted, relation_form
from language.english.relation_words import in_words
from services.answerer.answer_text import MAX_NAMED_ANSWERS, enumerate_answers
from shared.exact_match import named
from shared.text import with_full_stop
from shared.triple import Triple
from texts.verbalise.clauses import full_clause, is_sayable
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.relative_clauses import relative_clause, whose

_MIN_COUNTED = 4
_MAX_BEHIND = 10


def path_sentence(retrieved: RetrieveResponse) -> str:
    """State the answers that a relation path reaches; of more than `MAX_NAMED_ANSWERS`, name the first ones.

    Example:
        >>> path_sentence(response)
        'The currency of Turkey, whose capital is Ankara, is Turkish Lira.'
    """
    names = answer_names(retrieved.answers)
    relation = retrieved.relation_paths[0].relations[-1] if retrieved.relation_paths[0].relations else ""
    facts = _last_facts(retrieved, relation)
    is_inverse = relation.startswith("^")
    owners = list(dict.fromkeys(fact.object if is_inverse else fact.subject for fact in facts))
    text = ""
    if len(owners) == 1:
        text = _of_one_owner(retrieved, relation, owners[0])
    elif facts and len(names) <= MAX_NAMED_ANSWERS:
        text = as_paragraph(facts)
    required = names[:MAX_NAMED_ANSWERS]
    return text if text and len(named(text, required)) == len(required) else list_sentence(retrieved.answers)


def list_sentence(answers: Sequence[Answer]) -> str:
    """State the answers without saying what they have in common."""
    names = [
        f"{name} ({one.detail})" if one.detail else name
        for one, name in zip(answers, answer_names(answers), strict=True)
    ]
    if len(names) == 1:
        return with_full_stop(f"The answer is {names[0]}")
    return with_full_stop(
        f"The graph lists {counted(len(names), common_noun(answers) or 'answer')}: {enumerate_answers(names)}"
    )


def common_noun(answers: Sequence[Answer]) -> str:
    """Return the kind that all answers have, in words; nothing if there is none."""
    kinds = {answer.kind for answer in answers}
    kind = kinds.pop() if len(kinds) == 1 else None
    return in_words(kind) if kind else ""


def _last_facts(retrieved: RetrieveResponse, relation: str) -> list[Triple]:
    """Return the facts at the end of the paths to the answers."""
    name, is_inverse = relation.removeprefix("^"), relation.startswith("^")
    answers = set(answer_names(retrieved.answers))
    indexes = dict.fromkeys(index for answer in retrieved.answers for index in answer.evidence)
    shown = [fact for index in indexes for fact in retrieved.evidence[index].triples if fact.relation == name]
    return list(dict.fromkeys(fact for fact in shown if (fact.subject if is_inverse else fact.object) in answers))


def _of_one_owner(retrieved: RetrieveResponse, relation: str, owner: str) -> str:
    """State all answers in one clause about the entity that they belong to."""
    names, name = answer_names(retrieved.answers), relation.removeprefix("^")
    number, noun = len(names), common_noun(retrieved.answers)
    form = relation_form(name)
    is_noun = form.kind is RelationKind.NOUN
    is_inverse = relation.startswith("^")
    link = _link(retrieved, owner) if is_sayable(name) else None
    if link and link.object == owner and is_noun and not is_inverse and number <= _MAX_BEHIND:
        text = full_clause(link.relation, with_the(link.subject), f"{with_the(owner)}, {whose(name, names)}")
        return _sentence(text, link.subject)
    described = _described(link, owner)
    if not noun or number < _MIN_COUNTED or not is_sayable(name) or (is_noun and not is_inverse):
        if is_inverse:
            listed = enumerate_answers([with_the(one) for one in names])
            return _sentence(full_clause(name, listed, described.rstrip(","), number, 1), names[0])
        name, values = with_units(name, names)
        listed = enumerate_answers([with_the(one) for one in values])
        return _sentence(full_clause(name, described, listed, 1, number), owner)
    counted_ = counted(number, noun)
    if is_noun:
        text = f"{described} is the {form.phrase} of {counted_}"
    elif is_inverse:
        text = full_clause(name, counted_, described.rstrip(","), number, 1)
    else:
        text = full_clause(name, described, counted_, 1, number)
    return _sentence(f"{text}: {enumerate_answers(names)}", owner)


def _link(retrieved: RetrieveResponse, owner: str) -> Triple | None:
    """Return the fact that leads from the question's entity to the owner of the answers, if it is sayable."""
    relations = retrieved.relation_paths[0].relations
    index = next(iter(retrieved.answers[0].evidence), None)
    if len(relations) < 2 or index is None:
        return None
    name = relations[-2].removeprefix("^")
    facts = (fact for fact in retrieved.evidence[index].triples if fact.relation == name and is_sayable(name))
    return next((fact for fact in facts if owner in (fact.subject, fact.object)), None)


def _described(link: Triple | None, owner: str) -> str:
    """Return the owner of the answers with a relative clause that leads to it, where there is one."""
    relative = relative_clause(link.relation, link.subject, link.object, owner) if link else ""
    return f"{with_the(owner)}, {relative}," if relative else with_the(owner)


def _sentence(text: str, first: str) -> str:
    """End a sentence, and begin it with a capital if it begins with the article of the name `first`."""
    return with_full_stop(capitalised(text, first))
