import re
from itertools import chain

import numpy as np

from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import FIXED, MAX_COLUMNS, MAX_VARIABLES, Action, Op
from services.retriever.plans.predictor.encoding import ELEMENT_TYPES, ActionIndex, Link, encode_question, encode_schema
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_SCHEMA = encode_schema(_ELEMENTS)
_FILM, _PERSON = _ELEMENTS.kinds.index("Film"), _ELEMENTS.kinds.index("Person")
_DIRECTED = _SCHEMA.kinds + _ELEMENTS.connection_numbers["Person", "DIRECTED"]
_TITLE = _SCHEMA.kinds + _SCHEMA.connections + _ELEMENTS.property_numbers[False, "Film", "title"]


def test_types_of_elements() -> None:
    assert _SCHEMA.types[_FILM] == 0
    assert _SCHEMA.types[_DIRECTED] == 1
    assert _SCHEMA.types.max() < ELEMENT_TYPES
    assert _SCHEMA.types[_TITLE] == ELEMENT_TYPES - 1


def test_elements_are_linked_in_both_directions() -> None:
    assert _SCHEMA.links[_DIRECTED, _PERSON] == Link.LEAVES
    assert _SCHEMA.links[_PERSON, _DIRECTED] == Link.SOURCE_OF
    assert _SCHEMA.links[_DIRECTED, _FILM] == Link.REACHES
    assert _SCHEMA.links[_FILM, _TITLE] == Link.KIND_HAS
    assert _SCHEMA.links[_TITLE, _FILM] == Link.PROPERTY_OF
    assert (np.diag(_SCHEMA.links) == Link.SELF).all()


def test_words_and_values_are_linked_to_elements() -> None:
    question = "Who directed films like Heat?"
    offsets = [found.span() for found in re.finditer(r"\w+", question)]
    stored = {_TITLE - _SCHEMA.kinds - _SCHEMA.connections: "Heat"}
    value = QuestionValue(24, 28, ValueForm.TEXT, "Heat", "Heat", stored)
    encoded = encode_question(english(question), offsets, [value], _SCHEMA)
    tokens, row = len(offsets), len(offsets) + len(_SCHEMA.types)
    assert encoded.links[1, tokens + _DIRECTED] == Link.WORD_NAMES_ELEMENT
    assert encoded.links[tokens + _FILM, 2] == Link.ELEMENT_NAMED_BY_WORD
    assert encoded.links[row, 4] == Link.VALUE_OF_TOKEN
    assert encoded.links[row, tokens + _TITLE] == Link.VALUE_STORED_IN
    assert encoded.spans.tolist() == [[4, 5]]
    assert encode_question(english(""), [], [], _SCHEMA).spans.shape == (0, 2)


def test_words_are_linked_to_elements_that_abbreviate_them() -> None:
    kinds = {"eqp": KindSchema(2, {"is_rnt": PropertySchema(frozenset({ValueType.BOOLEAN}), ValueType.BOOLEAN)})}
    schema = encode_schema(SchemaElements.of(GraphSchema(kinds, {})))
    question = "Which equipment is rented?"
    offsets = [found.span() for found in re.finditer(r"\w+", question)]
    links = encode_question(english(question), offsets, [], schema).links
    tokens = len(offsets)
    assert links[1, tokens] == Link.WORD_NAMES_ELEMENT
    assert links[3, tokens + 1] == Link.WORD_NAMES_ELEMENT
    assert links[0, tokens] == links[3, tokens] == Link.NONE


def test_actions_have_different_numbers() -> None:
    index = ActionIndex(_SCHEMA, 3)
    pointers = {
        Op.KIND: _SCHEMA.kinds, Op.OUT: _SCHEMA.connections, Op.IN: _SCHEMA.connections, Op.BOTH: _SCHEMA.connections,
        Op.PROPERTY: len(_ELEMENTS.properties), Op.VALUE: 3, Op.FOCUS: MAX_VARIABLES, Op.VARIABLE: MAX_VARIABLES,
        Op.COLUMN: MAX_COLUMNS,
    }  # fmt: skip
    fixed = (Action(op) for op in Op if op < FIXED)
    pointing = (Action(op, number) for op, count in pointers.items() for number in range(count))
    numbers = [index(action) for action in chain(fixed, pointing)]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < index.size
