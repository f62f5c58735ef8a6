from pathlib import Path
from typing import Any

import pytest

from graph.sqlite.store import SqliteGraphStore
from tests.support.imported_graphs import StoredGraph, imported

_PREFIX = """@prefix e: <http://e.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix unit: <http://u.org/> .
@prefix schema: <http://schema.org/> .
"""


def _graph(folder: Path, content: str) -> StoredGraph:
    return imported(folder, {"f.ttl": _PREFIX + content})


def _facts(graph: StoredGraph) -> list[tuple[str, str, str, dict[str, Any]]]:
    def short(key: str) -> str:
        return key.removeprefix("http://e.org/") if not key.startswith("_:") else graph.nodes[key].name

    facts = [(short(s), relation, short(o), values) for s, relation, o, values in graph.relationships]
    return sorted(facts, key=lambda fact: fact[:3])


def _has_no_blank_node(graph: StoredGraph) -> bool:
    return not any(key.startswith("_:") for key in graph.nodes)


def test_the_parts_of_an_address_become_properties_of_its_owner(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        'e:ann e:address [ a e:Address ; e:street "High Street 1" ; e:city "Bonn" ; e:floor 2 ] ; e:knows e:bo .',
    )

    assert graph.nodes["http://e.org/ann"].properties == {
        "address street": "High Street 1",
        "address city": "Bonn",
        "address floor": 2,
    }
    assert ("ann", "address city", '"Bonn"', {}) in _facts(graph)
    assert _has_no_blank_node(graph)
    assert not any(node.kinds for node in graph.nodes.values())


@pytest.mark.parametrize(
    ("price", "text"),
    [
        ('e:amount 12.50 ; e:currency "EUR"', "12.50 EUR"),
        ('schema:price "12.50" ; schema:priceCurrency "EUR"', "12.50 EUR"),
        ("e:value 3 ; e:unit unit:Kilogram", "3 Kilogram"),
        ('a e:Price ; e:value 3e0 ; e:unitCode "KGM"', "3e0 KGM"),
    ],
)
def test_an_amount_with_its_unit_is_one_value(tmp_path: Path, price: str, text: str) -> None:
    graph = _graph(tmp_path, f"e:tea e:price [ {price} ] .")

    assert graph.nodes["http://e.org/tea"].properties == {"price": text}
    assert _facts(graph) == [("tea", "price", f'"{text}"', {})]


def test_a_number_without_a_unit_and_a_single_value_are_parts(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        'e:tea e:size [ e:width 3 ; e:height 4 ] ; e:weight [ rdf:value 2 ] ; e:price [ e:priceNote "low" ] .',
    )

    assert graph.nodes["http://e.org/tea"].properties == {
        "size width": 3,
        "size height": 4,
        "weight": 2,
        "priceNote": "low",
    }


def test_blank_nodes_in_blank_nodes_are_read_from_within(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path, 'e:shop e:offer [ e:item "tea" ; e:price [ e:amount 2 ; e:currency "EUR" ] ; e:at [ e:row 7 ] ] .'
    )

    assert graph.nodes["http://e.org/shop"].properties == {
        "offer item": "tea",
        "offer price": "2 EUR",
        "offer at row": 7,
    }
    assert _has_no_blank_node(graph)


def test_two_addresses_are_not_mixed_up(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        'e:ann e:home [ e:street "A 1" ; e:city "Bonn" ] , [ e:street "B 2" ; e:city "Oslo" ] ; e:knows e:bo .',
    )

    assert [(s, r, o) for s, r, o, _ in _facts(graph) if s == "ann"] == [
        ("ann", "home", "A 1, Bonn"),
        ("ann", "home", "B 2, Oslo"),
        ("ann", "knows", "bo"),
    ]
    assert ("B 2, Oslo", "city", '"Oslo"', {}) in _facts(graph)


def test_two_prices_are_a_relation_to_both(tmp_path: Path) -> None:
    graph = _graph(tmp_path, 'e:tea e:price [ e:value 2 ; e:unit "EUR" ] , [ e:value 3 ; e:unit "USD" ] .')

    assert _facts(graph) == [("tea", "price", '"2 EUR"', {}), ("tea", "price", '"3 USD"', {})]


@pytest.mark.parametrize(
    "items",
    [
        "( e:bo e:cy ( e:dee ) )",
        "[ a rdf:Seq ; rdf:_2 e:cy ; rdf:_1 e:bo ; rdf:_3 e:dee ]",
        "[ rdf:first e:bo ; rdf:rest ( e:cy e:dee ) ]",
    ],
)
def test_a_list_becomes_several_facts(tmp_path: Path, items: str) -> None:
    graph = _graph(tmp_path, f"e:ann e:knows {items} .")

    assert [fact[:3] for fact in graph.relationships] == [
        ("http://e.org/ann", "knows", f"http://e.org/{name}") for name in ("bo", "cy", "dee")
    ]
    assert _has_no_blank_node(graph)


def test_a_list_of_values_becomes_a_property(tmp_path: Path) -> None:
    graph = _graph(tmp_path, "e:ann e:marks ( 3 1 2 ) ; e:none () ; e:knows e:bo .")

    assert graph.nodes["http://e.org/ann"].properties == {"marks": (3, 1, 2)}
    assert set(graph.nodes) == {"http://e.org/ann", "http://e.org/bo", '"3"', '"1"', '"2"'}


def test_a_list_without_an_end_is_kept(tmp_path: Path) -> None:
    graph = _graph(tmp_path, "e:ann e:knows _:l . _:l rdf:first e:bo ; rdf:rest _:l .")

    assert ("ann", "knows", "knows of ann", {}) in _facts(graph)


def test_a_blank_node_between_two_nodes_becomes_a_relationship(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        'e:ann e:employment [ a e:Job ; e:employer e:acme ; e:since 2010 ; e:role "cook" , "driver" ] ,\n'
        "[ e:employer e:acme ; e:since 2015 ] ; e:member [ e:member e:club ] .",
    )

    assert _facts(graph) == [
        ("ann", "employment employer", "acme", {"since": 2010, "role": ("cook", "driver")}),
        ("ann", "employment employer", "acme", {"since": 2015}),
        ("ann", "member", "club", {}),
    ]


def test_other_blank_nodes_keep_their_facts_and_have_a_name(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        "e:ann e:trip [ e:from e:oslo ; e:to e:rome ; e:day 3 ] ; e:visit [ e:from e:oslo ; e:to e:rome ] .\n"
        '[] e:buyer e:ann ; e:seller e:bo . e:bo e:has [ rdfs:label "the boat" ; e:length 7 ] .\n'
        '[] a e:Note ; e:text "nobody owns this" . _:a e:next _:b . _:b e:next _:a .',
    )

    names = {node.name for key, node in graph.nodes.items() if key.startswith("_:")}
    assert ("ann", "trip", "3", {}) in _facts(graph)
    assert ("visit of ann", "to", "rome", {}) in _facts(graph)
    assert ("unnamed node", "buyer", "ann", {}) in _facts(graph)
    assert ("bo", "has", "the boat", {}) in _facts(graph)
    assert ("the boat", "length", '"7"', {}) in _facts(graph)
    assert "nobody owns this" in names
    assert not any(name.startswith("_:") for name in names)


@pytest.mark.parametrize("order", [1, -1])
def test_a_long_chain_of_blank_nodes_is_read(tmp_path: Path, order: int) -> None:
    links = [f"_:n{number} e:next _:n{number + 1} , _:m{number} .\n" for number in range(3000)]
    graph = _graph(tmp_path, "e:ann e:first _:n0 .\n" + "".join(links[::order]))

    names = {node.name for node in graph.nodes.values()}
    assert {"first of ann", "next of first of ann"} <= names
    assert max(map(len, names)) < 100


def test_deep_structures_are_read_from_within(tmp_path: Path) -> None:
    graph = _graph(tmp_path, "e:ann e:p " + "[ e:p " * 3000 + "1" + " ]" * 3000 + " .")

    assert graph.nodes["http://e.org/ann"].properties == {"p": 1}


def test_n_triples_are_read_through_as_well(tmp_path: Path) -> None:
    graph = imported(
        tmp_path,
        {
            "f.nt": "<http://e.org/ann> <http://e.org/address> _:x .\n"
            '_:x <http://e.org/city> "Bonn" .\n_:x <http://e.org/zip> "53111" .\n'
        },
    )

    assert graph.nodes["http://e.org/ann"].properties == {"address city": "Bonn", "address zip": "53111"}


async def test_a_node_is_found_by_its_iri(tmp_path: Path) -> None:
    _graph(tmp_path, 'e:ann e:knows e:bo ; rdfs:label "Ann Lind" .')
    store = SqliteGraphStore(tmp_path / "graph.sqlite")

    found = await store.entities_named(["http://e.org/ann", "<http://e.org/bo>", "http://e.org/cy", "Ann Lind"])
    await store.close()

    assert [[(match.entity.id, match.entity.name) for match in matches] for matches in found] == [
        [("http://e.org/ann", "Ann Lind")],
        [("http://e.org/bo", "bo")],
        [],
        [("http://e.org/ann", "Ann Lind")],
    ]
