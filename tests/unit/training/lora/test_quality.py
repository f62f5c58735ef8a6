from pathlib import Path

import pytest

from contracts.rewrite import KnowledgeFormat
from question_sets.records import QuestionRecord
from services.llm.model_files import packaged_adapters
from shared.triple import Triple
from training.lora.quality import answerer_quality, main, rewriter_quality
from training.synthetic.evidence import EvidenceItem, Step
from training.synthetic.relations import derive_relation

CAPITAL = (Triple("France", "capital", "Paris"),)
QUESTION = QuestionRecord(
    question="capitals of the neighbours of Spain?", topic="Spain", answers=("Paris",), path=("borders", "capital")
)
STEPS = tuple(Step(derive_relation(name), name, False) for name in ("borders", "capital"))
EVIDENCE = EvidenceItem(STEPS, ("Spain", "France"), ("Paris", "Lyon"))


def test_unfaithful_texts_are_counted_and_described() -> None:
    texts = {"(France, capital, Paris)": "Paris is the capital of France.", "(Spain, capital, Madrid)": "Rome is it."}

    def complete(prompt: str, _: int) -> str:
        return next(text for facts, text in texts.items() if facts in prompt)

    quality = rewriter_quality("facts", [CAPITAL, (Triple("Spain", "capital", "Madrid"),)], complete)

    assert str(quality) == "facts: faithful 50.0 % (1 of 2)"
    (failure,) = quality.failures
    assert "(Spain, capital, Madrid)" in failure and "Rome is it." in failure


@pytest.mark.parametrize(
    ("answer", "counts", "failures"),
    [
        ("Paris and Lyon", (1, 0, 1), 0),
        ("Paris", (1, 0, 0), 0),
        ("I don't know.", (0, 0, 0), 1),
        ("It is France.", (0, 1, 0), 1),
        ("Paris, Lyon and France", (1, 1, 0), 1),
        ("Spain borders on Paris", (1, 0, 0), 0),  # the question already names Spain
    ],
)
def test_right_and_wrong_names_are_counted(answer: str, counts: tuple[int, ...], failures: int) -> None:
    prompts: list[str] = []

    def complete(prompt: str, _: int) -> str:
        prompts.append(prompt)
        return answer

    quality = answerer_quality([(QUESTION, [EVIDENCE])], KnowledgeFormat.TRIPLES, complete)

    assert (quality.total, tuple(quality.counts.values()), len(quality.failures)) == (1, counts, failures)
    assert "(France, capital, Paris)" in prompts[0]


@pytest.mark.parametrize("name", ["rewriter", "answerer"])
def test_packaged_adapters_are_measured(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "graph.tsv").write_text(
        "Spain\tborders\tFrance\nFrance\tcapital\tParis\nFrance\talias\tLa France\n", encoding="utf-8"
    )
    (tmp_path / "questions.jsonl").write_text(QUESTION.model_dump_json(), encoding="utf-8")
    files = ("--graph", str(tmp_path / "graph.tsv"), "--questions", str(tmp_path / "questions.jsonl"))

    main([name, "--adapter", str(packaged_adapters()[name]), *files, "--count", "1"])

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == (
        ["the graph", "invented graphs"] if name == "rewriter" else ["text", "template", "triples", "yaml"]
    )
    assert "(1 of 1)" in lines[0]
