"""Ask confirmed questions again, each without itself among the confirmed ones, and count what these bring."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from contracts.confirmed_questions import LEAST_CONFIRMED, ConfirmedQuestion
from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from language.english.english import english
from language.marks import Mark
from services.retriever.plans.planner import Planner
from services.retriever.plans.running import run_for_answers
from shared.errors import KGQAError
from training.planning.calibration.judging import is_as_true, is_right
from training.planning.confirming import Confirmed

_FOLDS = 5
_MOST_ASKED = 200
_SURE = 0.5

Progress = Callable[[int, int], None]
"""Takes the number of questions asked so far, and the number of all."""


@dataclass(frozen=True)
class Readings:
    """Hold the questions that are read right, and those that are read wrong with a confidence of at least 0.5."""

    right: tuple[str, ...] = ()
    sure_but_wrong: tuple[str, ...] = ()

    def __add__(self, other: "Readings") -> "Readings":
        return Readings((*self.right, *other.right), (*self.sure_but_wrong, *other.sure_but_wrong))


@dataclass(frozen=True)
class ConfirmedCheck:
    """Hold how many questions were `asked`, and how they are read before others are confirmed, and after."""

    asked: int
    before: Readings
    after: Readings

    @property
    def is_worse(self) -> bool:
        """Return whether fewer questions are read right afterwards, or more are confidently read wrong."""
        fewer = len(self.after.right) < len(self.before.right)
        return fewer or len(self.after.sure_but_wrong) > len(self.before.sure_but_wrong)

    @property
    def misled(self) -> list[str]:
        """Return the questions that were read right or not confidently before, and are no longer."""
        lost = [one for one in self.before.right if one not in self.after.right]
        return list(
            dict.fromkeys((*lost, *(one for one in self.after.sure_but_wrong if one not in self.before.sure_but_wrong)))
        )


async def check_confirmed(confirmed: Confirmed, planner: Planner, progress: Progress) -> ConfirmedCheck | None:
    """Read up to 200 of the questions with none of them confirmed, and with four fifths, to which they do not belong.

    Args:
        confirmed: The questions, with the plans that read them right.
        planner: Reads questions over their graph; afterwards, it proposes the plans of some of them.
        progress: Called after each question.

    Returns:
        The comparison; None if four fifths are too few to propose anything.

    Raises:
        DependencyError: The graph store does not respond.
    """
    questions = confirmed.questions
    if len(questions) - -(-len(questions) // _FOLDS) < LEAST_CONFIRMED:
        return None
    chosen = questions[:: -(-len(questions) // _MOST_ASKED)]
    wanted = {one.question: await _result(confirmed.plans[one.question], planner) for one in chosen}
    place = count(1)

    async def read(asked: Sequence[ConfirmedQuestion]) -> Readings:
        found = Readings()
        for one in asked:
            found += await _read(one, wanted[one.question], planner)
            progress(next(place), 2 * len(chosen))
        return found

    before, after = await read(chosen), Readings()
    known = [(one.question, await planner.known_plans([one])) for one in questions]
    for fold in range(_FOLDS):
        left_out = {one.question for one in questions[fold::_FOLDS]}
        await planner.remember([plan for question, plans in known if question not in left_out for plan in plans])
        after += await read([one for one in chosen if one.question in left_out])
    return ConfirmedCheck(len(chosen), before, after)


async def _result(plan: Plan, planner: Planner) -> PlanResult | None:
    """Return the result of the plan of a question; None if it does not run."""
    view = await planner.view()
    try:
        return (await run_for_answers(view.store, view.runnable(plan))).result
    except KGQAError:
        return None


async def _read(one: ConfirmedQuestion, wanted: PlanResult | None, planner: Planner) -> Readings:
    """Read a question, and compare the first result with the wanted one."""
    question = english(one.question)
    try:
        readings = await planner.read(question)
    except KGQAError:
        return Readings()
    if wanted is None or not readings:
        return Readings()
    first = readings[0]
    if _is_right(wanted, first.result, first.asks_whether or question.says(Mark.WHETHER)):
        return Readings(right=(one.question,))
    return Readings(sure_but_wrong=(one.question,) if first.confidence >= _SURE else ())


def _is_right(wanted: PlanResult, found: PlanResult, asks_whether: bool) -> bool:
    return is_right(wanted, found) or (asks_whether and is_as_true(wanted, found))
