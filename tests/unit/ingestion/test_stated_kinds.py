from datetime import datetime
from pathlib import Path

import pytest

from tests.support.imported_graphs import StoredGraph, imported

_FACTS = [
    ("Mill", "type", "Machine"), ("Lathe", "type", "Machine"), ("Job 1", "type", "Job"), ("Job 2", "type", "Job"),
    ("Job 1", "machine", "Mill"), ("Job 2", "machine", "Lathe"), ("Mill", "power_kw", "7.5"),
]  # fmt: skip


def _imported(folder: Path, facts: list[tuple[str, str, str]]) -> StoredGraph:
    return imported(folder, {"facts.tsv": "".join("\t".join(fact) + "\n" for fact in facts)})


def _kinds(graph: StoredGraph) -> dict[str, set[str]]:
    return {name: node.kinds for name, node in graph.nodes.items() if node.kinds}


@pytest.mark.parametrize("relation", ["type", "is_a", "isA", "rdf:type", "instance of", "kind", "nodeType", "a"])
def test_a_relation_states_the_kinds(tmp_path: Path, relation: str) -> None:
    facts = [(s, relation if r == "type" else r, o) for s, r, o in _FACTS]
    graph = _imported(tmp_path, facts)

    assert _kinds(graph) == {"Mill": {"Machine"}, "Lathe": {"Machine"}, "Job 1": {"Job"}, "Job 2": {"Job"}}
    assert ("Mill", relation, "Machine") in [(s, r, o) for s, r, o, _ in graph.relationships]


def test_several_kinds_of_one_entity(tmp_path: Path) -> None:
    assert _kinds(_imported(tmp_path, [*_FACTS, ("Mill", "type", "Antique")]))["Mill"] == {"Machine", "Antique"}


@pytest.mark.parametrize(
    "facts",
    [
        # Few entities have a type.
        [*_FACTS[:1], *((f"Job {number}", "machine", "Mill") for number in range(9))],
        # The types are those of incidents, which all have the same relations.
        [
            fact
            for number in range(6)
            for fact in (
                (f"Incident {number}", "type", ("outage", "leak", "fire")[number % 3]),
                (f"Incident {number}", "reported_by", "Ann"),
                (f"Incident {number}", "severity", str(number)),
            )
        ],
        # The objects are entities with facts of their own.
        [("A", "type", "B"), ("B", "type", "A"), ("A", "near", "B")],
        # Another relation gives kinds already.
        [*_FACTS, ("Mill", ":LABEL", "Thing")],
    ],
)
def test_other_types_are_facts_only(tmp_path: Path, facts: list[tuple[str, str, str]]) -> None:
    kinds = _kinds(_imported(tmp_path, facts))

    assert kinds in ({}, {"Mill": {"Thing"}})


def test_durations_and_moments_of_facts_are_properties(tmp_path: Path) -> None:
    more = [
        ("Job 1", "took", "PT90M"), ("Job 2", "took", "P1DT50M"),
        ("Job 1", "began", "2023-05-01T08:30:00"), ("Job 2", "began", "2023-05-02 09:00"),
    ]  # fmt: skip
    found = _imported(tmp_path, [*_FACTS, *more]).nodes["Job 1"].properties

    assert found["took"] == "PT90M"
    assert found["began"] == datetime(2023, 5, 1, 8, 30)


def test_one_text_among_durations_costs_only_itself(tmp_path: Path) -> None:
    more = [("Job 1", "took", "PT90M"), ("Job 2", "took", "PT2H"), ("Job 3", "took", "2 hours")]
    nodes = _imported(tmp_path, [*_FACTS, ("Job 3", "type", "Job"), *more]).nodes

    assert [nodes[f"Job {number}"].properties.get("took") for number in (1, 2, 3)] == ["PT90M", "PT2H", None]
