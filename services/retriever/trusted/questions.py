"""Recognise the questions that an owner trusts."""

import logging
from dataclasses import dataclass
from pathlib import Path

from services.retriever.planning.plan_confidence import PlanFeatures
from services.retriever.planning.planner import MAX_ROWS, PlanReading, is_empty
from services.retriever.trusted.slots import linked
from shared.errors import InvalidInputError
from shared.graph.store import GraphStore
from shared.plan.algebra import Plan, Slice
from shared.plan.current_time import with_current_time
from shared.plan.result import PlanLimitError
from shared.plan.values import Value
from shared.trusted_questions import VALUE_TYPES, TrustedQuestion, Wording, check, comparable, read_file, wording

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrustedReading:
    """A reading of a question by the plan of the trusted question with this name."""

    name: str
    reading: PlanReading


class TrustedQuestions:
    """Read questions by a file of trusted ones, which is read again when it changes.

    Questions that do not fit the graph are left out, and named in the log. Raises InvalidInputError if the file is
    malformed when the service starts; later, the questions before the change remain.
    """

    def __init__(self, store: GraphStore, file: Path) -> None:
        self._store = store
        self._file = file
        self._stamp = self._current_stamp()
        self._questions = read_file(file)
        self._checked: list[tuple[TrustedQuestion, list[Wording]]] | None = None

    async def check(self) -> None:
        """Check the questions against the graph; raise DependencyError if it does not respond."""
        schema = await self._store.schema()
        fitting = []
        for question in self._questions:
            try:
                check(question, schema)
            except InvalidInputError as error:
                log.warning("a trusted question does not fit the graph, and is left out: %s", error.detail)
            else:
                fitting.append((question, list(map(wording, question.wordings))))
        self._checked = fitting

    async def read(self, question: str) -> TrustedReading | None:
        """Return the reading of a question by the first trusted one that it is a wording of; None if there is none.

        The confidence is that of the slots alone: an owner vouches for the plan.
        """
        self._reread()
        if self._checked is None:
            await self.check()
        for trusted, wordings in self._checked or ():
            for one in wordings:
                filled = await self._filled(one, comparable(question))
                if filled is None:
                    continue
                values, confidence, mentions = filled
                try:
                    reading = await self._run(trusted.filled(values), confidence, mentions)
                except PlanLimitError as error:
                    log.warning("the plan of the trusted question %s is not used: %s", trusted.name, error.detail)
                    return None
                return TrustedReading(trusted.name, reading)
        return None

    async def _filled(self, one: Wording, question: str) -> tuple[dict[str, Value], float, tuple[str, ...]] | None:
        found = one.pattern.fullmatch(question)
        if found is None:
            return None
        values: dict[str, Value] = {}
        confidence = 1.0
        for name, type_ in one.slots.items():
            slot = await linked(self._store, type_, found[name])
            if slot is None:
                return None
            values[name] = slot[0]
            confidence *= slot[1]
        return values, confidence, tuple(found[name] for name, type_ in one.slots.items() if type_ not in VALUE_TYPES)

    async def _run(self, plan: Plan, confidence: float, mentions: tuple[str, ...]) -> PlanReading:
        timed = with_current_time(plan)
        result = await self._store.run(Plan((*timed.steps, Slice(MAX_ROWS))), MAX_ROWS)
        features = PlanFeatures.of_only_reading(len(result.rows), is_empty(result))
        return PlanReading(timed, timed, result, confidence, 1.0, (), mentions, features)

    def _reread(self) -> None:
        stamp = self._current_stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._questions = read_file(self._file)
        except InvalidInputError as error:
            log.warning("the trusted questions before the last change remain: %s", error.detail)
        else:
            self._checked = None

    def _current_stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size
