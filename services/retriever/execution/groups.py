"""Name the group of rows that an aggregate is restricted to."""

from collections.abc import Mapping, Sequence
from typing import Any

from graph.plan.algebra import Call, Column, Expression, Property
from graph.plan.functions import DATE_PARTS, TIME_PARTS
from graph.plan.value_text import value_text
from language.english.morphology import is_participle, is_plural, with_article
from language.english.relation_words import in_words
from services.retriever.execution.labels import label_of
from texts.verbalise.template import join_names

_PARTS_OF_DATES = DATE_PARTS | TIME_PARTS


def group_phrase(keys: Sequence[tuple[Column, Any]], labels: Mapping[str, str]) -> str:
    """Write what a group has in common: ` for Germany`, ` without a birthday`, or ` where hazardous is true`.

    Args:
        keys: The keys of the group, with their values.
        labels: The names of columns.
    """
    named = [value_text(value) for _, value in keys if _is_name(value)]
    missing = [_absent(key.value, key.name, labels) for key, value in keys if value is None]
    others = [(key, value) for key, value in keys if value is not None and not _is_name(value)]
    stated = [
        f"{_label(key.value, key.name, labels)} is {value_text(value).strip() or 'empty'}" for key, value in others
    ]
    phrases = (
        f" for {join_names(named)}" if named else "",
        f" without {join_names(missing)}" if missing else "",
        f" where {join_names(stated)}" if stated else "",
    )
    return " and".join(filter(None, phrases))


def _is_name(value: Any) -> bool:
    """Return whether a value tells by itself what a group is about."""
    return value is not None and not isinstance(value, bool) and bool(value_text(value).strip())


def _absent(value: Expression, name: str, labels: Mapping[str, str]) -> str:
    """Write what the rows of a group do not have: `a hired date`."""
    label = _label(value, name, labels)
    match value:
        case Call(function, (Property(_, key),)) if function in _PARTS_OF_DATES:
            label = f"{in_words(key)} date" if is_participle(in_words(key).split()[-1]) else in_words(key)
    return label if is_plural(label.split(" of ")[0]) else with_article(label)


def _label(value: Expression, name: str, labels: Mapping[str, str]) -> str:
    match value:
        case Property(_, key):
            return label_of(value, labels) if is_participle(in_words(key).split()[-1]) else in_words(key)
    return labels.get(name) or in_words(name)
