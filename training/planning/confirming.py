"""Turn questions with known plans, paths, or answers into confirmed ones, whose plans are proposed for others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.confirmed_questions import ConfirmedQuestion
from graph.plan.algebra import Plan
from graph.store import GraphStore
from language.english.english import english
from language.values import QuestionValue
from question_sets.records import QuestionRecord
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.stored_actions import stored_actions
from services.retriever.plans.schema.graph_view import GraphView
from training.planning.example_making import make_examples
from training.planning.examples import Example, SchemaInput
from training.planning.own_questions import OWN
from training.planning.users_questions import users_questions

_SEED = 1
_NO_VALUE = "its plan uses a value that the question does not state; write it as the graph spells it"


@dataclass
class Confirmed:
    """Hold confirmed questions, the plan of each, and the questions that cannot be confirmed, by reason."""

    questions: list[ConfirmedQuestion] = field(default_factory=list)
    plans: dict[str, Plan] = field(default_factory=dict)
    skipped: dict[str, list[str]] = field(default_factory=dict)


async def confirmed_questions(store: GraphStore, records: Sequence[QuestionRecord], planner: Planner) -> Confirmed:
    """Find the actions of the plan of each question.

    A question that has only answers gets the first plan of the planner that gives exactly these answers.

    Args:
        store: The graph.
        records: The questions.
        planner: Reads questions over the same graph.

    Raises:
        DependencyError: The graph store does not respond.
    """
    view = await GraphView.of(store)
    schema = SchemaInput(view.schema)
    given = await users_questions(view, records, planner)
    made = make_examples(given.questions, {OWN: schema}, _SEED)
    plans = {one.question: one.plan for one in given.questions}
    skipped = {
        reason: [*given.skipped.get(reason, ()), *made.skipped.get(reason, ())]
        for reason in (*given.skipped, *made.skipped)
    }
    confirmed = Confirmed(plans=plans, skipped=skipped)
    for example in made.examples:
        values = await planner.values(english(example.question).in_known_words)
        actions = _with_values(example, values)
        if actions is None:
            confirmed.skipped.setdefault(_NO_VALUE, []).append(example.question)
        else:
            stored = stored_actions(actions, values, schema.elements)
            confirmed.questions.append(ConfirmedQuestion(question=example.question, actions=stored))
    return confirmed


def _with_values(example: Example, values: Sequence[QuestionValue]) -> list[Action] | None:
    """Return the actions with the values that serving finds in the question where the plan has those of the example."""
    places: dict[int, int] = {}
    for number in {one.number for one in example.actions if one.op is Op.VALUE}:
        old = example.values[number]
        shared = [min(old.end, new.end) - max(old.start, new.start) for new in values]
        if not shared or max(shared) <= 0:
            return None
        places[number] = shared.index(max(shared))
    return [Action(Op.VALUE, places[one.number]) if one.op is Op.VALUE else one for one in example.actions]
