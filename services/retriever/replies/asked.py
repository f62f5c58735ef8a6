"""Hold what a request asks, with its question parsed."""

from dataclasses import dataclass, replace
from datetime import date

from contracts.base import DEFAULT_BEAM, DEFAULT_MAX_PATHS, Strategy
from contracts.retrieve import RetrieveRequest
from language.english.english import english
from language.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Hold a question with the options of its request, which `RetrieveRequest` describes."""

    question: Question
    topic_entity: str | None = None
    beam: int = DEFAULT_BEAM
    max_paths: int = DEFAULT_MAX_PATHS
    min_confidence: float | None = None
    is_default_confidence: bool = False
    explain: bool = False
    strategy: Strategy = Strategy.PLAN

    @classmethod
    def of(cls, request: RetrieveRequest, today: date) -> "Asked":
        """Read a request, whose question is asked today."""
        return cls(
            question=english(request.question, today),
            topic_entity=request.topic_entity,
            beam=request.beam,
            max_paths=request.max_paths,
            min_confidence=request.min_confidence,
            is_default_confidence=request.is_default_confidence,
            explain=request.explain,
            strategy=request.strategy,
        )

    def least_confidence(self, threshold: float) -> float:
        """Return the confidence below which there is no answer: the threshold, unless the request has its own."""
        return threshold if self.min_confidence is None else self.min_confidence

    def at_own_threshold(self) -> "Asked":
        """Return the request without a default confidence, for models that say themselves from when on they answer."""
        return replace(self, min_confidence=None, is_default_confidence=False) if self.is_default_confidence else self
