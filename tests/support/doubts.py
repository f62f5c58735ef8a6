"""Ask which doubts hold for a plan."""

from collections.abc import Sequence

from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from language.english.english import english
from language.values import QuestionValue
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.judging.doubt import Candidate
from services.retriever.plans.judging.registry import DOUBTS
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions


def doubts_of(
    schema: GraphSchema, question: str, values: Sequence[QuestionValue], plan: str, result: PlanResult
) -> set[str]:
    """Return the names of the doubts that hold for a plan in the notation of `read_actions`, which gave a result."""
    elements = SchemaElements.of(schema)
    numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}
    actions = read_actions(plan, elements)
    candidate = Candidate(actions, assemble(actions, elements, QuestionConstants(values, numbers)), result)
    asked = AskedQuestion(english(question), values, elements, schema)
    return {one.name for one in DOUBTS if one.holds(candidate, asked)}
