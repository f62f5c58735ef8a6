"""Judge plans over a small company, in which Bo reports to Ann, who leads Apollo."""

from datetime import date

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from language.values import QuestionValue, ValueForm
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.doubts import doubts_of
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph

_SCHEMA = StoredGraph(
    PropertyGraph(
        (
            Node(0, frozenset({"Employee"}), {"name": "Ann", "born": date(1980, 2, 3), "age": 46}),
            Node(1, frozenset({"Employee"}), {"name": "Bo", "born": date(1990, 4, 5), "age": 36}),
            Node(2, frozenset({"Project"}), {"name": "Apollo"}),
        ),
        (Relationship(0, "rpts_to", 1, 0, {}), Relationship(1, "leads", 0, 2, {})),
    )
).schema
_ELEMENTS = SchemaElements.of(_SCHEMA)
_ANN = NodeRef("0", "Ann", ("Employee",))


def doubts_about(question: str, plan: str) -> set[str]:
    """Return the names of the doubts that hold for a plan in the notation of `read_actions`, whose result is Ann."""
    values = []
    if (start := question.find("Ann")) >= 0:
        number = _ELEMENTS.property_numbers[False, "Employee", "name"]
        values.append(QuestionValue(start, start + 3, ValueForm.TEXT, "Ann", "Ann", {number: "Ann"}))
    return doubts_of(_SCHEMA, question, values, plan, PlanResult(("first",), ((_ANN,),), "", {}))
