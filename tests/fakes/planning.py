"""A predictor that returns the plans which a test writes down."""

from collections.abc import Mapping, Sequence

from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.predictor.confirmed import KnownPlan
from services.retriever.plans.predictor.search import PredictedActions
from services.retriever.plans.schema.schema_elements import SchemaElements

Script = Sequence[tuple[str, float]]
"""Plans in the notation of `read_actions`, with the logarithms of their probabilities."""


class ScriptedPlans:
    """Predict the plans that the script has for a question, and none for other questions."""

    def __init__(self, script: Mapping[str, Script], elements: SchemaElements) -> None:
        self._script = script
        self.elements = elements
        self.known: Sequence[KnownPlan] = ()

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        """Return the scripted plans, as `PlanPredictor.predict` does."""
        found = [
            PredictedActions(read_actions(text, self.elements), log)
            for text, log in self._script.get(question.text, ())
        ]
        return sorted(found, key=lambda one: -one.log_probability)[:width]

    def remember(self, known: Sequence[KnownPlan]) -> None:
        """Keep what is known, for tests to look at."""
        self.known = tuple(known)


def read_actions(text: str, elements: SchemaElements) -> tuple[Action, ...]:
    """Read actions such as `KIND:Film IN:Person.ACTED_IN PROPERTY:Film.year GREATER VALUE:0 RETURN VARIABLE:0 END`."""
    return tuple(_action(part, elements) for part in text.split())


def _action(text: str, elements: SchemaElements) -> Action:
    name, _, target = text.partition(":")
    op = Op[name]
    owner, _, key = target.partition(".")
    match op:
        case Op.KIND:
            return Action(op, elements.kinds.index(target))
        case Op.OUT | Op.IN | Op.BOTH:
            return Action(op, elements.connection_numbers[owner, key])
        case Op.PROPERTY:
            of_relationship = owner not in elements.kinds
            return Action(op, elements.property_numbers[of_relationship, owner, key])
    return Action(op, int(target or 0))
