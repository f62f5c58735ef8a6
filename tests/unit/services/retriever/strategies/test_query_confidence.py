"""The confidence in a query of a model is low where the query does not use what the question says."""

import pytest

from graph.plan.result import PlanResult
from graph.store import Entity
from language.english.english import english
from language.mentions import Mention
from services.retriever.linking.selection import LinkedTopic
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.strategies.guard import read_query
from services.retriever.strategies.query_confidence import HIGHEST, in_view_of_plans, query_confidence, unread_parts

OTHER = PlanResult(("f",), (("c",),))
RESULT = PlanResult(("f",), (("a",), ("b",)))


@pytest.mark.parametrize(
    ("question", "query", "unread"),
    [
        ("Which films after 1999?", "MATCH (f:Film) WHERE f.year > 1999 RETURN f", []),
        ("Which films after 1999?", "MATCH (f:Film) WHERE f.year >= 2000 RETURN f", []),
        ("Which films after 1999?", "MATCH (f:Film) RETURN f", ["1999"]),
        ("Films of the 1990s?", "MATCH (f:Film) WHERE f.year >= 1990 AND f.year < 2000 RETURN f", []),
        ("Films of the 1990s?", "MATCH (f:Film) WHERE f.year = 1970 RETURN f", ["1990s"]),
        ("Films since the 90s?", "MATCH (f:Film) WHERE f.year >= 1990 RETURN f", []),
        ("Films after nineteen ninety-nine?", "MATCH (f:Film) RETURN f", ["nineteen ninety-nine"]),
        ("Name the three best films", "MATCH (f:Film) RETURN f ORDER BY f.rating DESC LIMIT 3", []),
        ("Films titled 'Delete'?", "MATCH (f:Film) WHERE f.title = 'delete' RETURN f", []),
        ("Films titled 'Delete'?", "MATCH (f:Film) RETURN f", ["'Delete'"]),
        ("Which directors won an Oscar?", "MATCH (p)-[:WON]->(:Oscar) RETURN p", []),
    ],
)
def test_values_that_a_query_does_not_use_are_unread(question: str, query: str, unread: list[str]) -> None:
    assert unread_parts(english(question), read_query(query), []) == unread


@pytest.mark.parametrize(("name", "unread"), [("Ardenia", []), ("Borland", ["ardeniya"])])
def test_a_linked_name_that_a_query_does_not_use_is_unread(name: str, unread: list[str]) -> None:
    question = "capital of ardeniya"
    topic = LinkedTopic(Entity("1", "Ardenia"), Mention(11, 19, "ardeniya", 1), 0.9)

    plan = read_query(f"MATCH (c {{name: '{name}'}})-[:CAPITAL]->(x) RETURN x")

    assert unread_parts(english(question), plan, [topic]) == unread


def test_each_doubt_lowers_the_confidence() -> None:
    sure = query_confidence(english("Which?"), RESULT, 0, 0, [])

    assert sure == HIGHEST
    assert query_confidence(english("Which?"), RESULT, 1, 0, []) < sure
    assert query_confidence(english("Which?"), RESULT, 0, 1, []) < sure
    assert query_confidence(english("Which?"), RESULT, 0, 0, ["x"]) < sure


@pytest.mark.parametrize(
    ("readings", "least", "most"),
    [
        ([(RESULT, 0.9)], 0.9, 0.9),
        ([(OTHER, 0.9), (RESULT, 0.3)], HIGHEST, HIGHEST),
        ([(RESULT, 0.1)], 0.4, 0.49),  # the plan would not be an answer itself
        ([(OTHER, 0.9), (RESULT, 0.1)], 0.4, 0.49),
        ([], 0.4, 0.49),
        ([(OTHER, 0.1)], 0.4, 0.49),
        ([(OTHER, 0.9)], 0.0, 0.3),
    ],
)
def test_plans_confirm_or_contradict_a_query(
    readings: list[tuple[PlanResult, float]], least: float, most: float
) -> None:
    plan = read_query("MATCH (f:Film) RETURN f")
    features = PlanFeatures.of_only_reading(1, is_empty=False)
    read = [PlanReading(plan, plan, result, sure, 1.0, (), (), features) for result, sure in readings]

    assert least <= in_view_of_plans(HIGHEST, RESULT, read, threshold=0.2) <= most


def test_a_count_of_zero_is_doubted_unless_the_question_asks_whether() -> None:
    zero = PlanResult(("n",), ((0,),))

    assert query_confidence(english("How many films?"), zero, 0, 0, []) < HIGHEST
    assert query_confidence(english("Are there films?"), zero, 0, 0, []) == HIGHEST
