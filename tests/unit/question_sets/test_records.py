import lzma
from pathlib import Path

import pytest

from graph.plan.algebra import Match, NodePattern
from question_sets.records import QuestionRecord, draw_sample, read_questions
from shared.errors import InvalidInputError, NotFoundError

GOOD = '{"question": "capital of France?", "topic": "France", "answers": ["Paris"], "path": ["capital"]}\n'


def test_plain_and_compressed_files_are_read(tmp_path: Path) -> None:
    plain, packed = tmp_path / "q.jsonl", tmp_path / "q.jsonl.xz"
    plain.write_text(GOOD + "\n" + GOOD, encoding="utf-8")
    packed.write_bytes(lzma.compress(GOOD.encode()))
    assert len(read_questions(plain)) == 2
    assert read_questions(packed)[0].path == ("capital",)


_KNOWN = "question, topic, answers, path, plan, cypher, kind, rows"


def test_numbers_are_read_as_answers(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "How many?", "answers": [9, 1.5, true]}\n', encoding="utf-8")

    assert read_questions(file)[0].answers == ("9", "1.5", "true")


def test_a_question_may_have_a_plan_or_a_query_instead_of_answers(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    plan = '{"steps": [{"op": "match", "nodes": [{"variable": "n", "kinds": ["Film"]}]}]}'
    file.write_text(
        f'{{"question": "q", "plan": {plan}}}\n{{"question": "q", "cypher": "MATCH (n) RETURN n"}}\n', encoding="utf-8"
    )

    first, second = read_questions(file)

    assert first.plan is not None
    assert first.plan.steps[0] == Match((NodePattern("n", ("Film",)),))
    assert second.cypher == "MATCH (n) RETURN n"
    assert all(one.has_query for one in (first, second))


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.xz"])
@pytest.mark.parametrize("before", [0, 1000])
def test_the_line_that_is_not_utf8_is_named(tmp_path: Path, name: str, before: int) -> None:
    content = GOOD.encode() * before + b'{"question": "Caf\xe9?"}\n'
    file = tmp_path / name
    file.write_bytes(lzma.compress(content) if name.endswith(".xz") else content)

    with pytest.raises(InvalidInputError) as caught:
        read_questions(file)

    assert str(caught.value) == f"{file}, line {before + 1}: not UTF-8 at byte 18; save it as UTF-8"


def test_a_truncated_archive_says_so(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl.xz"
    file.write_bytes(lzma.compress(GOOD.encode())[:-20])

    with pytest.raises(InvalidInputError, match=r"cannot be decompressed: .*; copy it again"):
        read_questions(file)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("name,age", 'line 2: expected a JSON object on each line, such as {"question": '),
        ("name,age", "found 'name,age'"),
        ("[1]", "line 2: expected a JSON object on each line"),
        ('{"question": "q"}', "line 2, line: `answers` is required"),
        ('{"question": "q", "plan": {"steps": [{"op": "x"}]}}', "line 2, plan: the plan is malformed: steps.0"),
        ('{"question": "", "answers": []}', "line 2, question"),
        ('{"question": "q", "answers": "Paris"}', "line 2, answers"),
        ('{"question": "q", "answers": ["Paris"], "path": []}', "cannot answer"),
    ],
)
def test_an_error_names_the_line_and_its_field(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(f"{GOOD}{line}\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=words):
        read_questions(file)


def test_an_unreadable_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_questions(tmp_path / "none.jsonl")
    empty, binary, torn = tmp_path / "empty.jsonl", tmp_path / "binary.jsonl", tmp_path / "torn.jsonl.xz"
    empty.write_text("\n")
    binary.write_bytes(b"\xff\xfe\x00")
    torn.write_bytes(lzma.compress(GOOD.encode() * 1000)[:-20])
    for file in (empty, binary, torn):
        with pytest.raises(InvalidInputError, match=file.name.replace(".", r"\.")):
            read_questions(file)


def test_each_unknown_field_is_ignored_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "q.jsonl"
    line = '{"question": "q", "answers": ["Paris"], "id": 7, "paths": ["capital"]}\n'
    file.write_text(GOOD + line * 3 + '{"question": "q", "answers": [], "source": {"a": 1}}\n', encoding="utf-8")
    assert len(read_questions(file)) == 5
    assert sorted(caplog.messages) == [
        f"warning: {file}: ignored the unknown field 'id' in 3 lines; known fields: {_KNOWN}",
        f"warning: {file}: ignored the unknown field 'paths' in 3 lines; known fields: {_KNOWN}",
        f"warning: {file}: ignored the unknown field 'source' in 1 line; known fields: {_KNOWN}",
    ]


@pytest.mark.parametrize(
    ("answers", "path", "is_correct"),
    [
        (["spain", "Luxembourg"], [], True),
        (["Spain"], [], False),
        (["Spain", "Luxembourg", "Paris"], [], False),
        (["Spain", "Luxembourg", "Paris"], ["borders"], True),
        ([], ["borders"], False),
    ],
)
def test_an_answer_set_is_correct_if_it_equals_the_gold_set_or_comes_from_the_gold_path(
    answers: list[str], path: list[str], is_correct: bool
) -> None:
    record = QuestionRecord(question="q", answers=("Luxembourg", "Spain"), path=("borders",))

    assert record.is_answered_by(answers, path) == is_correct


def test_abstaining_is_correct_for_an_unanswerable_question() -> None:
    record = QuestionRecord(question="q", answers=(), path=())

    assert record.is_answered_by([], [])
    assert not record.is_answered_by(["Spain"], ["borders"])


def test_a_sample_depends_on_the_seed_and_keeps_the_order_of_the_file() -> None:
    records = [QuestionRecord(question=f"question {number}", answers=("Paris",)) for number in range(40)]
    drawn = draw_sample(records, 7, seed=0)
    assert len(drawn) == 7
    assert drawn == draw_sample(records, 7, seed=0) != draw_sample(records, 7, seed=1)
    assert [number for number, _ in drawn] == sorted({number for number, _ in drawn})
    assert all(records[number] is record for number, record in drawn)
    assert draw_sample(records, None, 0) == draw_sample(records, 99, 0) == list(enumerate(records))


def test_the_first_column_of_a_gold_table_has_the_answers(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    table = '"rows": [["Bern", 2], ["Oslo", null], ["Bern", 4.5], [null, 1]]'
    file.write_text(f'{{"question": "q", {table}}}\n{{"question": "q", "answers": [2], {table}}}\n', encoding="utf-8")

    first, second = read_questions(file)

    assert first.rows == (("Bern", "2"), ("Oslo", None), ("Bern", "4.5"), (None, "1"))
    assert first.answers == ("Bern", "Oslo")
    assert second.answers == ("2",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('[["Bern", 2], ["Oslo"]]', "rows"),
        ('[["Bern", 2], ["Oslo", 3, 4]]', "same number of values"),
        ('[["Bern", [2]]]', "rows"),
        ('["Bern"]', "rows"),
        ("3", "rows"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, rows: str, said: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(f'{{"question": "q", "rows": {rows}}}\n', encoding="utf-8")

    with pytest.raises(InvalidInputError, match=said):
        read_questions(file)
