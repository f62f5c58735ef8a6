from pathlib import Path

import pytest

from ingestion.importer import ImportReport, import_files
from tests.support.imported_graphs import StoredGraph, import_error, imported, report, stored_graph

_PREFIX = """@prefix e: <http://e.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""


def _graph(folder: Path, content: str, ontology: str = "") -> StoredGraph:
    return imported(folder, {"data.ttl": _PREFIX + content, "ontology.ttl": _PREFIX + ontology})


def _report(folder: Path, content: str) -> ImportReport:
    return report(folder, {"f.ttl": _PREFIX + content})


def _kinds(graph: StoredGraph) -> dict[str, set[str]]:
    return {key.removeprefix("http://e.org/"): node.kinds for key, node in graph.nodes.items() if node.kinds}


def _facts(graph: StoredGraph) -> set[tuple[str, str, str]]:
    short = [tuple(key.removeprefix("http://e.org/") for key in one[:3]) for one in graph.relationships]
    assert len(short) == len(set(short)), "no fact may be there twice"
    return {(subject, relation, object_) for subject, relation, object_ in short}


def test_nodes_are_of_all_wider_kinds(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        "e:ann a e:Surgeon . e:bo a e:Medic , e:Diver . e:ann e:knows e:bo .",
        "e:Surgeon rdfs:subClassOf e:Doctor . e:Doctor rdfs:subClassOf e:Person , owl:Thing .\n"
        "e:Medic owl:equivalentClass e:Doctor . e:Person rdfs:subClassOf e:Person .",
    )

    assert _kinds(graph) == {
        "ann": {"Surgeon", "Doctor", "Medic", "Person"},
        "bo": {"Medic", "Doctor", "Person", "Diver"},
    }
    assert _facts(graph) == {("ann", "knows", "bo")}


def test_a_circle_of_classes_ends(tmp_path: Path) -> None:
    graph = _graph(tmp_path, "e:a a e:X .", "e:X rdfs:subClassOf e:Y . e:Y rdfs:subClassOf e:X .")

    assert _kinds(graph) == {"a": {"X", "Y"}}


def test_the_vocabulary_is_no_part_of_the_graph(tmp_path: Path) -> None:
    ontology = """
        <> a owl:Ontology ; owl:versionInfo "2" ; e:editor e:ann .
        e:Person a owl:Class ; rdfs:comment "Somebody"@en ; e:since 2010 ; e:editor e:ann ;
          rdfs:subClassOf [ a owl:Restriction ; owl:onProperty e:knows ; owl:someValuesFrom e:Person ] .
        e:Agent owl:unionOf ( e:Person e:Firm ) .
        e:knows a owl:ObjectProperty ; rdfs:domain e:Person ; rdfs:range e:Person .
        e:Shape a sh:NodeShape ; sh:targetClass e:Person ; sh:property [ sh:path e:knows ; sh:minCount 1 ] .
        e:Old a owl:DeprecatedClass ; e:replacedBy e:Person .
    """
    graph = _graph(tmp_path, "e:ann a e:Person , owl:NamedIndividual ; e:knows e:bo ; e:about e:Person .", ontology)

    assert set(graph.nodes) == {"http://e.org/ann", "http://e.org/bo"}
    assert _kinds(graph) == {"ann": {"Person"}}
    assert _facts(graph) == {("ann", "knows", "bo")}


def test_the_report_counts_what_describes_the_vocabulary(tmp_path: Path) -> None:
    found = _report(tmp_path, "e:Person a owl:Class ; e:since 2010 ; e:editor e:ann . e:ann e:knows e:bo .")

    assert found.rdf_remarks == [
        "left out 2 triples about terms of the vocabulary: classes, properties, ontologies, and shapes"
    ]


def test_a_class_that_is_not_declared_keeps_its_facts(tmp_path: Path) -> None:
    graph = _graph(tmp_path, "e:rex a e:Dog . e:Dog e:bred_in e:Wales .")

    assert _facts(graph) == {("Dog", "bred_in", "Wales")}
    assert _kinds(graph) == {"rex": {"Dog"}}


def test_labels_name_kinds_and_relations(tmp_path: Path) -> None:
    ontology = """
        e:Emp a owl:Class ; rdfs:label "Employee"@en , "Angestellte"@de ; rdfs:subClassOf e:Pers .
        e:Pers rdfs:label "Person" .
        e:rptsTo a owl:ObjectProperty ; rdfs:label "reports to"@en , "berichtet an"@de .
        e:hrdOn a owl:DatatypeProperty ; skos:prefLabel "hired on" .
        e:wrks rdfs:label "same" . e:lives rdfs:label "same" . e:near rdfs:label "seat" .
    """
    content = (
        'e:ann a e:Emp ; e:rptsTo e:bo ; e:hrdOn "2020-01-02"^^<http://www.w3.org/2001/XMLSchema#date> ;\n'
        "e:wrks e:x ; e:lives e:y ; e:seat 4 ; e:near e:z ."
    )
    graph = _graph(tmp_path, content, ontology)

    assert _kinds(graph) == {"ann": {"Employee", "Person"}}
    relations = {relation for _, relation, _ in _facts(graph)}
    assert relations == {"reports to", "hired on", "wrks", "lives", "seat", "near"}
    assert set(graph.nodes["http://e.org/ann"].properties) == {"hired on", "seat"}

    import_files([tmp_path / "data.ttl", tmp_path / "ontology.ttl"], tmp_path / "german.sqlite", language="de")
    german = stored_graph(tmp_path / "german.sqlite")
    assert _kinds(german) == {"ann": {"Angestellte", "Person"}}
    assert "berichtet an" in {relation for _, relation, _ in _facts(german)}


def test_a_comment_is_a_property_in_one_language(tmp_path: Path) -> None:
    graph = _graph(tmp_path, 'e:ann e:knows e:bo ; rdfs:comment "Kennt Bo"@de , "Knows Bo"@en , "Connaît Bo"@fr .')

    assert graph.nodes["http://e.org/ann"].properties == {"comment": "Knows Bo"}
    assert _facts(graph) == {("ann", "knows", "bo")}


def test_resources_that_are_the_same_are_one_node(tmp_path: Path) -> None:
    found = _report(
        tmp_path,
        "e:ann e:knows e:bo ; owl:sameAs <http://other.org/Anna_Lind> .\n"
        'e:b2 owl:sameAs e:bo ; rdfs:label "Robert" . e:b2 e:lives_in e:rome ; a e:Person . e:bo rdfs:label "Bo" .',
    )
    graph = stored_graph(tmp_path / "graph.sqlite")

    assert _facts(graph) == {("ann", "knows", "b2"), ("b2", "lives_in", "rome")}
    assert graph.nodes["http://e.org/b2"] == ("Robert", {"Person"}, {})
    assert found.entities == 3
    assert found.aliases == 4  # two IRIs, Anna Lind, and the label of the other one


def test_a_stated_inverse_says_nothing_twice(tmp_path: Path) -> None:
    content = """
        e:employs owl:inverseOf e:works_for .
        e:ann e:works_for e:acme . e:acme e:employs e:ann , e:bo . e:cy e:works_for e:acme . e:dee e:works_for e:acme .
    """
    found = _report(tmp_path, content)

    assert _facts(stored_graph(tmp_path / "graph.sqlite")) == {
        ("ann", "works_for", "acme"),
        ("bo", "works_for", "acme"),
        ("cy", "works_for", "acme"),
        ("dee", "works_for", "acme"),
    }
    assert found.rdf_remarks == ["employs is the inverse of works_for, and is read as works_for in the other direction"]


def test_a_symmetric_relation_holds_in_both_directions(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path,
        "e:a e:borders e:b , e:c . e:b e:borders e:a . e:a e:near e:b .",
        "e:borders a owl:SymmetricProperty .",
    )

    assert _facts(graph) == {
        ("a", "borders", "b"),
        ("b", "borders", "a"),
        ("a", "borders", "c"),
        ("c", "borders", "a"),
        ("a", "near", "b"),
    }


def test_a_file_of_classes_only_is_a_graph_of_classes(tmp_path: Path) -> None:
    content = """
        e:Dog a owl:Class ; rdfs:label "dog" ; rdfs:subClassOf e:Mammal ; rdfs:comment "Barks" .
        e:Mammal a owl:Class ; rdfs:label "mammal" ; rdfs:subClassOf owl:Thing .
        e:eats a owl:ObjectProperty .
    """
    found = _report(tmp_path, content)
    graph = stored_graph(tmp_path / "graph.sqlite")

    assert _facts(graph) == {("Dog", "subClassOf", "Mammal")}
    assert graph.nodes["http://e.org/Dog"] == ("dog", set(), {"comment": "Barks"})
    assert "the files describe classes only, so the classes are the nodes of the graph" in found.rdf_remarks


def test_a_file_of_properties_only_has_no_facts(tmp_path: Path) -> None:
    assert "no triples and no nodes" in import_error(tmp_path, {"f.ttl": f"{_PREFIX}e:p a owl:ObjectProperty ."})


def test_a_vocabulary_of_other_authors_is_data(tmp_path: Path) -> None:
    graph = _graph(
        tmp_path, 'e:tea a skos:Concept ; skos:prefLabel "tea" ; skos:broader e:drink . e:drink a skos:Concept .'
    )

    assert _facts(graph) == {("tea", "broader", "drink")}
    assert _kinds(graph) == {"tea": {"Concept"}, "drink": {"Concept"}}


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_files_does_not_matter(tmp_path: Path, order: int) -> None:
    files = {
        "a.ttl": f"{_PREFIX}e:ann a e:Surgeon ; e:rpts e:bo .",
        "b.ttl": f'{_PREFIX}e:Surgeon a owl:Class ; rdfs:subClassOf e:Doctor . e:rpts rdfs:label "reports to" .',
    }
    graph = imported(tmp_path, dict(list(files.items())[::order]))

    assert _kinds(graph) == {"ann": {"Surgeon", "Doctor"}}
    assert _facts(graph) == {("ann", "reports to", "bo")}
