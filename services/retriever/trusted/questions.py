"""Recognise the questions that an owner trusts."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from contracts.trusted_questions import TrustedQuestion, Wording, check, read_file, wording
from graph.plan.algebra import Plan
from graph.store import GraphStore
from language.comparable import comparable
from language.question import Question
from services.retriever.encoder.encoder import Encoder
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import is_empty
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.trusted.paraphrases import Paraphrases, ReadAsPlans, packaged_encoder, run_now
from services.retriever.trusted.slots import FilledSlots, filled_plan, filled_slots
from shared.errors import InvalidInputError, PlanLimitError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrustedReading:
    """A reading of a question by the plan of the trusted question with this name."""

    name: str
    reading: PlanReading


class TrustedQuestions:
    """Read questions by a file of trusted ones, which is read again when it changes.

    Questions that do not fit the graph are left out, and named in the log; so are all of a file that this user may not
    read. Raises InvalidInputError if the file is malformed when the service starts; later, the questions before the
    change remain.
    """

    def __init__(self, store: GraphStore, file: Path, encoder: Callable[[], Encoder] = packaged_encoder) -> None:
        """Read the questions in `file`; the `encoder` is loaded when words are first compared."""
        self._store = store
        self._encoder = encoder
        self._file = file
        self._is_readable = True
        self._stamp = self._current_stamp()
        self._questions = self._read()
        self._checked: list[tuple[TrustedQuestion, list[Wording]]] | None = None
        self._paraphrases: Paraphrases | None = None

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
        self._paraphrases = Paraphrases(self._store, [question for question, _ in fitting], schema, self._encoder)

    async def read(self, question: Question, read: ReadAsPlans | None = None) -> TrustedReading | None:
        """Return the reading of a question by the first trusted one that it is a wording of, or else the one it means.

        Where words do not tell, it means the one whose plan is the best reading that `read` returns. Returns None if
        there is none, or if the question may mean several.
        The confidence is that of the slots, because an owner vouches for the plan; a little less if the model told it.
        """
        self._reread()
        if self._checked is None or self._paraphrases is None:
            await self.check()
        found = await self._worded(question)
        if found is None and self._paraphrases is not None:
            found = await self._paraphrases.find(question, read)
        if found is None:
            return None
        trusted, slots = found
        try:
            plan = filled_plan(trusted, slots, question, await self._store.schema())
            reading = await self._run(plan, slots.confidence, slots.mentions)
        except PlanLimitError as error:
            log.warning("the plan of the trusted question %s is not used: %s", trusted.name, error.detail)
            return None
        return TrustedReading(trusted.name, reading)

    async def _worded(self, question: Question) -> tuple[TrustedQuestion, FilledSlots] | None:
        said = comparable(question.text)
        for trusted, wordings in self._checked or ():
            for one in wordings:
                if (found := one.pattern.fullmatch(said)) is not None:
                    texts = {name: question.reworded(text) for name, text in found.groupdict().items()}
                    slots = await filled_slots(self._store, one.slots, texts)
                    if slots is not None:
                        return trusted, slots
        return None

    async def _run(self, plan: Plan, confidence: float, mentions: tuple[str, ...]) -> PlanReading:
        ran = await run_now(self._store, plan)
        features = PlanFeatures.of_only_reading(len(ran.result.rows), is_empty(ran.result))
        return PlanReading(ran.plan, ran.plan, ran.result, confidence, 1.0, (), mentions, features, tied=ran.tied)

    def _reread(self) -> None:
        stamp = self._current_stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._questions = self._read()
        except InvalidInputError as error:
            log.warning("the trusted questions before the last change remain: %s", error.detail)
        else:
            self._checked = None

    def _read(self) -> list[TrustedQuestion]:
        """Read the file; other questions are answered even if this user may not read it."""
        try:
            found, self._is_readable = read_file(self._file), True
        except OSError as error:
            self._stamp = None  # a change of permissions is no change of the file, so try again
            if self._is_readable:
                text = "the trusted questions in %s are left out: %s; let the user of this service read the file"
                log.warning(text, self._file, error.strerror)
            found, self._is_readable = [], False
        return found

    def _current_stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
