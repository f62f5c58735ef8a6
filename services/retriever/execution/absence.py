"""State that the graph has no match of a pattern."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from graph.plan.algebra import (
    Comparison,
    Constant,
    Expression,
    HasKind,
    IsMissing,
    Match,
    NodePattern,
    Or,
    Property,
    RelationshipPattern,
)
from graph.plan.schema import GraphSchema
from graph.plan.traversal import conjuncts, rename
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef
from language.english.inflection import base_form
from language.english.morphology import RelationKind, is_flag, is_plural, relation_form, with_article
from language.english.relation_words import in_words
from services.retriever.execution.labels import property_noun
from services.retriever.execution.readable import readable_expression
from texts.verbalise.template import clause, join_names

_PHRASES = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is greater than",
    ">=": "is at least",
    "in": "is one of",
    "starts_with": "starts with",
    "ends_with": "ends with",
}
_PHRASES_OF_DATES = {"<": "is before", "<=": "is at the latest", ">": "is after", ">=": "is at the earliest"}
_ORDINALS = ("", "other ", "third ", "fourth ", "fifth ")
_ARTICLES = ("", "another ", "a third ", "a fourth ", "a fifth ")
_UNTYPED = "related_to"


def absence_sentence(match: Match, row: Mapping[str, Any], schema: GraphSchema) -> str | None:
    """State that a pattern does not match: `No fact states that Peru borders Germany.`

    Args:
        match: The pattern.
        row: The row for whose nodes it does not match.
        schema: The schema, which tells the properties that name nodes.

    Returns:
        The sentence; None if the pattern requires nothing of the graph.
    """
    return _Absence(match, row, schema).sentence()


def noun_of(kinds: Sequence[str]) -> str:
    """Return the noun for nodes of these kinds; a kind that is no word is not inflected."""
    if not kinds:
        return "entity"
    noun = in_words(kinds[0])
    return noun if noun.replace(" ", "").isalnum() else f"entity of the kind {kinds[0]}"


class _Absence:
    def __init__(self, match: Match, row: Mapping[str, Any], schema: GraphSchema) -> None:
        self._match, self._schema = match, schema
        self._known = {
            node.variable: row[node.variable] for node in match.nodes if isinstance(row.get(node.variable), NodeRef)
        }
        self._names = {variable: value_text(node) for variable, node in self._known.items()}
        self._conditions = conjuncts(match.where)
        self._new = [node for node in match.nodes if node.variable not in self._known]
        self._take_names()
        self._places = self._numbered()
        self._details = self._take_details()
        self._mentioned = set[str]()

    def sentence(self) -> str | None:
        clauses = [
            f"{self._names[node.variable]} is {with_article(in_words(kind))}"
            for node in self._match.nodes
            for kind in node.kinds
            if node.variable in self._known and kind not in self._known[node.variable].kinds
        ]
        if not clauses and (missing := self._missing_role()) is not None:
            return missing
        clauses += [self._clause(link) for link in self._match.relationships]
        apart = [self._mention(node.variable) for node in self._new if node.variable not in self._mentioned]
        phrases = " and ".join(map(self._phrase, self._conditions))
        if apart and not clauses:
            where = f", where {phrases}" if phrases else ""
            return f"The graph does not have {join_names(apart)}{where}."
        if not clauses:
            return f"No fact states that {phrases}." if phrases else None
        clauses += [f"there is {noun}" for noun in apart]
        where = f", where {phrases}" if phrases else ""
        return f"No fact states that {join_names(clauses)}{where}."

    def _missing_role(self) -> str | None:
        """State that a node has no capital at all; None if the pattern requires more than that."""
        match self._match.relationships:
            case [RelationshipPattern(source, target, types=(type_,))] if not self._conditions and source != target:
                form = relation_form(type_)
                node = next((one for one in self._new if one.variable == target), None)
                is_any = node == NodePattern(target) and not self._details and target not in self._names
                if is_any and form.kind is RelationKind.NOUN:
                    return f"No fact states the {form.phrase} of {self._mention(source)}."
        return None

    def _take_names(self) -> None:
        """Name new nodes by conditions such as `c.name = "Germany"`, and drop these conditions."""
        new = {node.variable: node for node in self._new}
        for condition in list(self._conditions):
            match condition:
                case Comparison("=", Property(variable, key), Constant(str(text))) if variable not in self._names:
                    if variable in new and self._is_name(new[variable], key):
                        kinds = new[variable].kinds
                        self._names[variable] = f"the {in_words(kinds[0])} {text}" if kinds else text
                        self._conditions.remove(condition)

    def _is_name(self, node: NodePattern, key: str) -> bool:
        described = [self._schema.kinds[kind] for kind in node.kinds if kind in self._schema.kinds]
        named = {kind.name_property for kind in described or self._schema.kinds.values()} - {None}
        return key in (named or {"name"})

    def _numbered(self) -> dict[str, int]:
        """Number the nodes that share a noun."""
        seen: dict[str, int] = {}
        places = {}
        for node in self._new:
            noun = noun_of(node.kinds)
            places[node.variable] = min(seen.setdefault(noun, 0), len(_ORDINALS) - 1)
            seen[noun] += node.variable not in self._names
        return places

    def _take_details(self) -> dict[str, list[str]]:
        """Take the conditions that compare a property of an unnamed node with a constant."""
        unnamed = {node.variable for node in self._new if node.variable not in self._names}
        details: dict[str, list[str]] = {}
        for condition in list(self._conditions):
            match condition:
                case Comparison(_, Property(variable, key), Constant() | Property() as right) if variable in unnamed:
                    if isinstance(right, Property) and right.variable != variable:
                        continue
                    details.setdefault(variable, []).append(self._detail(condition, key))
                    self._conditions.remove(condition)
        return details

    def _detail(self, condition: Comparison, key: str) -> str:
        if (flag := _flag(condition, key)) is not None:
            return f"that is {flag}"
        return f"whose {self._property_is(property_noun(in_words(key)), condition)}"

    def _property_is(self, noun: str, condition: Comparison, of: str = "") -> str:
        """Write what a condition requires of a property: `the nights are greater than 5`."""
        verb, _, rest = self._predicate(condition).partition(" ")
        if is_plural(noun.split(" of ")[0]):
            verb = "are" if verb == "is" else base_form(verb)
        return f"{noun}{of} {verb} {rest}"

    def _clause(self, link: RelationshipPattern) -> str:
        subject, object_ = self._mention(link.source), self._mention(link.target)
        clauses = [_lower_clause(type_, subject, object_) for type_ in link.types or (_UNTYPED,)]
        return " or ".join(clauses)

    def _mention(self, variable: str) -> str:
        """Name a node, or describe it at its first mention and refer back to it later."""
        if variable in self._mentioned or variable in self._names:
            self._mentioned.add(variable)
            return self._names.get(variable) or self._reference(variable).replace("the ", "this ", 1)
        self._mentioned.add(variable)
        node = next((one for one in self._new if one.variable == variable), NodePattern(variable))
        noun, place = noun_of(node.kinds), self._places.get(variable, 0)
        described = f"{_ARTICLES[place]}{noun}" if place else with_article(noun)
        if node.ids is not None:
            described = f"the given {noun}"
        return " ".join([described, *filter(None, [" and ".join(self._details.get(variable, []))])])

    def _reference(self, variable: str) -> str:
        """Refer to a node or relationship of the pattern: `the country`, or its name."""
        if variable in self._names:
            return self._names[variable]
        node = next((one for one in self._new if one.variable == variable), None)
        if node is None:
            is_link = variable in [link.variable for link in self._match.relationships]
            return "the relationship" if is_link else variable
        return f"the {_ORDINALS[self._places[variable]]}{noun_of(node.kinds)}"

    def _phrase(self, condition: Expression) -> str:
        match condition:
            case Comparison(_, Property(variable, key), Constant() | Property()):
                if (flag := _flag(condition, key)) is not None:
                    return f"{self._reference(variable)} is {flag}"
                of = f" of {self._reference(variable)}"
                return f"the {self._property_is(property_noun(in_words(key)), condition, of)}"
            case Or(conditions):
                return " or ".join(map(self._phrase, conditions))
            case IsMissing(Property(variable, key)):
                return f"no {property_noun(in_words(key))} of {self._reference(variable)} is known"
            case HasKind(variable, kind):
                return f"{self._reference(variable)} is {with_article(in_words(kind))}"
        names = {name: self._reference(name).removeprefix("the ") for name in self._names.keys() | self._places.keys()}
        nodes = tuple(NodePattern(node.variable) for node in self._match.nodes)
        return readable_expression(rename(Match(nodes, (), condition), names).where or condition)

    def _predicate(self, condition: Comparison) -> str:
        """Write a comparison without its left side: `is greater than 5`."""
        right, operator = condition.right, condition.operator
        words = _PHRASES.get(operator, operator)
        if isinstance(right, Property):
            if condition.left == replace(right, key=getattr(condition.left, "key", "")):
                return f"{words} its {in_words(right.key)}"
            return f"{words} the {in_words(right.key)} of {self._reference(right.variable)}"
        if isinstance(right, Constant) and isinstance(right.value, tuple) and operator == "in" and right.value:
            return f"is {' or '.join(readable_expression(Constant(item)) for item in right.value)}"
        if isinstance(right, Constant) and isinstance(right.value, date):
            words = _PHRASES_OF_DATES.get(operator, words)
        return f"{words} {readable_expression(right)}{' (ignoring case)' if condition.ignore_case else ''}"


def _flag(condition: Expression, key: str) -> str | None:
    """Write what a condition on a property such as `hazardous` requires; None if it is no such condition."""
    match condition:
        case Comparison("=", _, Constant(bool(holds))) if is_flag(in_words(key)):
            return in_words(key) if holds else f"not {in_words(key)}"
    return None


def _lower_clause(relation: str, subject: str, object_: str) -> str:
    """Write a clause that follows other words."""
    text = clause(relation, subject, object_)
    return f"the{text[3:]}" if relation_form(relation).kind is RelationKind.NOUN else text
