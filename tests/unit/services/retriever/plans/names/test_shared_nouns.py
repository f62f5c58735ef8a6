import pytest

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from language.english.english import english
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.names.shared_nouns import reads_one_of_several
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions

_NAME = {"name": PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)}


def _elements(*kinds: str) -> SchemaElements:
    return SchemaElements.of(GraphSchema({kind: KindSchema(3, _NAME, "name") for kind in kinds}, {}))


@pytest.mark.parametrize(
    ("question", "kinds", "is_several"),
    [
        ("How many bikes are there?", ("RoadBike", "CargoBike"), True),
        ("How many road bikes are there?", ("RoadBike", "CargoBike"), False),
        ("How many bikes are there?", ("RoadBike", "Car"), False),
        ("How many bikes are there?", ("RoadBike", "Bike"), False),
        ("How many riders are there?", ("RoadBike", "CargoBike"), False),
    ],
)
def test_a_noun_of_several_kinds(question: str, kinds: tuple[str, str], is_several: bool) -> None:
    elements = _elements(*kinds)
    plan = assemble(read_actions("KIND:RoadBike GROUP COUNT_ROWS END", elements), elements, QuestionConstants([], {}))

    assert reads_one_of_several(english(question), plan, elements) is is_several


def test_both_kinds_of_a_noun_may_be_read() -> None:
    elements = _elements("RoadBike", "CargoBike")
    words = "KIND:CargoBike HAS_KIND KIND:RoadBike GROUP COUNT_ROWS END"
    plan = assemble(read_actions(words, elements), elements, QuestionConstants([], {}))

    assert not reads_one_of_several(english("How many bikes are there?"), plan, elements)
