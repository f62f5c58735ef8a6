"""List the rewrites in the order in which they are applied to a predicted plan."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from graph.plan.algebra import Plan
from services.retriever.plans.accounting.unread import unread_words
from services.retriever.plans.grammar.actions import Action
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.rewriting.ages import as_ages
from services.retriever.plans.rewriting.calendar_groups import by_period
from services.retriever.plans.rewriting.compared_nodes import as_compared
from services.retriever.plans.rewriting.counted_kind import counting_once
from services.retriever.plans.rewriting.differences import as_asked
from services.retriever.plans.rewriting.multiplicity import aggregating_once, without_unasked_joins
from services.retriever.plans.rewriting.negated_names import negating_relationships
from services.retriever.plans.rewriting.ordinals import as_ranked
from services.retriever.plans.rewriting.same_nodes import as_same_node
from services.retriever.plans.rewriting.totals import as_total
from services.retriever.plans.rewriting.unsaid_kinds import reaching_all_kinds
from services.retriever.plans.rewriting.voices import as_voiced
from services.retriever.plans.rules import Example, Rule


@dataclass(frozen=True, slots=True)
class Rewrite(Rule):
    """Describe a rewrite, which makes another plan of a predicted one.

    Attributes:
        apply: Returns the plan that is meant; the given one if the rewrite does not apply.
        if_all_read: Whether it applies only to plans that account for all words of the question, because a word that is
            unread may be another name of what the rewrite would drop.
    """

    apply: Callable[[Plan, AskedQuestion], Plan]
    if_all_read: bool = False


_BODIES = "(:Country {name: STRING})-[:member_of]->(:Body {name: STRING, seat: STRING})"
_FILMS = "(:Person {name: STRING})-[:ACTED_IN]->(:Film {name: STRING})\n(:Person)-[:DIRECTED]->(:Film)"
_JOBS = "(:Job {name: STRING, cost: INTEGER, billed_on: DATE})"
_DEPOTS = "(:Driver {name: STRING})-[:works_at]->(:Depot {name: STRING, capacity: INTEGER})"

_TRAINING = "(:Caver {name: STRING})-[:TRAINED]->(:Caver)"

REWRITES = (
    Rewrite(
        name="voices",
        looks_at="who does what a verb says, by its voice or its noun: `was trained by Ann`, `Ann's trainer`",
        does="leads the relationship between two nodes of one kind in this direction",
        example=Example(
            schema=_TRAINING,
            question="Who was trained by Ann?",
            plan="MATCH (a:Caver)-[:TRAINED]->(b:Caver) WHERE b.name = 'Ann' RETURN a",
            becomes="MATCH (a:Caver)<-[:TRAINED]-(b:Caver) WHERE b.name = 'Ann' RETURN a",
        ),
        apply=as_voiced,
    ),
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
        name="compared-nodes",
        looks_at="the node that the question names, and the one that the plan compares with it",
        does="returns the other node",
        example=Example(
            schema=_JOBS,
            question="Which jobs cost more than Alpha?",
            plan="MATCH (a:Job), (b:Job) WHERE b.name = 'Alpha' AND a.cost > b.cost RETURN b",
            becomes="MATCH (a:Job), (b:Job) WHERE b.name = 'Alpha' AND a.cost > b.cost RETURN a AS b",
        ),
        apply=as_compared,
    ),
    Rewrite(
        name="same-nodes",
        looks_at="a noun with a clause about the people of the question, and two nodes of its kind",
        does="lets one node stand for both",
        example=Example(
            schema=_FILMS,
            question="Who acted in a film that they directed?",
            plan="MATCH (a:Person)-[:ACTED_IN]->(b:Film), (a)-[:DIRECTED]->(c:Film) RETURN a",
            becomes="MATCH (a:Person)-[:ACTED_IN]->(b:Film), (a)-[:DIRECTED]->(b) RETURN a",
        ),
        apply=as_same_node,
    ),
    Rewrite(
        name="counted-nodes",
        looks_at="the noun that is counted, and the only node of its kind",
        does="counts these nodes, each of them once",
        example=Example(
            schema=_FILMS,
            question="How many persons acted in films?",
            plan="MATCH (a:Person)-[:ACTED_IN]->(b:Film) RETURN count(*) AS n",
            becomes="MATCH (a:Person)-[:ACTED_IN]->(b:Film) RETURN count(DISTINCT a) AS n",
        ),
        apply=counting_once,
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
        name="ages",
        looks_at="a word for age, and comparisons of years with small numbers",
        does="compares the years that have passed",
        example=Example(
            schema="(:Pet {name: STRING, born: INTEGER})",
            question="Which pets are older than 5?",
            plan="MATCH (a:Pet) WHERE a.born > 5 RETURN a",
            becomes="MATCH (a:Pet) WHERE date().year - a.born > 5 RETURN a",
        ),
        apply=as_ages,
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
        name="ordinals",
        looks_at="an ordinal, and the first rows of an order",
        does="takes the one row with this number",
        example=Example(
            schema=_JOBS,
            question="Which is the third most expensive job?",
            plan="MATCH (a:Job) RETURN a ORDER BY a.cost DESC LIMIT 1",
            becomes="MATCH (a:Job) RETURN a ORDER BY a.cost DESC SKIP 2 LIMIT 1",
        ),
        apply=as_ranked,
    ),
    Rewrite(
        name="unsaid-kinds",
        looks_at="the kinds of nodes to which a relationship leads, and what the question calls them",
        does="drops a kind that the question does not name",
        example=Example(
            schema="(:Donor {name: STRING})-[:donated_to]->(:Dog {name: STRING})\n"
            "(:Donor)-[:donated_to]->(:Hut {name: STRING})",
            question="What has Ann donated to?",
            plan="MATCH (hut:Hut)<-[:donated_to]-(a:Donor) WHERE a.name = 'Ann' RETURN hut",
            becomes="MATCH (node)<-[:donated_to]-(a:Donor) WHERE a.name = 'Ann' RETURN node",
        ),
        apply=reaching_all_kinds,
        if_all_read=True,
    ),
    Rewrite(
        name="unasked-joins",
        looks_at="relationships of an aggregated pattern, and what the question calls them and their nodes",
        does="drops those of which the question says nothing",
        example=Example(
            schema=_DEPOTS,
            question="What is the total capacity of all depots?",
            plan="MATCH (a:Driver)-[:works_at]->(b:Depot) RETURN sum(b.capacity) AS total",
            becomes="MATCH (b:Depot) RETURN sum(b.capacity) AS total",
        ),
        apply=without_unasked_joins,
        if_all_read=True,
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


def rewritten(plan: Plan, asked: AskedQuestion, actions: Sequence[Action], without: Collection[str] = ()) -> Plan:
    """Return the plan that a question means.

    Args:
        plan: The predicted plan.
        asked: The question.
        actions: The actions that were predicted.
        without: The names of the rewrites that are left out.
    """
    for one in REWRITES:
        changed = plan if one.name in without else one.apply(plan, asked)
        is_unsure = one.if_all_read and changed != plan
        if not is_unsure or not unread_words(asked.question, actions, asked.values, asked.elements):
            plan = changed
    return plan
