"""Word the answer that a plan gives, without a language model."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from contracts.answers import Answer, AnswerType, answer_names
from contracts.retrieve import RetrieveResponse
from graph.plan.value_text import value_text
from services.answerer.answer_sentences import list_sentence
from services.answerer.result_tables import rows_sentence
from services.answerer.value_sentences import said_value, value_sentence
from shared.exact_match import named
from shared.triple import Triple, entity_names
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.spoken import said_text

# A longer text of the evidence would bury the answer.
_MAX_REASON = 300
_OPENINGS = ("The ", "There ", "No ")
_RUNNER_UP = " Next is "
_KIND = "kind"
_LACKS, _WHERE = "The graph does not have ", ", where "


def plan_answer(retrieved: RetrieveResponse) -> str:
    """State the result of a plan as a sentence: yes or no, a number with what was counted, names, or rows."""
    reason = _reason(retrieved)
    if retrieved.answer_type is AnswerType.BOOLEAN:
        return _truth_sentence(retrieved, reason)
    if retrieved.answer_type is AnswerType.NUMBER:
        return _number_sentence(retrieved)
    if retrieved.answer_type is AnswerType.PATHS:
        return " ".join(item.text for item in retrieved.plan_evidence)
    if len(retrieved.columns) > 1:
        return rows_sentence(retrieved)
    if described := _descriptions(retrieved):
        return described
    listed = value_sentence(retrieved) or list_sentence([_said(one, retrieved) for one in retrieved.answers])
    if len(retrieved.answers) != 1 or not reason:
        return listed
    [name], facts = answer_names(retrieved.answers), _facts(retrieved)
    if _RUNNER_UP in reason:
        facts = [one for one in facts if name in (one.subject, one.object)]
    if _RUNNER_UP in reason or _is_label(facts, reason):
        reason = _paragraph(facts, retrieved.durations)
    if [one.relation for one in facts] == [_KIND]:
        return listed
    is_said = _is_one_fact(facts, reason, name, retrieved) or _ends_with_value(facts, reason, retrieved)
    return reason if is_said else f"{listed} {reason}".rstrip()


def _said(answer: Answer, retrieved: RetrieveResponse) -> Answer:
    """Return an answer with its value as texts say it; the names of entities stay as they are."""
    is_name = answer.id is not None
    return answer if is_name else answer.said_as(said_value(retrieved, answer.value))


def _is_label(facts: Sequence[Triple], reason: str) -> bool:
    """Return whether a reason states the only fact behind a colon."""
    return len(facts) == 1 and reason.startswith(f"{facts[0].subject}:")


def _paragraph(facts: Sequence[Triple], durations: Collection[str]) -> str:
    return as_paragraph([replace(one, object=_said_object(one, durations)) for one in facts])


def _said_object(fact: Triple, durations: Collection[str]) -> str:
    return said_text(fact.object, fact.relation, fact.relation in durations)


def _facts(retrieved: RetrieveResponse) -> list[Triple]:
    return [triple for item in retrieved.plan_evidence for triple in item.triples]


def _truth_sentence(retrieved: RetrieveResponse, reason: str) -> str:
    """Answer yes or no, with a short reason; that nothing was counted is no reason where more is said."""
    if retrieved.answers[0].value:
        return f"Yes: {_continued(reason, retrieved)}" if reason else "Yes."
    summary = retrieved.plan_evidence[0].summary if reason else ""
    reason = reason.removeprefix(summary).strip() or reason
    if reason.startswith(_LACKS) and _WHERE in reason:
        return "No."  # it would read as if the graph did not have the thing at all
    return f"No: {_continued(reason, retrieved)}" if reason else "No."


def _descriptions(retrieved: RetrieveResponse) -> str:
    """Return the texts of the evidence if each of them says nothing but what one of the answers is."""
    names, items = set(answer_names(retrieved.answers)), retrieved.plan_evidence
    are_descriptions = len(items) == len(retrieved.answers) and all(
        item.summary == item.text and all(names & {one.subject, one.object} for one in item.triples) for item in items
    )
    return " ".join(item.text for item in items) if items and are_descriptions else ""


def _number_sentence(retrieved: RetrieveResponse) -> str:
    """State a number by what was counted or aggregated, by the only fact that has it, or on its own."""
    [number, *_] = answer_names(retrieved.answers)
    summary = next((item.summary for item in retrieved.plan_evidence if item.summary), "")
    if summary:
        return summary
    reason, facts = _reason(retrieved), _facts(retrieved)
    if _is_label(facts, reason):
        reason = _paragraph(facts, retrieved.durations)
    if reason and _is_one_fact(facts, reason, number, retrieved):
        return reason
    return value_sentence(retrieved) or f"The answer is {number}."


def _is_one_fact(facts: Sequence[Triple], reason: str, name: str, retrieved: RetrieveResponse) -> bool:
    """Return whether a reason is a clause with the answer, and states the only fact."""
    if len(facts) != 1 or reason.startswith(f"{facts[0].subject}:"):
        return False
    is_said = bool(named(reason, [name])) or _said_object(facts[0], retrieved.durations) in reason
    return is_said and name in (facts[0].subject, facts[0].object)


def _ends_with_value(facts: Sequence[Triple], reason: str, retrieved: RetrieveResponse) -> bool:
    """Return whether a reason is a relationship with the answer behind it: `Ann led Core (since 2019).`"""
    [answer] = retrieved.answers
    said = {_said_object(one, retrieved.durations) for one in facts if one.object == value_text(answer.value)}
    return answer.id is None and any(reason.endswith(f" {one}).") for one in said)


def _reason(retrieved: RetrieveResponse) -> str:
    """Return the text of the evidence if there is only one item and the text is short."""
    texts = [item.text for item in retrieved.plan_evidence]
    return " ".join(texts[0].split("\n")) if len(texts) == 1 and len(texts[0]) <= _MAX_REASON else ""


def _continued(text: str, retrieved: RetrieveResponse) -> str:
    """Return a sentence as it continues after a colon; a name such as `The Hague` keeps its case."""
    names = entity_names(triple for item in retrieved.plan_evidence for triple in item.triples)
    is_name = any(text.startswith(name) for name in names)
    return text[:1].lower() + text[1:] if text.startswith(_OPENINGS) and not is_name else text
