"""Score what a QA model answers from knowledge, and compare knowledge from several sources (RRA, tables 1 to 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from pydantic import BaseModel

from evaluation.knowledge_sources import Knowledge, KnowledgeSource
from evaluation.metrics import lenient_hit, set_scores, substring_hit
from evaluation.strategy_outcomes import share_text
from question_sets.records import QuestionRecord
from services.answerer.pipeline import MAX_ANSWER_TOKENS
from services.answerer.prompts import answer_prompt
from shared.exact_match import named
from shared.llm.client import CountedModel
from shared.triple import entity_names


class KnowledgeOutcome(BaseModel, extra="forbid", frozen=True):
    """Score the QA model's reply to one question with knowledge from one source, as one line of a journal.

    Attributes:
        number: The place of the question in its file, from 0.
        source: The name of the source.
        question: The question.
        said: The reply.
        hit: Whether the reply contains a gold answer anywhere, ignoring case (RRA's hit@1).
        named: Whether the reply contains a gold answer as whole words.
        f1: The F1 of the names in the reply; see `answered_names`.
        has_answer: Whether the knowledge contains a gold answer as whole words.
        prompt_tokens: The length of the prompt.
    """

    number: int
    source: str
    question: str
    said: str
    hit: bool
    named: bool
    f1: float
    has_answer: bool
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class KnowledgeReader:
    """Ask a QA model questions with knowledge from any source, with the answerer's prompt T2.

    The service's checks and second attempt are left out, because they would hide the differences between sources.
    """

    qa_model: CountedModel
    _replies: dict[str, tuple[str, int]] = field(default_factory=dict)

    async def ask(self, name: str, source: KnowledgeSource, number: int, record: QuestionRecord) -> KnowledgeOutcome:
        """Ask one question. Raises DependencyError if a language model or the graph store does not respond."""
        knowledge = await source.find(record)
        said, prompt_tokens = await self._complete(answer_prompt(knowledge.text, record.question))
        *_, f1 = set_scores(answered_names(said, record, knowledge), record.answers)
        return KnowledgeOutcome(
            number=number,
            source=name,
            question=record.question,
            said=said,
            hit=substring_hit(said, record.answers),
            named=lenient_hit(said, record.answers),
            f1=f1,
            has_answer=lenient_hit(knowledge.text, record.answers),
            prompt_tokens=prompt_tokens,
        )

    async def _complete(self, prompt: str) -> tuple[str, int]:
        """Return the reply and the tokens of the prompt; sources often find the same, so each prompt is sent once."""
        if prompt not in self._replies:
            before = self.qa_model.usage.prompt_tokens
            said = await self.qa_model.complete(prompt, max_tokens=MAX_ANSWER_TOKENS)
            self._replies[prompt] = said, self.qa_model.usage.prompt_tokens - before
        return self._replies[prompt]


def answered_names(said: str, record: QuestionRecord, knowledge: Knowledge) -> list[str]:
    """Return the gold answers, and the names of the shown triples, that a reply contains as whole words.

    Names in the question are no answers, unless they are gold.
    """
    shown = dict.fromkeys(entity_names(knowledge.triples))
    asked = set(named(record.question, list(shown)))
    candidates = [*record.answers, *(name for name in shown if name not in asked)]
    return named(said, list(dict.fromkeys(candidates)))


def knowledge_columns(
    outcomes: Mapping[str, Sequence[KnowledgeOutcome]], baselines: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return the figures of each source as text, keyed by measure.

    Args:
        outcomes: The outcomes by source; all sources have the same questions in the same order.
        baselines: Sources to compare with: `+` counts the questions that only this source answers (helpful), and `-`
            those that only the baseline answers (harmful).
    """
    columns = {}
    for name, of_one in outcomes.items():
        against = {
            f"vs {baseline}": _against(of_one, outcomes[baseline]) if name != baseline else "–"
            for baseline in baselines
        }
        columns[name] = {
            "questions": f"{len(of_one):,}",
            "hit@1": share_text([float(one.hit) for one in of_one]),
            "hit@1, whole words": share_text([float(one.named) for one in of_one]),
            "F1": share_text([one.f1 for one in of_one]),
            "answer in the knowledge": share_text([float(one.has_answer) for one in of_one]),
            **against,
            "prompt tokens": f"{fmean(one.prompt_tokens for one in of_one):.0f}",
        }
    return columns


def _against(outcomes: Sequence[KnowledgeOutcome], baseline: Sequence[KnowledgeOutcome]) -> str:
    pairs = [(one.hit, before.hit) for one, before in zip(outcomes, baseline, strict=True)]
    return f"+{sum(now and not before for now, before in pairs)} -{sum(before and not now for now, before in pairs)}"
