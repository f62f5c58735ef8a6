"""Make choices for the judge to learn from: a question, and plans of which some, or none, answer it.

Wrong plans are what a judge learns by: what the plan model takes for likely, what differs from the right plan by one
action, and all that is left when the schema lacks what the question needs.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from language.english.english import english
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.predictor.search import PlanSearch
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.examples import Example
from training.planning.judge.edits import edited
from training.planning.judge.reduced_schemas import reduced

_WIDTH = 5
_EDITS = 3
_COUNTS = (Op.COUNT_ROWS, Op.COUNT, Op.COUNT_DISTINCT)

SearchFor = Callable[[SchemaElements], PlanSearch]
Actions = tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold a question with plans; the first one is right if it `is_answerable`, and all others are wrong."""

    question: str
    elements: SchemaElements
    values: tuple[QuestionValue, ...]
    plans: tuple[Actions, ...]
    is_answerable: bool


def choices(examples: Iterable[Example], search_for: SearchFor, deleted: float, seed: int) -> Iterator[Choice]:
    """Yield a choice for each example, and, for a share of them, one over a schema that lacks what its plan needs.

    Args:
        examples: The examples.
        search_for: Returns the search of the plan model over a schema.
        deleted: The share of the examples that are also asked over such a schema.
        seed: The seed of what is edited and deleted.
    """
    rng = random.Random(seed)
    searches: dict[int, PlanSearch] = {}
    for one in examples:
        key = id(one.schema)
        if key not in searches:
            searches[key] = search_for(one.schema.elements)
        yield choice_of(one, searches[key], rng)
        if rng.random() < deleted and (less := reduced(one, rng)) is not None:
            elements, values = less
            if found := predicted(one.question, values, search_for(elements)):
                yield Choice(one.question, elements, tuple(values), tuple(found), is_answerable=False)


def choice_of(example: Example, search: PlanSearch, rng: random.Random) -> Choice:
    """Return a choice between the right plan of an example, likely plans, and edits of the right one.

    Args:
        example: The example.
        search: The search over the schema of the example.
        rng: The source of the edits.
    """
    gold = example.actions
    found = (*predicted(example.question, example.values, search), *edited(example, _EDITS, rng))
    wrong = [one for one in dict.fromkeys(found) if one != gold and not is_alike(one, gold)]
    return Choice(example.question, example.schema.elements, example.values, (gold, *wrong), is_answerable=True)


def predicted(question: str, values: Sequence[QuestionValue], search: PlanSearch) -> list[Actions]:
    """Return the plans that the plan model takes for likely."""
    return [one.actions for one in search.predict(english(question), values, _WIDTH)]


def is_alike(one: Actions, other: Actions) -> bool:
    """Return whether two plans may mean the same, as far as their actions tell: the same ones in another order.

    So may a truth value, and whether it is true; and counts of rows, and of different ones.
    """
    return bool({_form(one), _truth(one)} & {_form(other), _truth(other)})


def _form(actions: Actions) -> tuple[Action, ...]:
    """Return the actions of a plan in a fixed order, all counts as one, and without what is counted last."""
    plain = [Action(Op.COUNT_ROWS) if one.op in _COUNTS else one for one in actions if one.op is not Op.END]
    if len(plain) > 1 and plain[-2].op is Op.COUNT_ROWS:
        del plain[-1]
    distinct = (Action(Op.RETURN) if one.op is Op.RETURN_DISTINCT else one for one in plain)
    return tuple(sorted(distinct))


def _truth(actions: Actions) -> tuple[Action, ...]:
    """Return the actions of a plan that gives a truth value, or counts what has it, without those that do so."""
    dropped = (Op.TRUE, Op.GROUP, Op.COUNT_ROWS, Op.RETURN, Op.RETURN_DISTINCT, Op.END)
    return tuple(sorted(one for one in actions if one.op not in dropped))
