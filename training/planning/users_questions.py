"""Turn the questions that users bring into questions with plans: from plans, Cypher, relation paths, or answers."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.value_text import value_text
from graph.store import split_step
from language.english.english import english
from question_sets.plan_questions import PlanQuestion, require_fit
from question_sets.records import QuestionRecord
from services.retriever.plans.planner import Planner
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import InvalidInputError, KGQAError
from shared.exact_match import exact
from training.planning.calibration.judging import gives
from training.planning.own_questions import OWN
from training.planning.plan_kinds import with_kinds

log = logging.getLogger(__name__)

_SOURCE = "users"
_NOT_FOUND = "no plan was found that gives the answers; correct these, or give a plan or a Cypher query"
_NO_ANSWERS = "nothing says how it is answered; give a plan, a Cypher query, or answers"


@dataclass
class UsersQuestions:
    """Hold questions with plans, and the questions without one, by reason."""

    questions: list[PlanQuestion] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


async def users_questions(view: GraphView, records: Sequence[QuestionRecord], planner: Planner) -> UsersQuestions:
    """Find a plan for each question.

    A question that has only answers gets the first plan of the planner that gives exactly these answers.

    Args:
        view: The graph.
        records: The questions.
        planner: A planner with the base model.
    """
    found = UsersQuestions()
    schema = await view.store.schema()
    for record in records:
        try:
            plan = await _plan_of(view, schema, record, planner)
        except (KGQAError, UnsupportedCypherError) as error:
            found.skipped[str(error)].append(record.question)
            continue
        if plan is None:
            found.skipped[_NOT_FOUND if record.answers else _NO_ANSWERS].append(record.question)
        else:
            found.questions.append(PlanQuestion(record.question, plan, OWN, _SOURCE))
    return found


async def _plan_of(view: GraphView, schema: GraphSchema, record: QuestionRecord, planner: Planner) -> Plan | None:
    if record.plan is not None or record.cypher is not None:
        plan = record.plan or read_cypher(record.cypher or "")
        require_fit(plan, schema)
        return await with_kinds(plan, view)
    if record.path and record.topic:
        return await _plan_of_path(view, record.topic, record.path)
    gold = {exact(answer) for answer in record.answers}
    if not gold:
        return None
    readings = await planner.read(english(record.question))
    return next((one.read for one in readings if _texts(one.result) == gold or gives(record, one.result)), None)


def _texts(result: PlanResult) -> set[str]:
    return {exact(value_text(row[0])) for row in result.rows if row}


async def _plan_of_path(view: GraphView, topic: str, path: Sequence[str]) -> Plan:
    """Return the plan of a relation path, whose nodes have the kinds that its relations connect."""
    schema = view.schema
    [matches] = await view.store.entities_named([topic])
    if not matches:
        raise InvalidInputError(f"the graph has no entity called {topic!r}; correct the topic of the question")
    entity = matches[0].entity
    kind = (await view.kinds_of([entity])).get(entity.id, "")
    elements = SchemaElements.of(schema)
    key = elements.name_properties.get(kind)
    if key is None:
        raise InvalidInputError(f"the nodes of kind {kind!r} have no property that names them")
    nodes, links, at = [NodePattern("n0", (kind,) if kind else ())], [], kind
    for hop, step in enumerate(path, 1):
        relation, is_inverse = split_step(step)
        described = schema.relationships.get(relation)
        if described is None:
            raise InvalidInputError(f"the graph has no relation {relation!r}; correct the path of the question")
        ends = sorted(described.ends or {("", "")})
        start, end = (1, 0) if is_inverse else (0, 1)
        at = next((pair[end] for pair in ends if pair[start] == at), ends[0][end])
        nodes.append(NodePattern(f"n{hop}", (at,) if at else ()))
        source, target = (f"n{hop}", f"n{hop - 1}") if is_inverse else (f"n{hop - 1}", f"n{hop}")
        links.append(RelationshipPattern(source, target, (relation,)))
    named = Comparison("=", Property("n0", key), Constant(entity.name))
    last = nodes[-1].variable
    pattern = Match(tuple(nodes), tuple(links), named)
    return await with_kinds(Plan((pattern, Project((Column(last, Variable(last)),), distinct=True))), view)
