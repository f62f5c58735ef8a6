from pathlib import Path

import pytest

from evaluation.options import EvaluationOptions


@pytest.mark.parametrize("manifest", ["manifest.json", "plans/manifest.json"])
def test_a_report_names_the_folder_of_the_models_or_says_that_the_packaged_model_was_used(
    tmp_path: Path, manifest: str
) -> None:
    options = EvaluationOptions("mine", tmp_path / "retriever", Path("q.jsonl"))
    assert options.described()["retriever"] == "the packaged base model"

    (options.retriever / manifest).parent.mkdir(parents=True)
    (options.retriever / manifest).write_text("{}", encoding="utf-8")
    assert options.described()["retriever"] == str(options.retriever)
