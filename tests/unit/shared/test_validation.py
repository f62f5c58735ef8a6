import pytest
from pydantic import TypeAdapter, ValidationError

from graph.plan.algebra import Plan
from shared.validation import error_text, without_consequences


def _errors(data: object) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Plan).validate_python(data)
    errors = without_consequences(caught.value.errors())
    return [(".".join(map(str, error["loc"])), error_text(error)) for error in errors]


def test_an_array_is_not_too_short_because_its_only_item_is_invalid() -> None:
    assert _errors({"steps": [{"op": "order", "keys": []}]}) == [
        ("steps.0.order.keys", "expected at least 1 item, found 0")
    ]


def test_messages_are_in_the_terms_of_json() -> None:
    assert _errors({"steps": {}}) == [("steps", "expected an array")]
    assert _errors({"steps": [{}]}) == [("steps.0", "the field 'op' is missing")]
