"""Rules about third-party imports, beyond the import contracts of pyproject.toml."""

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    file
    for room in (
        "kgqa",
        "evaluation",
        "training",
        "question_sets",
        "ingestion",
        "services",
        "texts",
        "contracts",
        "language",
        "graph",
        "shared",
    )
    for file in (ROOT / room).rglob("*.py")
]
HEAVY = {"torch", "transformers", "peft", "onnx", "accelerate", "gguf", "safetensors"}
WEB = {"fastapi", "starlette", "uvicorn"}
WEB_FILES = {
    *(ROOT / "shared/web").rglob("*.py"),
    *(ROOT / "services").glob("*/app.py"),
    ROOT / "services/llm/errors.py",
    ROOT / "services/answerer/ask_routes.py",
    ROOT / "services/answerer/chat_routes.py",
    ROOT / "services/answerer/graph_routes.py",
    ROOT / "services/answerer/feedback_routes.py",
    ROOT / "services/answerer/mcp/endpoint.py",
    ROOT / "services/answerer/page/routes.py",
}
HTTP_CLIENTS = {"aiohttp", "httpx", "requests", "urllib3", "http.client", "urllib.request"}
CLIENT_FILES = {
    ROOT / "shared/outbound/http.py": {"aiohttp"},
    ROOT / "services/healthcheck.py": {"http.client"},
    # What users import is apart from what the services call each other with.
    ROOT / "kgqa/client/sync_client.py": {"httpx"},
    ROOT / "kgqa/client/async_client.py": {"httpx"},
    ROOT / "kgqa/client/exchange.py": {"httpx"},
    # Asks one question at a time of an endpoint that takes forms, for a command that waits for it.
    ROOT / "ingestion/sparql_snapshot.py": {"http.client", "urllib.request"},
}


@functools.cache
def _imports(file: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
    return modules


def test_heavy_packages_stay_in_training_and_web_frameworks_at_the_edge() -> None:
    for file in SOURCES:
        packages = {module.split(".")[0] for module in _imports(file)}
        if not file.is_relative_to(ROOT / "training"):
            assert not packages & HEAVY, file
        if file not in WEB_FILES:
            assert not packages & WEB, file


def test_one_module_records_spans_so_that_services_run_without_the_packages() -> None:
    importing = {file for file in SOURCES if any(one.split(".")[0] == "opentelemetry" for one in _imports(file))}
    assert importing == {ROOT / "shared/tracing/opentelemetry_tracer.py"}


def test_one_module_calls_services_and_one_probes_their_health() -> None:
    for file in SOURCES:
        assert _imports(file) & HTTP_CLIENTS == CLIENT_FILES.get(file, set()), file


# Owners pin questions to plans by wordings of their own.
OWN_WORDINGS = ROOT / "services/retriever/trusted/questions.py"
MATCHING = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}


def _reads_question(node: ast.AST) -> bool:
    """Return whether an expression reads the text of a question, or a question by its name."""
    return any(
        (isinstance(one, ast.Name) and one.id in ("question", "said"))
        or (isinstance(one, ast.Attribute) and one.attr == "question")
        for one in ast.walk(node)
    )


def test_neither_retriever_nor_answerer_matches_an_expression_on_a_question() -> None:
    matched = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for room in ("retriever", "answerer")
        for file in sorted({*(ROOT / "services" / room).rglob("*.py")} - {OWN_WORDINGS})
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MATCHING
        and any(map(_reads_question, node.args))
    ]
    assert matched == [], "name what the question says with a mark of language/marks.py"
