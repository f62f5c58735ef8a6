"""Override the types that the content of properties seems to have: `KGQA_PROPERTY_TYPES`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.plan.part_checks import unknown
from graph.plan.schema import EpochUnit, GraphSchema, PropertySchema
from graph.plan.text_readings import TextReading
from graph.plan.values import ValueType
from shared.errors import InvalidInputError

PropertyTypes = Mapping[tuple[str, str], ValueType | EpochUnit | TextReading]
"""The types of properties, keyed by kind or relationship type, and by key."""

NO_TYPES: PropertyTypes = {}
_READINGS = (
    TextReading.DAY_FIRST.value,
    TextReading.MONTH_FIRST.value,
    TextReading.COMMA_GROUPS.value,
    TextReading.POINT_GROUPS.value,
)
_TYPES = ("integer", "float", "boolean", "string", "date", "datetime", *EpochUnit, *_READINGS)


def _typing(text: str) -> str:
    """Check a list such as `Product.unitPrice=float`."""
    for item in _items(text):
        name, _, type_ = item.rpartition("=")
        owner, _, key = name.rpartition(".")
        if not (owner and key) or type_.strip() not in _TYPES:
            raise PydanticCustomError(
                "property_types",
                "expected a label, a property, and a type for each item, such as Product.code=string; the types "
                "are " + ", ".join(_TYPES),
            )
    return text


class PropertyTypeSettings(BaseSettings):
    """Configure the types as which plans read properties, where the content suggests the wrong one."""

    model_config = SettingsConfigDict(env_prefix="KGQA_", extra="ignore")

    property_types: Annotated[str, AfterValidator(_typing)] = ""

    @property
    def types(self) -> PropertyTypes:
        """Return the types."""
        found: dict[tuple[str, str], ValueType | EpochUnit | TextReading] = {}
        for item in _items(self.property_types):
            name, _, type_ = item.rpartition("=")
            owner, _, key = name.rpartition(".")
            found[owner.strip(), key.strip()] = _named(type_.strip())
        return found


def with_property_types(schema: GraphSchema, types: PropertyTypes) -> GraphSchema:
    """Replace the types of the content of some properties.

    Raises InvalidInputError if the graph does not have one of the properties, or if it holds lists.
    """
    properties = {name: kind.properties for name, kind in schema.kinds.items()}
    properties |= {name: relationship.properties for name, relationship in schema.relationships.items()}
    for owner, key in types:
        if key not in properties.get(owner, {}):
            known = [f"{one}.{each}" for one, keys in properties.items() for each in keys]
            raise InvalidInputError(
                f"KGQA_PROPERTY_TYPES lists an {unknown('property', f'{owner}.{key}', known)}; `kgqa schema` shows all"
            )
        if properties[owner][key].stored == {ValueType.LIST}:
            raise InvalidInputError(
                f"KGQA_PROPERTY_TYPES cannot set the type of {owner}.{key}, which holds lists; remove the entry"
            )

    def typed(owner: str, properties: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
        return {
            key: _typed(one, types[owner, key]) if (owner, key) in types else one for key, one in properties.items()
        }

    return replace(
        schema,
        kinds={name: replace(kind, properties=typed(name, kind.properties)) for name, kind in schema.kinds.items()},
        relationships={
            name: replace(one, properties=typed(name, one.properties)) for name, one in schema.relationships.items()
        },
    )


def _named(type_: str) -> ValueType | EpochUnit | TextReading:
    kinds: tuple[type[EpochUnit | TextReading], ...] = (EpochUnit, TextReading)
    return next((kind(type_) for kind in kinds if type_ in list(kind)), None) or ValueType(type_)


def _typed(described: PropertySchema, type_: ValueType | EpochUnit | TextReading) -> PropertySchema:
    described = replace(described, reading=None, unread=None)
    match type_:
        case EpochUnit():
            return replace(described, content=ValueType.DATETIME, epoch=type_)
        case TextReading():
            return replace(described, content=type_.content, reading=type_)
    return replace(described, content=type_)


def _items(text: str) -> Iterable[str]:
    return [item.strip() for item in text.split(",") if item.strip()]
