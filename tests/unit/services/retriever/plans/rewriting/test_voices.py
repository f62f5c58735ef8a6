import pytest

from graph.plan.algebra import Match, Plan
from services.retriever.plans.rewriting.voices import as_voiced
from tests.support.rule_examples import read_example


@pytest.mark.parametrize(
    ("type_", "question", "name", "is_turned"),
    [
        ("TRAINED", "Who was trained by Ann?", "b", True),
        ("TRAINED", "Who was trained by Ann?", "a", False),
        ("TRAINED", "Who trained Ann?", "b", False),
        ("TRAINED", "Who trained Ann?", "a", True),
        ("TRAINED_BY", "Who was trained by Ann?", "b", False),
        ("TRAINED_BY", "Who trained Ann?", "b", True),
        ("SUPERVISES", "Who is the supervisor of Ann?", "a", True),
        ("PARENT_OF", "Who is Ann's parent?", "a", True),
        ("PARENT_OF", "Who is Ann's parent?", "b", False),
        ("BOSS", "Who is Ann's boss?", "a", False),
        ("IN_CONTACT_WITH", "Who was contacted by Ann?", "b", False),
        ("TRAINED", "Who knows Ann?", "a", False),
    ],
)
def test_a_relationship_leads_from_the_one_who_does_it(type_: str, question: str, name: str, is_turned: bool) -> None:
    returned = "a" if name == "b" else "b"
    schema = f"(:Caver {{name: STRING}})-[:{type_}]->(:Caver)"
    pattern = f"MATCH (a:Caver)-[:{type_}]->(b:Caver) WHERE {name}.name = 'Ann' RETURN {returned}"
    asked, plan, _ = read_example(schema, question, pattern)

    assert _source(as_voiced(plan, asked)) == ("b" if is_turned else "a")


def _source(plan: Plan) -> str:
    [match] = [step for step in plan.steps if isinstance(step, Match)]
    return match.relationships[0].source


def test_what_is_said_of_two_names_must_agree() -> None:
    schema = "(:Caver {name: STRING})-[:TRAINED]->(:Caver)"
    pattern = "MATCH (a:Caver)-[:TRAINED]->(b:Caver) WHERE a.name = '{}' AND b.name = '{}' RETURN count(*) AS n"
    for first, second, source in (("Ann", "Bob", "b"), ("Bob", "Ann", "a")):
        asked, plan, _ = read_example(schema, "Was Ann trained by Bob?", pattern.format(first, second))

        assert _source(as_voiced(plan, asked)) == source


def test_a_relationship_between_nodes_of_two_kinds_stays_as_it_is() -> None:
    schema = "(:Caver {name: STRING})-[:TRAINED]->(:Dog {name: STRING})"
    asked, plan, _ = read_example(
        schema, "Who was trained by Ann?", "MATCH (a:Caver)-[:TRAINED]->(b:Dog) WHERE b.name = 'Ann' RETURN a"
    )

    assert as_voiced(plan, asked) is plan
