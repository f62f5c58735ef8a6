"""Identify everything that outcomes depend on, so that an evaluation resumes only from its own journal."""

import hashlib
import os
from pathlib import Path

from evaluation.in_process import ANSWERER_URL, REWRITER_URL, LanguageModels
from services.answerer.prompts import ANSWER_PROMPT_VERSION
from services.llm.model_files import adapter_files
from services.retriever.prediction.model_folder import MANIFEST_FILE
from services.rewriter.prompts import PROMPT_VERSION
from shared.llm.client import OpenAIClient


def retrieval_fingerprint(graph_version: str, retriever: Path, questions: Path) -> dict[str, str]:
    """Return values that identify a graph, a trained retriever, and a question file."""
    return {"graph": graph_version, "retriever": _digest(retriever / MANIFEST_FILE), "questions": _digest(questions)}


def model_fingerprint(graph: str, models: LanguageModels) -> dict[str, str]:
    """Return values that identify models and prompts; a model on the user's own server is identified by name."""
    return {
        **{f"adapter {name}": _digest(file) for name, file in adapter_files(graph).items()},
        "rewriter's model": models.rewriter.name,
        "base model": models.base.name,
        "QA model": models.qa.name,
        "rewriter's server": _server(REWRITER_URL, models.rewriter),
        "answerer's server": _server(ANSWERER_URL, models.qa),
        "prompts": f"{PROMPT_VERSION}, {ANSWER_PROMPT_VERSION}",
    }


def _server(variable: str, model: OpenAIClient) -> str:
    """Return the server's address, or "embedded" for the embedded server, whose port changes with each run."""
    return model.server if os.environ.get(variable) else "embedded"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
