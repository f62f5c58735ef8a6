import json
import lzma
from pathlib import Path

import pytest

from ingestion.importer import import_files
from question_sets.records import read_questions
from question_sets.webqsp import convert_webqsp
from shared.errors import InvalidInputError, NotFoundError
from tests.unit.question_sets.test_webquestions import folder_of_questions

ROWS = (
    "who plays ann in heat\tHeat, Part 2\tBo Kim|Cy\t"
    "(Heat, Part 2, film.film.starring, CVT1) (CVT1, film.performance.actor, Bo Kim)|"
    "(Heat, Part 2, film.film.starring, CVT1) (CVT1, film.performance.actor, Cy (actor))|"
    "(Heat, Part 2, film.film.awards, CVT1)\t-\n"
    "where was bo kim born\tBo Kim\tOslo\t\t\n"
)
STARRING = ["film.film.starring", "film.performance.actor"]
BORN = "people.person.place_of_birth"


def _ground(question: str, *paths: list[str]) -> str:
    return json.dumps({"id": "1", "question": question, "ground_paths": paths}) + "\n"


def _folder(root: Path, rows: str = ROWS) -> Path:
    root.mkdir(parents=True)
    (root / "rra_test_subgraphs.txt.xz").write_bytes(lzma.compress(rows.encode()))
    walked = {
        "question": "q",
        "paths": [f"Bo Kim -> {BORN} -> Oslo\u200e", "Heat, Part 2 -> film.film.country -> m.01"],
    }
    (root / "gnnrag_test_reasoning_paths.jsonl").write_text(json.dumps(walked) + "\n", encoding="utf-8")
    for split, lines in (
        ("train", _ground("who is ann lee", ["unknown.to.it"], [BORN]) + _ground("what else", ["unknown.to.it"])),
        ("validation", _ground("who acts", [BORN, "people.person.nationality"], STARRING)),
        ("test", _ground("who plays ann in heat", STARRING) + _ground("where was bo kim born", [], [BORN])),
    ):
        (root / f"rog_gold_relation_paths_{split}.jsonl").write_text(lines, encoding="utf-8")
    return root


def test_the_graph_has_a_separate_node_for_each_mediator(tmp_path: Path) -> None:
    written = convert_webqsp(_folder(tmp_path / "in"), tmp_path / "out")
    assert [(file.name, lines) for file, lines in written.items()] == [
        ("graph.tsv", 6),
        ("train.jsonl", 2),
        ("valid.jsonl", 1),
        ("test.jsonl", 2),
    ]
    assert (tmp_path / "out" / "graph.tsv").read_text(encoding="utf-8").split("\n") == [
        "Heat, Part 2\tfilm.film.starring\t_:b1cvt1",
        "_:b1cvt1\tfilm.performance.actor\tBo Kim",
        "Heat, Part 2\tfilm.film.starring\t_:b2cvt1",
        "_:b2cvt1\tfilm.performance.actor\tCy (actor)",
        "Heat, Part 2\tfilm.film.country\tm.01",
        f"Bo Kim\t{BORN}\tOslo",
        "",
    ]


def test_the_graph_can_be_imported(tmp_path: Path) -> None:
    convert_webqsp(_folder(tmp_path / "in"), tmp_path / "out")
    assert import_files([tmp_path / "out" / "graph.tsv"], tmp_path / "graph.db").triples == 6


def test_a_test_question_has_the_path_that_reaches_its_answers(tmp_path: Path) -> None:
    convert_webqsp(_folder(tmp_path / "in"), tmp_path / "out")
    plays, born = read_questions(tmp_path / "out" / "test.jsonl")
    assert (plays.topic, plays.answers, plays.path) == ("Heat, Part 2", ("Bo Kim", "Cy"), tuple(STARRING))
    assert (born.topic, born.answers, born.path) == ("Bo Kim", ("Oslo",), (BORN,))


def test_other_questions_have_a_path_with_walks_in_the_graph(tmp_path: Path) -> None:
    convert_webqsp(_folder(tmp_path / "in"), tmp_path / "out")
    known, unknown = read_questions(tmp_path / "out" / "train.jsonl")
    assert (known.topic, known.answers, known.path) == (None, (), (BORN,))
    assert unknown.path is None
    (valid,) = read_questions(tmp_path / "out" / "valid.jsonl")
    assert valid.path == tuple(STARRING)


def test_topics_and_answers_come_from_the_webquestions_folder(tmp_path: Path) -> None:
    folder_of_questions(tmp_path / "webquestions")
    convert_webqsp(_folder(tmp_path / "in"), tmp_path / "out")
    known, unknown = read_questions(tmp_path / "out" / "train.jsonl")
    assert (known.topic, known.answers) == ("ann lee", ("Bo Kim",))
    assert (unknown.topic, unknown.answers) == (None, ())


@pytest.mark.parametrize("row", ["q\tt\ta\n", "q\tt\ta\t(no triple)\t\n"])
def test_an_error_names_the_line_and_nothing_is_written(tmp_path: Path, row: str) -> None:
    with pytest.raises(InvalidInputError, match=r"rra_test_subgraphs\.txt\.xz, line 1"):
        convert_webqsp(_folder(tmp_path / "in", row), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("line", ["{", '{"paths": ["a -> r"]}'])
def test_an_error_names_the_line_of_a_malformed_path(tmp_path: Path, line: str) -> None:
    source = _folder(tmp_path / "in")
    (source / "gnnrag_test_reasoning_paths.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"gnnrag_test_reasoning_paths\.jsonl, line 1"):
        convert_webqsp(source, tmp_path / "out")


def test_a_folder_of_something_else_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"rra_test_subgraphs\.txt"):
        convert_webqsp(tmp_path, tmp_path / "out")


def test_a_question_of_several_paths_is_repeated_with_the_largest_fan_out_last(tmp_path: Path) -> None:
    source = _folder(tmp_path / "in")
    paths = [f"Di{n} -> people.person.gender -> Male" for n in range(9)]
    (source / "gnnrag_test_reasoning_paths.jsonl").write_text(
        json.dumps({"paths": [*paths, f"Di1 -> {BORN} -> Oslo"]}) + "\n", encoding="utf-8"
    )
    (source / "rog_gold_relation_paths_train.jsonl").write_text(
        _ground("who is di", ["people.person.gender", "people.person.gender"], [BORN]), encoding="utf-8"
    )
    convert_webqsp(source, tmp_path / "out")
    questions = read_questions(tmp_path / "out" / "train.jsonl")
    assert [question.path for question in questions] == [
        (BORN,),
        ("people.person.gender", "^people.person.gender"),
    ]
