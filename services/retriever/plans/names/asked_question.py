"""Hold a question together with what the graph knows of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from graph.plan.schema import GraphSchema
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.names.asked_kind import asked_kinds
from services.retriever.plans.predictor.quiet_values import without_operators
from services.retriever.plans.schema.schema_elements import SchemaElements


@dataclass(frozen=True)
class AskedQuestion:
    """Hold a question about a graph; what rules look at beside a plan.

    Attributes:
        question: The question, in the words that the models know.
        values: The values that it states, with the properties that hold them.
        elements: What plans can name in the graph.
        schema: The schema of the graph, with given or inferred kinds.
        kinds_among: The kinds of the only nodes that it asks about; none if it asks about all.
    """

    question: Question
    values: Sequence[QuestionValue]
    elements: SchemaElements
    schema: GraphSchema
    kinds_among: frozenset[str] = frozenset()

    @cached_property
    def asked_kinds(self) -> frozenset[str]:
        """Return the kinds that the question asks for; none if it names no kind."""
        return asked_kinds(self.question, self.elements)

    @cached_property
    def without_operators_in_names(self) -> Question:
        """Return the question of the same length in which names have no operators: `The Shortest Day` is no order."""
        return without_operators(self.question, self.values)
