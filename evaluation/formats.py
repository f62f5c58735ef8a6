"""The forms of knowledge compared (RRA, section 6.2; Bridging the Gap, YAML): one retrieval a question, then each form.

Each form's knowledge goes before the QA model once, without the service's second try, so that forms are compared and
not what makes up for them.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evaluation.metrics import says_right
from question_sets.journal import Journal
from question_sets.records import QuestionRecord
from services.answerer.pipeline import MAX_ANSWER_TOKENS, Retrieval, Rewriting, as_knowledge, shown_evidence
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from services.rewriter.faithfulness import missing_names
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from services.rewriter.prompts import rewrite_prompt
from shared.contracts import EvidenceTriples, KnowledgeFormat, RetrieveRequest, RetrieveResponse, RewriteRequest
from shared.errors import UnknownEntityError
from shared.llm.client import CountedModel, LanguageModel
from shared.verbalise.formats import as_triples

_OFF_THE_SHELF_TOKENS = 200
_BLOCK = 10


class Form(StrEnum):
    """How knowledge is put before the QA model; `off-the-shelf`: text by the base model, unchecked (RRA, table 2)."""

    NONE = "none"
    TRIPLES = "triples"
    TEMPLATE = "template"
    YAML = "yaml"
    TEXT = "text"
    OFF_THE_SHELF = "off-the-shelf"


TEXTS = (Form.TEXT, Form.OFF_THE_SHELF)
"""Forms that a model writes."""


class FormOutcome(BaseModel):
    """What the QA model said to one question from one form. `number`: which question of the file, from 0.

    `prompt_tokens`: of the QA model's prompt; `rewritten`: items of evidence that became text, of which `by_template`
    had to be said by a template and `uncovered` do not name all that they should; `knowledge` is kept where it is a
    model's text.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    form: Form
    question: str
    said: str
    hit: bool
    knowledge: str
    prompt_tokens: int
    rewritten: int
    by_template: int
    uncovered: int
    rewrite_ms: float
    answer_ms: float


@dataclass(frozen=True, slots=True)
class Tried:
    """What is compared: `rewriter` gives texts, `base` is its model without the adapter, `qa_model` answers."""

    retriever: Retrieval
    rewriter: Rewriting
    base: LanguageModel
    qa_model: CountedModel
    beam: int
    max_paths: int
    with_topic: bool


def sampled(records: Sequence[QuestionRecord], most: int | None, seed: int) -> list[tuple[int, QuestionRecord]]:
    """At most `most` records, drawn by the seed, each with its number in the file; in the file's order."""
    numbered = list(enumerate(records))
    if most is None or most >= len(numbered):
        return numbered
    return sorted(random.Random(seed).sample(numbered, most), key=lambda one: one[0])


class Outcomes(Journal[FormOutcome]):
    """Outcomes in a file, so that a comparison that was broken off goes on where it was."""

    def __init__(self, file: Path, compared: Mapping[str, str]) -> None:
        """Open or begin the file. Raises InvalidInputError for the outcomes of another comparison."""
        super().__init__(file, compared, FormOutcome)
        self._done = {(outcome.number, outcome.form): outcome for outcome in self}

    def __contains__(self, key: object) -> bool:
        return key in self._done

    def add(self, outcome: FormOutcome) -> None:
        """Keep an outcome, whatever happens from now on."""
        super().add(outcome)
        self._done[outcome.number, outcome.form] = outcome

    def of(self, numbers: Sequence[int], form: Form) -> list[FormOutcome]:
        """One form's outcomes of these questions, in their order; those that are there."""
        return [self._done[number, form] for number in numbers if (number, form) in self._done]


async def compare(
    records: Sequence[tuple[int, QuestionRecord]],
    forms: Sequence[Form],
    tried: Tried,
    outcomes: Outcomes,
    progress: Callable[[int, int], None],
) -> None:
    """Ask each question from each form, one at a time, unless its outcome is known already.

    A block of questions from one form, then from the next: a server keeps what it computed of the last prompts, and a
    question's texts in two forms are often the same.

    Raises DependencyError if a model stays away; the outcomes until then are kept.
    """
    for first in range(0, len(records), _BLOCK):
        block = records[first : first + _BLOCK]
        retrieved = {n: await _retrieved(record, tried) for n, record in block if _open(n, forms, outcomes)}
        for form in dict.fromkeys(forms):
            for number, record in block:
                if (number, form) not in outcomes:
                    outcomes.add(await _outcome(number, record, form, retrieved[number], tried))
        progress(first + len(block), len(records))


def _open(number: int, forms: Sequence[Form], outcomes: Outcomes) -> bool:
    return any((number, form) not in outcomes for form in forms)


async def _retrieved(record: QuestionRecord, tried: Tried) -> RetrieveResponse | None:
    request = RetrieveRequest(
        question=record.question,
        topic_entity=record.topic if tried.with_topic else None,
        beam=tried.beam,
        max_paths=tried.max_paths,
    )
    try:
        return await tried.retriever.retrieve(request)
    except UnknownEntityError:
        return None


async def _outcome(
    number: int, record: QuestionRecord, form: Form, retrieved: RetrieveResponse | None, tried: Tried
) -> FormOutcome:
    shown = shown_evidence(retrieved, tried.max_paths) if retrieved else []
    started = time.perf_counter()
    texts, by_template = await _texts(shown, form, retrieved.graph_version if retrieved else "", tried)
    knowledge = as_knowledge(texts, _format(form))
    rewritten = time.perf_counter()
    before = tried.qa_model.usage.prompt_tokens
    said = await tried.qa_model.complete(answer_prompt(knowledge, record.question), max_tokens=MAX_ANSWER_TOKENS)
    ended = time.perf_counter()
    is_text = form in TEXTS
    return FormOutcome(
        number=number,
        form=form,
        question=record.question,
        said=said,
        hit=says_right(said, record.answers, I_DO_NOT_KNOW),
        knowledge=knowledge if is_text else "",
        prompt_tokens=tried.qa_model.usage.prompt_tokens - before,
        rewritten=len(texts) if is_text else 0,
        by_template=by_template,
        uncovered=_uncovered(shown, texts) if is_text else 0,
        rewrite_ms=round((rewritten - started) * 1000, 2),
        answer_ms=round((ended - rewritten) * 1000, 2),
    )


async def _texts(shown: list[EvidenceTriples], form: Form, graph_version: str, tried: Tried) -> tuple[list[str], int]:
    """A text for each item, and how many of them a template had to say."""
    if form is Form.NONE or not shown:
        return [], 0
    if form is Form.OFF_THE_SHELF:
        prompts = [rewrite_prompt(as_triples(item.triples[:MAX_TRIPLES_IN_TEXT])) for item in shown]
        return [await tried.base.complete(prompt, max_tokens=_OFF_THE_SHELF_TOKENS) for prompt in prompts], 0
    request = RewriteRequest(evidence=shown, format=_format(form), graph_version=graph_version)
    response = await tried.rewriter.rewrite(request)
    return response.texts, response.by_template


def _uncovered(shown: Sequence[EvidenceTriples], texts: Sequence[str]) -> int:
    """How many texts lack an entity of the facts that they should say."""
    said = zip(shown, texts, strict=True)
    return sum(bool(missing_names(text, item.triples[:MAX_TRIPLES_IN_TEXT])) for item, text in said)


def _format(form: Form) -> KnowledgeFormat:
    return KnowledgeFormat.TEXT if form is Form.OFF_THE_SHELF else KnowledgeFormat(form.value)


def pairs(of_one: Sequence[FormOutcome], of_other: Sequence[FormOutcome]) -> Iterator[tuple[FormOutcome, FormOutcome]]:
    """Outcomes of the same question from two forms."""
    others = {outcome.number: outcome for outcome in of_other}
    return ((outcome, others[outcome.number]) for outcome in of_one if outcome.number in others)
