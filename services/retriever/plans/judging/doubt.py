"""Define doubts: rules that find a plan wrong, incomplete, or unlikely."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from services.retriever.plans.accounting.unread import Part, Unread
from services.retriever.plans.assembly.plan_structure import Structure
from services.retriever.plans.grammar.actions import Action
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.rules import Example, Rule


class Effect(StrEnum):
    """Name what a doubt does to a plan; the calibration fits how much less a plan is trusted."""

    WRONG = "wrong"
    """The plan ranks below all others that are not incomplete, and is less trusted."""
    INCOMPLETE = "incomplete"
    """The plan leaves something unread: it ranks below complete ones, and is less trusted."""
    LAST = "last"
    """The plan comes after all others, and its confidence stays."""


@dataclass(frozen=True)
class Candidate:
    """Hold a plan that ran, as doubts look at it.

    Attributes:
        actions: The actions that were predicted.
        plan: The plan as it was read, which names inferred kinds if the graph has none of its own.
        result: Its result.
        structure: What the plan has.
        unread: The words of the question that it leaves unread.
        asks_whether: Whether it is to answer by yes or no.
    """

    actions: Sequence[Action]
    plan: Plan
    result: PlanResult
    structure: frozenset[Structure] = frozenset()
    unread: Sequence[Unread] = ()
    asks_whether: bool = False

    @property
    def unread_texts(self) -> list[str]:
        """Return the words and phrases that the plan leaves unread."""
        return [one.text for one in self.unread if one.text]

    @property
    def missed_words(self) -> set[str]:
        """Return the unread words that are neither operators nor names, nor name schema elements, in lower case."""
        return {word for one in self.unread if one.part is Part.WORD for word in one.text.lower().split()}


@dataclass(frozen=True, slots=True)
class DoubtExample(Example):
    """Hold a plan that a doubt holds for, which is its test.

    Attributes:
        right_question: Another question, whose plan this may be.
        right_plan: Another plan, in Cypher, which may be the question's.
        rows: The rows of the result; the nodes in it are given by their kinds, as `(:Film)`.
        right_rows: Rows that the plan may give.
        is_known: Whether the graph has the names of the question.
    """

    right_question: str | None = None
    right_plan: str | None = None
    rows: tuple[tuple[object, ...], ...] = ()
    right_rows: tuple[tuple[object, ...], ...] | None = None
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Doubt(Rule):
    """Describe a doubt about plans.

    Attributes:
        effect: What it does to a plan.
        holds: Returns whether it holds for a plan as an answer to a question.
    """

    example: DoubtExample
    effect: Effect
    holds: Callable[[Candidate, AskedQuestion], bool]
