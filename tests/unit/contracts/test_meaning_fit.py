"""Test which entries of `meaning.toml` fit a graph, and what is said of the others."""

import pytest

from contracts.meaning_file import parse_meaning
from contracts.meaning_fit import fitting
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType

_TEXT = PropertySchema(frozenset({ValueType.STRING}), ValueType.STRING)
_GRAPH = GraphSchema(
    {"Person": KindSchema(2, {"name": _TEXT, "sal": _TEXT}, "name"), "Firm": KindSchema(1, {"name": _TEXT}, "name")},
    {"rpts_to": RelationshipSchema(1, frozenset({("Person", "Person")}), {"since": _TEXT})},
)
_TRIPLES = GraphSchema(
    {"": KindSchema(3, {"born": _TEXT, "name": _TEXT}, "name")},
    {"born": RelationshipSchema(2, frozenset()), "boss": RelationshipSchema(1, frozenset())},
)
_INFERRED = GraphSchema(
    {"Person": KindSchema(2, {"born": _TEXT, "name": _TEXT}, "name", is_inferred=True)},
    {"boss": RelationshipSchema(1, frozenset({("Person", "Person")}))},
)


@pytest.mark.parametrize(
    "header",
    [
        "kinds.Person", "kinds.Person.properties.sal", "relationships.rpts_to",
        "relationships.rpts_to.properties.since", "properties.sal", "properties.since",
    ],
)  # fmt: skip
def test_what_the_graph_has_fits(header: str) -> None:
    fit = fitting(parse_meaning(f'[{header}]\nnames = ["x"]'), _GRAPH)

    assert list(fit.meanings) == [tuple(header.split("."))]
    assert not fit.problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n[kinds.Persn]", "line 2: [kinds.Persn] is left out: the graph has no kind 'Persn'; did you mean 'Person'?"),
        ("[kinds.Zzz]", "the graph has no kind 'Zzz'; kgqa schema lists"),
        ("[properties.rpts_to]", "no property 'rpts_to', but a relationship: write [relationships.rpts_to]"),
        ("[kinds.Person.properties.sall]", "no property 'sall' of Person; did you mean 'sal'?"),
        ("[kinds.Persn.properties.sal]", "no kind 'Persn'; did you mean 'Person'?"),
        ("[kinds.Person.properties.name]\nhidden = true", "names nodes, so it cannot be hidden; hide [kinds.Person]"),
        ("[properties.name]\nhidden = true", "names nodes of Firm, Person, so it cannot be hidden"),
    ],
)
def test_what_the_graph_lacks_is_named_with_its_line(text: str, problem: str) -> None:
    fit = fitting(parse_meaning(f"{text}\n[kinds.Firm]"), _GRAPH)

    assert list(fit.meanings) == [("kinds", "Firm")]
    assert len(fit.problems) == 1
    assert problem in str(fit.problems[0])


def test_relations_of_triples_are_properties_as_well_and_kinds_wait_until_they_are_inferred() -> None:
    said = parse_meaning("[properties.boss]\n[relationships.born]\n[kinds.Person]\n[kinds.Persn]")

    assert not fitting(said, _TRIPLES).problems
    fit = fitting(said, _TRIPLES, _INFERRED)
    assert [str(one) for one in fit.problems] == [
        "line 4: [kinds.Persn] is left out: the graph has no kind 'Persn'; did you mean 'Person'?"
    ]


def test_a_property_that_names_only_hidden_nodes_may_be_hidden_as_well() -> None:
    hidden = "".join(f"[kinds.{kind}]\nhidden = true\n" for kind in _GRAPH.kinds)

    assert not fitting(parse_meaning(f"{hidden}[properties.name]\nhidden = true"), _GRAPH).problems


def test_inferred_kinds_cannot_be_hidden() -> None:
    [problem] = fitting(parse_meaning("[kinds.Person]\nhidden = true"), _TRIPLES, _INFERRED).problems

    assert "kinds that are inferred cannot be hidden" in str(problem)
