import pytest

from contracts.retrieve import TopicEntity
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
        ("Who created the film Frozen?", ["Frozen"], _FROZEN, 1),
        ("Who sang Frozen, the song?", ["Frozen"], _FROZEN, 1),
        ("Who is the mayor of Springfield?", ["Springfield"], _SPRINGFIELD, 2),
        ("Who is the mayor of the city of Springfield?", ["Springfield"], _SPRINGFIELD, 2),
        ("Who is the mayor of Springfield, Illinois?", ["Springfield", "Illinois"], _SPRINGFIELD, 1),
        ("Who is the mayor of Springfield?", ["Springfield"], _SPRINGFIELD[:1], 1),
        ("Which cities are there?", ["City"], [], 1),
    ],
)
def test_the_question_tells_namesakes_apart(
    question: str, values: list[str], topics: list[TopicEntity], number: int
) -> None:
    assert undecided_entities(english(question), read_plan({"steps": _plan(*values)}), topics, _KINDS) == number
