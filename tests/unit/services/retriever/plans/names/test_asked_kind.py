import pytest

from language.english.english import english
from services.retriever.plans.names.asked_kind import are_others, asked_kinds
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Which French-language film has the most actors?", {"Film"}),
        ("what films did Ann direct", {"Film"}),
        ("In which films does the person Ben play?", {"Film"}),
        ("Which films came after 1989?", {"Film"}),
        ("Which film persons are the oldest?", {"Person"}),
        ("whats the longest film that Ann directed", {"Film"}),
        ("What are the oldest films?", {"Film"}),
        ("List the five longest films with Ann", {"Film"}),
        ("Show me all films", {"Film"}),
        ("Who are the persons in Dune?", {"Person"}),
        ("Please give me the longest film", {"Film"}),
        ("What are the names of the persons in Dune?", {"Person"}),
        ("Did Ann ever list films?", set()),
        ("Which are the most starred in films?", {"Film"}),
        ("Which of them is a film?", set()),
        ("Who directed the film Dune?", set()),
        ("What is the length of the film?", set()),
    ],
)
def test_the_noun_after_which_or_what_names_a_kind(question: str, kinds: set[str]) -> None:
    assert asked_kinds(english(question), _ELEMENTS) == kinds


def test_nodes_of_other_kinds_are_not_what_was_asked_for() -> None:
    asked = frozenset({"Film"})

    assert are_others(asked, [("Person",), ("Person", "Actor")])
    assert not are_others(asked, [("Person",), ("Film",)])
    assert not are_others(asked, [])
    assert not are_others(asked, [()]), "nodes without kinds may be of any kind"
    assert not are_others(frozenset(), [("Person",)])
