"""Ask the QA model questions, giving it the knowledge in one format (RRA, section 6.2; YAML as in Bridging the Gap).

The QA model is asked once per format. The service's checks and second attempt are left out, because they would hide
the differences between formats.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel

from contracts.answers import EvidenceTriples
from contracts.retrieve import RetrieveRequest
from contracts.rewrite import KnowledgeFormat, RewriteRequest
from evaluation.metrics import lenient_hit
from evaluation.options import EvaluationOptions
from question_sets.records import QuestionRecord
from services.answerer.knowledge import as_knowledge, shown_evidence
from services.answerer.pipeline import MAX_ANSWER_TOKENS, Retrieval, Rewriting
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from services.rewriter.faithfulness import missing_names
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from services.rewriter.prompts import rewrite_prompt
from shared.errors import UnknownEntityError
from shared.exact_match import exact
from shared.llm.client import CountedModel, LanguageModel
from texts.verbalise.formats import as_triples

_OFF_THE_SHELF_TOKENS = 200


class ComparedFormat(StrEnum):
    """Select the format of the knowledge; `off-the-shelf` is unchecked text by the base model (RRA, table 2)."""

    NONE = "none"
    TRIPLES = "triples"
    TEMPLATE = "template"
    YAML = "yaml"
    TEXT = "text"
    OFF_THE_SHELF = "off-the-shelf"

    @property
    def is_model_text(self) -> bool:
        """Return whether a language model writes the knowledge."""
        return self in (ComparedFormat.TEXT, ComparedFormat.OFF_THE_SHELF)

    @property
    def service_format(self) -> KnowledgeFormat:
        """Return the corresponding format in the rewriter and the answerer."""
        return KnowledgeFormat.TEXT if self.is_model_text else KnowledgeFormat(self.value)


class FormatOutcome(BaseModel, extra="forbid", frozen=True):
    """Record the QA model's reply to a question, given the knowledge in one format, as one line of a journal.

    `said` is the reply. `number` is the question's number in the file, from 0. `knowledge` is empty unless a language
    model wrote it. `rewritten` counts the texts of the evidence, which a language model may write. Of these texts,
    `by_template` counts the ones that a template verbalised instead, and `uncovered` the ones whose text omits an
    entity.
    """

    number: int
    form: ComparedFormat
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
class FormatPipeline:
    """Retrieve evidence, verbalise it in one format, and ask the QA model once.

    `base_model` is the rewriter's model without its adapter.
    """

    retriever: Retrieval
    rewriter: Rewriting
    base_model: LanguageModel
    qa_model: CountedModel
    options: EvaluationOptions

    async def ask(self, form: ComparedFormat, number: int, record: QuestionRecord) -> FormatOutcome:
        """Ask one question. Raises DependencyError if a language model does not respond."""
        evidence, graph_version = await self.retrieve(record)
        started = time.perf_counter()
        texts, by_template = await self.verbalise(evidence, form, graph_version)
        knowledge = as_knowledge(texts, form.service_format)
        verbalised = time.perf_counter()
        tokens_before = self.qa_model.usage.prompt_tokens
        said = await self.qa_model.complete(answer_prompt(knowledge, record.question), max_tokens=MAX_ANSWER_TOKENS)
        answered = time.perf_counter()
        return FormatOutcome(
            number=number,
            form=form,
            question=record.question,
            said=said,
            hit=lenient_hit(said, record.answers) if record.answers else exact(said) == exact(I_DO_NOT_KNOW),
            knowledge=knowledge if form.is_model_text else "",
            prompt_tokens=self.qa_model.usage.prompt_tokens - tokens_before,
            rewritten=len(texts) if form.is_model_text else 0,
            by_template=by_template,
            uncovered=_count_uncovered(evidence, texts) if form.is_model_text else 0,
            rewrite_ms=round((verbalised - started) * 1000, 2),
            answer_ms=round((answered - verbalised) * 1000, 2),
        )

    async def retrieve(self, record: QuestionRecord) -> tuple[list[EvidenceTriples], str]:
        """Return the evidence to show, and the graph's version; both are empty if the graph lacks the topic."""
        try:
            retrieved = await self.retriever.retrieve(RetrieveRequest(**self.options.request(record)))
        except UnknownEntityError:
            return [], ""
        return shown_evidence(retrieved, self.options.max_paths), retrieved.graph_version

    async def verbalise(
        self, evidence: list[EvidenceTriples], form: ComparedFormat, graph_version: str
    ) -> tuple[list[str], int]:
        """Return one text for each item of evidence, and the number of texts that a template wrote."""
        if form is ComparedFormat.NONE or not evidence:
            return [], 0
        if form is ComparedFormat.OFF_THE_SHELF:
            prompts = [rewrite_prompt(as_triples(item.triples[:MAX_TRIPLES_IN_TEXT])) for item in evidence]
            return [await self.base_model.complete(prompt, max_tokens=_OFF_THE_SHELF_TOKENS) for prompt in prompts], 0
        response = await self.rewriter.rewrite(
            RewriteRequest(evidence=evidence, format=form.service_format, graph_version=graph_version)
        )
        whole = form is ComparedFormat.TEXT and bool(evidence)
        return [response.text] if whole else response.texts, response.by_template


def by_format(outcomes: Iterable[FormatOutcome], numbers: Sequence[int]) -> dict[ComparedFormat, list[FormatOutcome]]:
    """Group the outcomes by format; include only the questions with the given numbers, in the order of the numbers."""
    found = {(outcome.number, outcome.form): outcome for outcome in outcomes}
    return {form: [found[n, form] for n in numbers if (n, form) in found] for form in ComparedFormat}


def _count_uncovered(evidence: Sequence[EvidenceTriples], texts: Sequence[str]) -> int:
    """Count the texts that do not name every entity in the triples that they verbalise.

    There is one text for each item of evidence, or one for all of them.
    """
    items = [item.triples[:MAX_TRIPLES_IN_TEXT] for item in evidence]
    shown = items if len(texts) == len(items) else [[fact for item in items for fact in item]]
    return sum(bool(missing_names(text, facts)) for facts, text in zip(shown, texts, strict=True))
