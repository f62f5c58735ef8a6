"""What an outcome depends on, so that a journal is not gone on with by another evaluation."""

import hashlib
import os
from pathlib import Path

from evaluation.in_process import ANSWERER_URL, REWRITER_URL, Models
from services.answerer.prompts import ANSWER_PROMPT_VERSION
from services.llm.model_files import adapter_files
from services.retriever.prediction.model_folder import MANIFEST_FILE
from services.rewriter.prompts import PROMPT_VERSION
from shared.llm.client import OpenAIClient


def of_retrieval(graph_version: str, retriever: Path, questions: Path) -> dict[str, str]:
    """The graph, a trained retriever's folder, and a file of questions."""
    return {"graph": graph_version, "retriever": _digest(retriever / MANIFEST_FILE), "questions": _digest(questions)}


def of_models(graph: str, models: Models) -> dict[str, str]:
    """The language models; of those behind servers of the user's own only the name is known."""
    return {
        **{f"adapter {name}": _digest(file) for name, file in adapter_files(graph).items()},
        "rewriter's model": models.verbaliser.name,
        "base model": models.base.name,
        "QA model": models.qa_model.name,
        "rewriter's server": _server(REWRITER_URL, models.verbaliser),
        "answerer's server": _server(ANSWERER_URL, models.qa_model),
        "prompts": f"{PROMPT_VERSION}, {ANSWER_PROMPT_VERSION}",
    }


def _server(variable: str, model: OpenAIClient) -> str:
    """The embedded one has another port each time."""
    return model.server if os.environ.get(variable) else "embedded"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
