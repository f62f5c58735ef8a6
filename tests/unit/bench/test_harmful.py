from pathlib import Path

from bench.harmful import harmful_texts, write_harmful
from evaluation.format_errors import Loss, Why
from evaluation.formats import Form


def loss(form: Form, harmful: bool | None) -> Loss:
    return Loss(
        question="who wrote *It*",
        form=form,
        why=Why.SILENT,
        harmful=harmful,
        answers=("A", "B", "C", "D"),
        said="I don't know.",
        said_from_triples="A",
        knowledge="It was written by A.\nAnd B.",
    )


def test_harmful_texts_alone_are_listed_with_their_reasons(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    harmful = harmful_texts([loss(Form.TEXT, True), loss(Form.TEXT, False), loss(Form.YAML, True)])
    write_harmful(harmful, {"who wrote *It*": "B did."}, page)
    written = page.read_text(encoding="utf-8")
    assert written.count("**who wrote \\*It\\***") == 1
    assert "| the QA model says that it does not know | 1 |" in written
    assert "1 questions; the text that `/ask` answers names a gold answer for 1 of them." in written
    assert "- answered by `/ask`: B did." in written
    assert "- gold: A, B, C, …\n- text: It was written by A. And B.\n" in written


def test_no_harmful_text_is_said_so(tmp_path: Path) -> None:
    write_harmful([], {}, tmp_path / "page.md")
    assert "\n0 questions;" in (tmp_path / "page.md").read_text(encoding="utf-8")
