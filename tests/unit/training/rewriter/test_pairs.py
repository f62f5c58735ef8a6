import json
import lzma
import re
from pathlib import Path

import pytest

from services.rewriter.prompts import rewrite_prompt
from shared.errors import InvalidInputError, NotFoundError
from shared.triple import Triple
from training.lora.task import Pair
from training.rewriter.pairs import read_pairs, training_pairs

FACTS = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("Italy", "borders", "France"),
    Triple("Spain", "capital", "Madrid"),
]
LINE = {"question": "q", "facts": [["France", "capital", "Paris"]], "text": "Paris is the capital of France."}
T1 = rewrite_prompt("(France, capital, Paris)")
PAIR = Pair(T1, LINE["text"])  # type: ignore[arg-type]


def test_same_seed_same_pairs() -> None:
    assert training_pairs(20, FACTS, 5) == training_pairs(20, FACTS, 5)
    assert training_pairs(20, FACTS, 5) != training_pairs(20, [], 5)


def test_another_graphs_relations_are_not_worded_as_the_demos() -> None:
    facts = [Triple(f"Bistro {n}", "serves", f"Dish {n % 7}") for n in range(20)]
    facts += [Triple(f"Tool {n}", "written_in", f"Tongue {n % 5}") for n in range(20)]
    facts += [Triple(f"Tool {n}", "drives_on_side", f"Lane {n % 3}") for n in range(20)]
    texts = [pair.completion for pair in training_pairs(300, facts) if re.search(r"\((Bistro|Tool) ", pair.prompt)]
    assert len(texts) > 50
    assert not [text for text in texts if re.search(r"airport|cit(y|ies)|script|Cars", text)]
    assert any(re.search(r"Bistro \d+ serves Dish \d\.", text) for text in texts)


def test_pairs_of_a_corpus_are_read(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n\n{json.dumps(LINE | {'text': ' '})}\n", encoding="utf-8")
    assert read_pairs(file) == [PAIR]


def test_rras_pairs_are_read_compressed_or_not(tmp_path: Path) -> None:
    items = [
        {"instruction": T1, "input": "", "output": f" {LINE['text']}\n"},
        {"instruction": "Say:", "input": "(A, b, C)", "output": "A b C."},
    ]
    (tmp_path / "pairs.json").write_text(json.dumps(items, indent=1), encoding="utf-8")
    with lzma.open(tmp_path / "pairs.json.xz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(items))
    for name in ("pairs.json", "pairs.json.xz"):
        assert read_pairs(tmp_path / name) == [PAIR, Pair("Say:\n(A, b, C)", "A b C.")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "contains no pairs"),
        ("[]", "contains no pairs"),
        ('{"facts": [["a", "b", "c"]]}', "line 1: text: Field required"),
        ('{"facts": [["a", "b"]], "text": "t"}', "line 1: facts.0.2"),
        (f"{json.dumps(LINE)}\n{{oops", "line 2: not JSON"),
        ('[{"output": "x"}]', "instruction, input, and output"),
        ("[1", "instruction, input, and output"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "pairs.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=reason):
        read_pairs(file)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="pairs file not found"):
        read_pairs(tmp_path / "missing.jsonl")
    with pytest.raises(InvalidInputError, match="is a folder"):
        read_pairs(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "torn.xz").write_bytes(b"not xz")
    for name in ("latin.jsonl", "torn.xz"):
        with pytest.raises(InvalidInputError, match="not readable"):
            read_pairs(tmp_path / name)
