"""Propose questions with their readings, and keep what a person says about them as a question file."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.plan.algebra import Plan
from graph.plan.checks import write_plan
from graph.plan.result import PlanResult
from graph.plan.value_text import value_text
from graph.store import GraphStore
from language.english.english import english
from question_sets.records import open_text, read_questions
from services.retriever.execution.readable import readable
from services.retriever.plans.planner import Planner
from services.retriever.plans.schema.graph_view import GraphView
from shared.errors import InvalidInputError, KGQAError
from training.planning.own_questions import OwnQuestions

_MAX_READINGS = 3
_MAX_SHOWN = 4


@dataclass(frozen=True, slots=True)
class ProposedReading:
    """Hold a plan that may be meant, in words, with the beginning of its answers."""

    plan: Plan
    text: str
    answers: str

    @classmethod
    def of(cls, plan: Plan, result: PlanResult) -> "ProposedReading":
        """Describe a plan and its result."""
        texts = list(dict.fromkeys(value_text(row[0]) for row in result.rows if row))
        more = f" and {len(texts) - _MAX_SHOWN:,} more" if len(texts) > _MAX_SHOWN else ""
        return cls(plan, readable(plan), ", ".join(texts[:_MAX_SHOWN]) + more if texts else "nothing")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Hold a question with up to three readings, the most probable first."""

    question: str
    readings: Sequence[ProposedReading]


async def candidates_of(questions: Iterable[str], planner: Planner) -> AsyncIterator[Candidate]:
    """Yield questions with what the planner reads in them."""
    for question in questions:
        found = await planner.read(english(question))
        yield Candidate(question, [ProposedReading.of(one.plan, one.result) for one in found[:_MAX_READINGS]])


async def made_up_candidates(store: GraphStore, count: int, seed: int) -> AsyncIterator[Candidate]:
    """Yield made-up questions with their plans; those without answers are left out."""
    view = await GraphView.of(store)
    own = await OwnQuestions.of(view, {}, seed)
    left = count
    for question in own.questions(20 * count, seed):
        if not left:
            return
        try:
            plan = view.runnable(question.plan)
            result = await store.run(plan)
        except KGQAError:
            continue  # a plan that exceeds a limit is no good example
        if result.rows:
            left -= 1
            yield Candidate(question.question, [ProposedReading.of(plan, result)])


def questions_in(file: Path) -> list[str]:
    """Return the questions of a file: JSON Lines with a `question`, or one question per line.

    Raises NotFoundError or InvalidInputError if the file cannot be read.
    """
    if file.suffix in (".jsonl", ".xz"):
        return list(dict.fromkeys(record.question for record in read_questions(file)))
    try:
        with open_text(file) as lines:
            return list(dict.fromkeys(text for line in lines if (text := " ".join(line.split()))))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidInputError(f"{file} cannot be read: {reason}") from error


class LabelFile:
    """Append labelled questions to a question file; an interrupted session goes on after the last label."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.done = {record.question for record in read_questions(file)} if self._is_begun() else set()

    def _is_begun(self) -> bool:
        return self._file.is_file() and self._file.stat().st_size > 0

    def add(self, question: str, plan: Plan | None = None, answers: Sequence[str] | None = None) -> None:
        """Append a question with its plan, its answers, or both; no answers mean that the graph has none."""
        record: dict[str, object] = {"question": question, "kind": "label"}
        if plan is not None:
            record["plan"] = write_plan(plan)
        if answers is not None:
            record["answers"] = list(answers)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.done.add(question)
