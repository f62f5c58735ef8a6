from language.values import QuestionValue, ValueForm
from services.retriever.plans.predictor.required_values import RequiredValues
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_NAME = _ELEMENTS.property_numbers[False, "Film", _ELEMENTS.name_properties["Film"]]


def _value(start: int, text: str, is_stored: bool = True) -> QuestionValue:
    stored = {_NAME: text} if is_stored else {}
    return QuestionValue(start, start + len(text), ValueForm.TEXT, text, text, stored)


def _missing(values: list[QuestionValue], actions: str = "KIND:Film RETURN VARIABLE:0 END") -> int:
    required = RequiredValues(values, _ELEMENTS)
    return required.missing(required.used(read_actions(actions, _ELEMENTS)))


def test_stored_values_are_required() -> None:
    values = [_value(0, "Dune"), _value(9, "Solaris")]

    assert _missing(values) == 2
    assert _missing(values, "KIND:Film IS VALUE:1 RETURN VARIABLE:0 END") == 1


def test_unknown_texts_and_words_of_the_schema_are_not_required() -> None:
    assert _missing([_value(0, "Dune", is_stored=False), _value(9, "films")]) == 0


def test_one_of_two_overlapping_values_is_enough() -> None:
    values = [_value(0, "Dune"), _value(0, "Dune Two")]

    assert _missing(values) == 1
    for number in range(2):
        assert _missing(values, f"KIND:Film IS VALUE:{number} RETURN VARIABLE:0 END") == 0


def test_a_question_of_many_names_requires_none_of_them() -> None:
    names = [_value(6 * place, "Dune") for place in range(9)]

    assert _missing(names[:8]) == 8
    assert _missing(names) == 0
