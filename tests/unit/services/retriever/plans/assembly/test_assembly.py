import pytest

from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph


@pytest.mark.parametrize(
    "actions",
    [
        "KIND:Person OUT:Person.ACTED_IN GROUP SUM PROPERTY:ACTED_IN.roles END",
        "KIND:Person OUT:Person.ACTED_IN SORT PROPERTY:ACTED_IN.roles DESCENDING LIMIT ONE RETURN VARIABLE:0 END",
    ],
)
def test_lists_are_summed_and_sorted_by_their_sizes(actions: str) -> None:
    graph = StoredGraph(film_graph())
    elements = SchemaElements.of(graph.schema)
    sizes = [len(one.properties["roles"]) for one in film_graph().relationships if one.type == "ACTED_IN"]

    result = graph.run(assemble(read_actions(actions, elements), elements, QuestionConstants([], {})))

    assert result.rows[0][-1] == (sum(sizes) if "SUM" in actions else max(sizes))
