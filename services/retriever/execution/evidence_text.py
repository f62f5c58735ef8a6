"""State evidence as text, by template."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from graph.plan.algebra import Aggregate, AggregateFunction, Call, Match, RelationshipPattern
from graph.plan.functions import SECONDS
from language.english.measures import with_units
from language.english.morphology import PREPOSITIONS, counted, is_participle, is_plural, plural, with_article
from language.english.relation_words import in_words
from services.retriever.execution.counts import Count
from services.retriever.execution.labels import VALUE_OF, aggregate_label, is_superlative, property_noun
from services.retriever.execution.runner_up import RunnerUp
from services.retriever.execution.stages import EXTREMES
from shared.triple import Triple
from texts.verbalise.spoken import said
from texts.verbalise.template import as_counted, as_sentences, join_names

_STATED = (AggregateFunction.AVERAGE, AggregateFunction.SUM, *EXTREMES)
_MAX_NAMES = 10


class EvidenceText(NamedTuple):
    """Hold the text of an item of evidence, and a summary: what was counted or aggregated, with names."""

    text: str
    summary: str


def evidence_text(
    relationships: Sequence[Triple],
    properties: Sequence[Triple],
    omitted: int,
    counts: Sequence[Count],
    aggregates: Sequence[str],
    sentences: Sequence[str],
) -> EvidenceText:
    """Write the text of one item of evidence.

    Args:
        relationships: Facts that are relationships.
        properties: Facts that are properties.
        omitted: The number of further matches.
        counts: What was counted, if that is what the result states.
        aggregates: Sentences that state other aggregates, which precede the facts.
        sentences: Sentences that follow the facts.
    """
    if len(counts) == 1 and (counting := _listed(counts[0], relationships, omitted)) is not None:
        lead, facts, rest = [counting], list(properties), []
        named = lead
    else:
        facts = [*_with_numbers(relationships), *properties]
        stated = [count for count in counts if len(counts) > 1 or count.number != 1 or not facts]
        lead = [_count_sentence(count, bool(facts)) for count in stated]
        named = [_count_sentence(count, False) for count in counts]
        rest = [f"{counted(omitted, 'more match')} {'is' if omitted == 1 else 'are'} not listed."] if omitted else []
    sentences = [*([as_sentences(facts, properties)] if facts else []), *rest, *sentences]
    return EvidenceText(" ".join([*lead, *aggregates, *sentences]), " ".join([*named, *aggregates]))


def aggregate_sentence(aggregate: Aggregate, value: Any, labels: Mapping[str, str], group: str) -> str | None:
    """State a sum, average, minimum, or maximum: `The average rating is 7.9.`

    `labels` names columns, and `group` is what the aggregate is restricted to, such as ` for Germany`.
    """
    if aggregate.function not in _STATED or aggregate.value is None:
        return None
    label = aggregate_label(aggregate, labels, value)
    if value is None:
        return f"There is no {label}{group}."
    is_time = isinstance(aggregate.value, Call) and aggregate.value.function in SECONDS
    label, text = said(label, value, is_time, is_duration=isinstance(value, str) and aggregate.function in EXTREMES)
    return f"The {label}{group} {_be(label)} {text}."


def missing_sentence(key: str, owners: Sequence[str]) -> str:
    """State that some nodes or relationships do not have a property: `The graph states no area for Peru.`"""
    names = _shortened(list(owners))
    return f"The graph states no {property_noun(in_words(key))} for {join_names(names)}."


def missing_number_sentence(key: str, missing: int, total: int, noun: str) -> str:
    """State how many of the counted things do not have a property: `The graph states no area for 3 of 40 countries.`"""
    return f"The graph states no {property_noun(in_words(key))} for {missing} of {counted(total, noun)}."


def relationship_sentence(fact: Triple, properties: Sequence[tuple[str, str]]) -> str:
    """State a relationship with its properties: `Ann took part in Descent (role: medic).`"""
    written = [_stated(*_with_unit(key, value)) for key, value in properties]
    return f"{as_sentences([fact]).removesuffix('.')} ({', '.join(written)})."


def _with_unit(key: str, value: str) -> tuple[str, str]:
    relation, (text,) = with_units(key, (value,))
    return in_words(relation), text


def _stated(label: str, text: str) -> str:
    """State a value behind its label: `rating: 7`, but `founded 1988` and `since 2020`."""
    return f"{label} {text}" if label.split()[-1] in PREPOSITIONS or is_participle(label) else f"{label}: {text}"


def matches_sentence(match: Match, number: int, owners: Sequence[str]) -> str:
    """State how many matches a pattern has: `The number of "VISITS" relationships of Aurora is 12.`"""
    of_owners = f"of {owners[0]}" if len(owners) == 1 else f"between {join_names(owners)}"
    match match:
        case Match(relationships=(RelationshipPattern(types=(type_,)),), where=None):
            return f'The number of "{type_}" relationships {of_owners} is {number}.'
    return f"The number of matches for {join_names(owners)} is {number}."


def runner_up_sentence(found: RunnerUp) -> str:
    """State what follows the last row: `Next is France, with a population of 68.`"""
    name = found.name[:1].upper() + found.name[1:] if found.is_anonymous else found.name
    if not found.values:
        return f"Next is {found.name}."
    if found.is_tie:
        known = [(label, value) for label, value in found.values if value is not None]
        unknown = [label for label, value in found.values if value is None]
        if known and not unknown and not all(_is_noun(label) or is_plural(label) for label, _ in known):
            return f"{name} ties with it ({join_names([_said_value(label, value) for label, value in known])})."
        same = [f"has the same {join_names([label for label, _ in known])}"] if known else []
        return f"{name} {join_names([*same, *(f'has no {label} either' for label in unknown)])}."
    return f"Next is {found.name}{_values_phrase(found.values)}."


def tie_text(found: RunnerUp) -> str:
    """Warn that the limit separates rows with equal sort keys."""
    values = [f"no {label}" if value is None else _said_value(label, value) for label, value in found.values]
    shown = f" ({join_names(values)})" if values else ""
    return f"There is a tie for the last place: others, such as {found.name}{shown}, are not listed."


def _values_phrase(values: Sequence[tuple[str, Any]]) -> str:
    """Write sort keys: `, with a population of 68 and without an area`, or ` (founded 1988)`."""
    own = [(label, value) for label, value in values if value is not None]
    if own == list(values) and all(_stands_before_value(label) for label, _ in own):
        return f" ({join_names([_said_value(label, value) for label, value in own])})"
    nouns = [said(label, value) for label, value in own if not isinstance(value, bool) and _is_noun(label)]
    with_ = join_names([f"{with_article(label)} of {text}" for label, text in nouns])
    others = [said(label, value) for label, value in own if isinstance(value, bool) or not _is_noun(label)]
    where = join_names([f"the {label} {_be(label)} {text}" for label, text in others])
    without = join_names(
        [label if is_plural(label) else with_article(label) for label, value in values if value is None]
    )
    phrases = (
        f"with {with_}" if with_ else "",
        f"without {without}" if without else "",
        f"where {where}" if where else "",
    )
    return f", {join_names([phrase for phrase in phrases if phrase])}"


def _said_value(label: str, value: Any) -> str:
    """State a sort key: `rating: 7`, but `founded 1988` for the value of founded."""
    return _stated(*said(label.removeprefix(VALUE_OF) if _stands_before_value(label) else label, value))


def _stands_before_value(label: str) -> bool:
    """Return whether the value of a property follows its name without a verb: `founded 1988`, `warranty until 2027`."""
    name = label.removeprefix(VALUE_OF)
    is_name = name.replace(" ", "").isalpha()
    return is_name and (name != label or name.split()[-1] in PREPOSITIONS)


def _be(label: str) -> str:
    return "are" if is_plural(re.split(" (?:of|from|in) ", label, maxsplit=1)[0]) else "is"


def _is_noun(label: str) -> bool:
    """Return whether an article can precede a label, and `of` with the value can follow it."""
    is_phrase = label.startswith(VALUE_OF) or label.split()[-1] in PREPOSITIONS
    return not (is_phrase or is_superlative(label) or is_plural(label))


def _listed(count: Count, relationships: Sequence[Triple], omitted: int) -> str | None:
    """State a count by what it counted: `9 countries border Germany: Austria, Belgium, and 7 more.`"""
    return as_counted(count.number, count.noun, relationships, omitted, frozenset(count.names))


def _count_sentence(count: Count, has_facts: bool) -> str:
    names = [] if has_facts else list(count.names[:_MAX_NAMES])
    more = count.number - len(names)
    listed = f": {join_names([*names, *([f'{more} more'] if more else [])])}" if names else ""
    return f"The number of {plural(count.noun)}{count.group} is {count.number}{listed}."


def _with_numbers(relationships: Sequence[Triple]) -> list[Triple]:
    """State once what several relationships state, with their number: `Ann visited Rome (2 times).`"""
    numbers = Counter(relationships)
    return [
        replace(fact, object=f"{fact.object} ({number} times)") if number > 1 else fact
        for fact, number in numbers.items()
    ]


def _shortened(names: list[str]) -> list[str]:
    rest = len(names) - _MAX_NAMES
    return names if rest <= 1 else [*names[:_MAX_NAMES], f"{rest} more"]
