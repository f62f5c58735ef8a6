"""Define the options for an evaluation, and the files that it writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from contracts.base import DEFAULT_BEAM, DEFAULT_MAX_PATHS
from contracts.rewrite import KnowledgeFormat
from question_sets.records import QuestionRecord
from services.retriever.serving.model_age import is_trained
from shared.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Specify what to evaluate, and how.

    Attributes:
        topic: "given" uses the topic entity in the record if it has one; "linked" always links the topic instead.
        with_answerer: whether to ask the QA model too, instead of evaluating only retrieval.
        beam: the number of relation paths kept at every hop; K in the paper.
        max_paths: the number of reasoning paths that form the evidence; M in the paper.
        threshold: the confidence below which the retriever abstains; None uses the trained threshold.
    """

    graph: str
    retriever: Path
    questions: Path
    topic: Literal["given", "linked"] = "given"
    format: KnowledgeFormat = KnowledgeFormat.TEXT
    with_answerer: bool = True
    beam: int = DEFAULT_BEAM
    max_paths: int = DEFAULT_MAX_PATHS
    threshold: float | None = None

    def request(self, record: QuestionRecord) -> dict[str, Any]:
        """Return the fields that requests to the retriever and to the answerer have in common."""
        topic = record.topic if self.topic == "given" else None
        limits = {"beam": self.beam, "max_paths": self.max_paths}
        return {"question": record.question, "topic_entity": topic, **limits}

    def described(self) -> dict[str, str]:
        """Return the fields that identify the evaluation in every report."""
        retriever = str(self.retriever) if is_trained(self.retriever) else "the packaged base model"
        files = {"retriever": retriever, "questions_file": str(self.questions)}
        return {"graph": self.graph, **files, "topic": self.topic}


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """Name the files that an evaluation writes: the report as JSON, and optionally the errors as JSON Lines.

    Raises InvalidInputError if one of them would replace another file of the evaluation, or cannot be created.
    """

    questions: Path
    report: Path
    errors: Path | None = None

    def __post_init__(self) -> None:
        if self.errors and self.errors.resolve() in (self.report.resolve(), self.journal.resolve()):
            raise InvalidInputError(f"{self.errors} is the report or its journal; set a different file for the errors")
        for file in (self.report, *([self.errors] if self.errors else [])):
            if not file.parent.is_dir():
                raise InvalidInputError(f"{file}: the folder {file.parent} does not exist; create it first")
            if file.is_dir():
                raise InvalidInputError(f"{file} is a folder; specify a file in it")
            if file.resolve() == self.questions.resolve():
                raise InvalidInputError(f"{file} is the question file; set a different file for the results")

    @property
    def journal(self) -> Path:
        """Return the path of the journal of outcomes, from which an interrupted evaluation resumes."""
        return self.report.with_name(f"{self.report.name}.outcomes.jsonl")
