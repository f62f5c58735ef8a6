import pytest

from contracts.retrieve import TopicEntity
from graph.plan.algebra import Plan
from graph.plan.checks import read_plan
from language.english.english import english
from services.retriever.plans.names.undecided_names import undecided_entities

_KINDS = {"1": "Film", "2": "Song", "3": "City", "4": "City"}


def _topic(id_: str, name: str) -> TopicEntity:
    return TopicEntity(entity=name, id=id_, mention=name, score=0.5)


_FROZEN = [_topic("1", "Frozen"), _topic("2", "Frozen")]
_SPRINGFIELD = [_topic("3", "Springfield"), _topic("4", "Springfield")]


def _plan(*values: str) -> list[dict[str, object]]:
    conditions = [
        {
            "op": "comparison",
            "left": {"op": "property", "variable": "n", "key": "name"},
            "operator": "=",
            "right": {"op": "constant", "value": value},
        }
        for value in values
    ]
    where = conditions[0] if len(conditions) == 1 else {"op": "and", "conditions": conditions}
    return [
        {"op": "match", "nodes": [{"variable": "n"}], "where": where},
        {"op": "project", "columns": [{"name": "n", "value": {"op": "variable", "name": "n"}}]},
    ]


@pytest.mark.parametrize(
    ("question", "values", "topics", "number"),
    [
        ("Who created Frozen?", ["Frozen"], _FROZEN, 2),
        ("Who created the film Frozen?", ["Frozen"], _FROZEN, 0),
        ("Who sang Frozen, the song?", ["Frozen"], _FROZEN, 0),
        ("Who is the mayor of Springfield?", ["Springfield"], _SPRINGFIELD, 2),
        ("Who is the mayor of the city of Springfield?", ["Springfield"], _SPRINGFIELD, 2),
        ("Who is the mayor of Springfield, Illinois?", ["Springfield", "Illinois"], _SPRINGFIELD, 0),
        ("Who is the mayor of Springfield?", ["Springfield"], _SPRINGFIELD[:1], 0),
        ("Which cities are there?", ["City"], [], 0),
    ],
)
def test_the_question_tells_namesakes_apart(
    question: str, values: list[str], topics: list[TopicEntity], number: int
) -> None:
    undecided = undecided_entities(english(question), read_plan({"steps": _plan(*values)}), topics, _KINDS)

    assert len(undecided) == number


_TWO_PEOPLE = [_topic("5", "Ann Lee"), _topic("6", "Ann Lee"), _topic("7", "Bo Chen")]


def _pair(*links: dict[str, str]) -> Plan:
    named = [
        {
            "op": "comparison",
            "left": {"op": "property", "variable": variable, "key": "name"},
            "operator": "=",
            "right": {"op": "constant", "value": name},
        }
        for variable, name in (("a", "Ann Lee"), ("b", "Bo Chen"))
    ]
    nodes = [{"variable": "a"}, {"variable": "b"}]
    match = {"op": "match", "nodes": nodes, "relationships": links, "where": {"op": "and", "conditions": named}}
    return read_plan(
        {"steps": [match, {"op": "group", "keys": [], "aggregates": [{"name": "count", "function": "count"}]}]}
    )


def test_what_a_node_is_compared_with_does_not_tell_it_from_its_namesakes() -> None:
    asked = english("Does Ann Lee earn more than Bo Chen?")

    undecided = undecided_entities(asked, _pair(), _TWO_PEOPLE, {})

    assert [one.id for one in undecided] == ["5", "6"]


def test_what_a_node_is_connected_with_tells_it_from_its_namesakes() -> None:
    asked = english("Does the Ann Lee whom Bo Chen manages earn more than 2000?")

    assert undecided_entities(asked, _pair({"source": "b", "target": "a"}), _TWO_PEOPLE, {}) == []
