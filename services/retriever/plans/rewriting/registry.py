"""List the rewrites in the order in which they are applied to a predicted plan."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from graph.plan.algebra import Plan
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.rewriting.calendar_groups import by_period
from services.retriever.plans.rewriting.differences import as_asked
from services.retriever.plans.rewriting.multiplicity import aggregating_once
from services.retriever.plans.rewriting.negated_names import negating_relationships
from services.retriever.plans.rewriting.totals import as_total
from services.retriever.plans.rules import Example, Rule


@dataclass(frozen=True, slots=True)
class Rewrite(Rule):
    """Describe a rewrite, which makes another plan of a predicted one.

    Attributes:
        apply: Returns the plan that is meant; the given one if the rewrite does not apply.
    """

    apply: Callable[[Plan, AskedQuestion], Plan]


_BODIES = "(:Country {name: STRING})-[:member_of]->(:Body {name: STRING, seat: STRING})"
_JOBS = "(:Job {name: STRING, cost: INTEGER, billed_on: DATE})"
_DEPOTS = "(:Driver {name: STRING})-[:works_at]->(:Depot {name: STRING, capacity: INTEGER})"

REWRITES = (
    Rewrite(
        name="negated-relationships",
        looks_at="a negated verb, and conditions that a property has another value",
        does="asks for nodes without a relationship to the value, rather than with one to other values",
        example=Example(
            schema=_BODIES,
            question="Which countries do not belong to a body in Brussels?",
            plan="MATCH (a:Country)-[:member_of]->(b:Body) WHERE b.seat <> 'Brussels' RETURN a",
            becomes="MATCH (a:Country) WHERE NOT EXISTS "
            "{ MATCH (a)-[:member_of]->(b2:Body) WHERE b2.seat = 'Brussels' } RETURN a",
        ),
        apply=negating_relationships,
    ),
    Rewrite(
        name="differences",
        looks_at="`how much more`, `how old`, and the unit that is asked for",
        does="gives differences the sign and the unit, and turns dates into ages",
        example=Example(
            schema=_JOBS,
            question="How much less does Gamma cost than Alpha?",
            plan="MATCH (a:Job), (b:Job) WHERE a.name = 'Gamma' AND b.name = 'Alpha' RETURN a.cost - b.cost AS less",
            becomes="MATCH (a:Job), (b:Job) WHERE a.name = 'Gamma' AND b.name = 'Alpha' RETURN b.cost - a.cost AS less",
        ),
        apply=as_asked,
    ),
    Rewrite(
        name="totals",
        looks_at="`together`, `how much did`, and `average`, and the only number that the plan lists",
        does="adds the numbers up, or averages them",
        example=Example(
            schema=_JOBS,
            question="What did all the jobs cost together?",
            plan="MATCH (a:Job) RETURN DISTINCT a.cost",
            becomes="MATCH (a:Job) RETURN sum(a.cost) AS sum_cost",
        ),
        apply=as_total,
    ),
    Rewrite(
        name="calendar-groups",
        looks_at="`per month` and the like, and groups by dates",
        does="groups by this period",
        example=Example(
            schema=_JOBS,
            question="How many jobs were there per month?",
            plan="MATCH (a:Job) RETURN a.billed_on AS day, count(*) AS n",
            becomes="MATCH (a:Job) RETURN left(toString(date(a.billed_on)), 7) AS month, count(*) AS n",
        ),
        apply=by_period,
    ),
    Rewrite(
        name="repeated-nodes",
        looks_at="nodes whose numbers are added up, averaged, or counted, and which the pattern matches several times",
        does="aggregates each of them once",
        example=Example(
            schema=_DEPOTS,
            question="What is the total capacity of the depots with drivers?",
            plan="MATCH (a:Driver)-[:works_at]->(b:Depot) RETURN sum(b.capacity) AS total",
            becomes="MATCH (a:Driver)-[:works_at]->(b:Depot) WITH DISTINCT b RETURN sum(b.capacity) AS total",
        ),
        apply=aggregating_once,
    ),
)
"""The rewrites, in their order."""


def rewritten(plan: Plan, asked: AskedQuestion, without: Collection[str] = ()) -> Plan:
    """Return the plan that a question means.

    Args:
        plan: The predicted plan.
        asked: The question.
        without: The names of the rewrites that are left out.
    """
    for one in REWRITES:
        if one.name not in without:
            plan = one.apply(plan, asked)
    return plan
