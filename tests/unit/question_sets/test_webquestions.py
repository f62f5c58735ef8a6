import json
import lzma
from pathlib import Path

import pytest

from question_sets.records import read_questions
from question_sets.webquestions import convert_webquestions, topic_name
from shared.errors import InvalidInputError, NotFoundError

SPLITS = ("trainmodel", "devtest", "val", "test")


def folder_of_questions(root: Path, question: str = "who is ann lee?") -> Path:
    for split in SPLITS:
        for kind, row in (
            ("main", {"qId": split, "qText": question, "answers": ["Bo Kim", "Bo Kim"]}),
            ("d-freebase", {"qId": split, "freebaseKey": "ann_lee_1978"}),
        ):
            (root / kind).mkdir(parents=True, exist_ok=True)
            (root / kind / f"{split}.json").write_text(json.dumps([row]), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("key", "name"), [("ann_lee", "ann lee"), ("up_2009", "up"), ("us_1_cent", "us 1 cent"), ("jay-z", "jay-z")]
)
def test_freebase_keys_become_names(key: str, name: str) -> None:
    assert topic_name(key) == name


def test_questions_are_converted(tmp_path: Path) -> None:
    source = folder_of_questions(tmp_path / "in")
    plain = source / "main" / "val.json"
    (source / "main" / "val.json.xz").write_bytes(lzma.compress(plain.read_bytes()))
    plain.unlink()
    written = convert_webquestions(source, tmp_path / "out")
    assert [(file.name, lines) for file, lines in written.items()] == [
        (f"{s}.jsonl", 1) for s in ("train", "dev", "valid", "test")
    ]
    (question,) = read_questions(tmp_path / "out" / "valid.jsonl")
    assert (question.question, question.topic, question.answers) == ("who is ann lee?", "ann lee", ("Bo Kim",))
    assert question.path is None


@pytest.mark.parametrize("text", ["[", '{"qId": "1"}', '[{"qId": "1"}]', '[{"qId": "1", "qText": "", "answers": []}]'])
def test_an_error_names_the_file_and_nothing_is_written(tmp_path: Path, text: str) -> None:
    source = folder_of_questions(tmp_path / "in")
    (source / "main" / "test.json").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"main/test\.json, "):
        convert_webquestions(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"trainmodel\.json"):
        convert_webquestions(tmp_path, tmp_path / "out")
