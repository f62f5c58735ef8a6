"""Find knowledge for a question in several ways, for a QA model to read (RRA, sections 5.3 and 6)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest
from contracts.rewrite import KnowledgeFormat
from evaluation.formats import ComparedFormat, FormatPipeline
from evaluation.options import EvaluationOptions
from language.english.english import english
from language.question import Question
from question_sets.records import QuestionRecord
from services.answerer.knowledge import as_knowledge, shown_evidence
from services.answerer.pipeline import Retrieval
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from shared.errors import TooManyPathsError, UnknownEntityError
from shared.triple import Triple
from texts.verbalise.formats import as_triples

TripleRanking = Callable[[Question, Sequence[LinkedTopic]], Awaitable[Sequence[Triple]]]
"""Return the triples to show for a question about linked topic entities, best first."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Hold what a QA model reads before a question, and the triples that it says."""

    text: str = ""
    triples: tuple[Triple, ...] = ()


class KnowledgeSource(Protocol):
    """Find knowledge for questions."""

    async def find(self, record: QuestionRecord) -> Knowledge:
        """Return the knowledge for a question; it is empty if there is none.

        Raises:
            DependencyError: The graph store or a language model does not respond.
        """
        ...


class NoKnowledge:
    """Find nothing, so that the QA model answers from memory."""

    async def find(self, record: QuestionRecord) -> Knowledge:
        """Return empty knowledge."""
        return Knowledge()


@dataclass(frozen=True, slots=True)
class ReasoningPaths:
    """Retrieve reasoning paths along predicted relation paths, and verbalise them in one format, as RRA does."""

    pipeline: FormatPipeline
    form: ComparedFormat

    async def find(self, record: QuestionRecord) -> Knowledge:
        """Return the reasoning paths of a question; see `KnowledgeSource.find`."""
        try:
            evidence, version = await self.pipeline.retrieve(record)
        except TooManyPathsError:
            return Knowledge()
        texts, _ = await self.pipeline.verbalise(evidence, self.form, version)
        triples = tuple(dict.fromkeys(triple for item in evidence for triple in item.triples))
        return Knowledge(as_knowledge(texts, self.form.service_format), triples)


@dataclass(frozen=True, slots=True)
class RankedTriples:
    """Show single triples around the topic entities as triple-form text, as KAPING and Sen et al. do."""

    linker: EntityLinker
    ranking: TripleRanking

    async def find(self, record: QuestionRecord) -> Knowledge:
        """Return the best triples for a question; see `KnowledgeSource.find`."""
        question = english(record.question)
        try:
            topics = await self.linker.topics(question, record.topic)
        except UnknownEntityError:
            return Knowledge()
        triples = tuple(await self.ranking(question, topics))
        return Knowledge(as_knowledge([as_triples(triples)], KnowledgeFormat.TRIPLES), triples)


@dataclass(frozen=True, slots=True)
class StrategyEvidence:
    """Show the evidence of another retrieval strategy as triple-form text, whatever its confidence."""

    retrieval: Retrieval
    strategy: Strategy
    options: EvaluationOptions

    async def find(self, record: QuestionRecord) -> Knowledge:
        """Return the evidence for a question; see `KnowledgeSource.find`."""
        fields = self.options.request(record)
        try:
            found = await self.retrieval.retrieve(RetrieveRequest(**fields, strategy=self.strategy, min_confidence=0.0))
        except (UnknownEntityError, TooManyPathsError):
            return Knowledge()
        evidence = shown_evidence(found, self.options.max_paths)
        # Plans that are no relation path say what supports their answers in sentences.
        said = [item.text for item in found.plan_evidence[: self.options.max_paths]]
        texts = [as_triples(item.triples) for item in evidence] or said
        triples = [triple for item in (evidence or found.plan_evidence) for triple in item.triples]
        return Knowledge(as_knowledge(texts, KnowledgeFormat.TRIPLES), tuple(dict.fromkeys(triples)))
