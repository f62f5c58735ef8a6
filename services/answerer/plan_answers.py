"""Word the answer that a plan gives, without a language model."""

from collections.abc import Sequence
from typing import Any

from services.answerer.answer_sentences import list_sentence
from shared.contracts import AnswerType, RetrieveResponse, answer_names
from shared.triple import entity_names
from shared.verbalise.relation_words import in_words
from shared.verbalise.template import join_names
from shared.verbalise.values import value_text

_MAX_ROWS = 10
# A longer text of the evidence would bury the answer.
_MAX_REASON = 300
_OPENINGS = ("The ", "There ", "No ")


def plan_answer(retrieved: RetrieveResponse) -> str:
    """State the result of a plan as a sentence: yes or no, a number with what was counted, names, or rows."""
    names = answer_names(retrieved.answers)
    reason = _reason(retrieved)
    if retrieved.answer_type is AnswerType.BOOLEAN:
        word = "Yes" if retrieved.answers[0].value else "No"
        return f"{word}: {_continued(reason, retrieved)}" if reason else f"{word}."
    if retrieved.answer_type is AnswerType.NUMBER:
        text = next((item.text for item in retrieved.plan_evidence if item.text), "").split("\n")[0]
        return text if names[0] in text else f"The answer is {names[0]}."
    if len(retrieved.columns) > 1:
        return _rows_sentence(retrieved.columns, retrieved.rows)
    sentence = list_sentence(retrieved.answers)
    return f"{sentence} {reason}" if len(names) == 1 and reason else sentence


def _reason(retrieved: RetrieveResponse) -> str:
    """Return the text of the evidence if there is only one item and the text is short."""
    texts = [item.text for item in retrieved.plan_evidence]
    return " ".join(texts[0].split("\n")) if len(texts) == 1 and len(texts[0]) <= _MAX_REASON else ""


def _continued(text: str, retrieved: RetrieveResponse) -> str:
    """Return a sentence as it continues after a colon; a name such as `The Hague` keeps its case."""
    names = entity_names(triple for item in retrieved.plan_evidence for triple in item.triples)
    is_name = any(text.startswith(name) for name in names)
    return text[:1].lower() + text[1:] if text.startswith(_OPENINGS) and not is_name else text


def _rows_sentence(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """List the first rows: `The graph lists 2 rows: Germany (count: 9) and France (count: 7).`"""
    labels = [in_words(column) for column in columns[1:]]
    shown = [_row_text(labels, row) for row in rows[:_MAX_ROWS]]
    rest = [f"{len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
    return f"The graph lists {len(rows)} {'row' if len(rows) == 1 else 'rows'}: {join_names([*shown, *rest])}."


def _row_text(labels: Sequence[str], row: Sequence[Any]) -> str:
    values = (f"{label}: {_cell_text(cell)}" for label, cell in zip(labels, row[1:], strict=True))
    return f"{_cell_text(row[0])} ({', '.join(values)})"


def _cell_text(cell: Any) -> str:
    return ", ".join(map(_cell_text, cell)) if isinstance(cell, list) else value_text(cell)
