"""Ask questions about small graphs, as rules about plans look at them."""

from collections.abc import Sequence

from graph.plan.schema import GraphSchema
from language.english.english import english
from language.values import QuestionValue
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements


def asked_about(schema: GraphSchema, text: str, values: Sequence[QuestionValue] | None = None) -> AskedQuestion:
    """Return a question about a graph, with the values that it states, unless others are given."""
    question = english(text)
    return AskedQuestion(question, question.stated if values is None else values, SchemaElements.of(schema), schema)
