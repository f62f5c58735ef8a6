"""Hold a question together with what the graph knows of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from graph.plan.schema import GraphSchema
from language.english.asked_nouns import asked_noun
from language.question import Question
from language.values import QuestionValue
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.names.asked_kind import asked_kinds, modifiers, placed_kinds
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
        vectors: Compares words; without it, no rule does.
    """

    question: Question
    values: Sequence[QuestionValue]
    elements: SchemaElements
    schema: GraphSchema
    vectors: WordVectors | None = None

    @cached_property
    def asked_kinds(self) -> frozenset[str]:
        """Return the kinds that the question asks for; none if it names no kind."""
        return asked_kinds(self.question, self.elements)

    @cached_property
    def placed_kinds(self) -> frozenset[str]:
        """Return the kinds of what the question asks the place of; none if it asks for no place."""
        return placed_kinds(self.question, self.elements)

    @cached_property
    def modifiers(self) -> list[str]:
        """Return the words before the noun that the question asks for, in lower case."""
        return modifiers(self.question, self.elements)

    @cached_property
    def noun(self) -> str | None:
        """Return the noun that the question asks for or counts; None if it has none."""
        return asked_noun(self.question)

    @cached_property
    def without_operators_in_names(self) -> Question:
        """Return the question of the same length in which names have no operators: `The Shortest Day` is no order."""
        return without_operators(self.question, self.values)
