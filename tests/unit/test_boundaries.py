"""Which room may import what, beyond what the import contracts of pyproject.toml say."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [file for room in ("kgqa", "services", "shared", "evaluation") for file in (ROOT / room).rglob("*.py")]
HEAVY = {"torch", "transformers", "peft", "onnx", "accelerate", "gguf", "safetensors"}
WEB = {"fastapi", "starlette", "uvicorn"}
WEB_FILES = {
    "app.py", "service.py", "server.py", "openapi.py", "problems.py", "middleware.py", "embedded_app.py",
    "embedded_errors.py",
}  # fmt: skip


def _imports(file: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
    return modules


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_heavy_packages_stay_in_training_and_web_frameworks_at_the_edge(file: Path) -> None:
    packages = {module.split(".")[0] for module in _imports(file)}
    if "training" not in file.relative_to(ROOT).parts:
        assert not packages & HEAVY
        assert not {m for m in _imports(file) if ".training" in m} or file.is_relative_to(ROOT / "kgqa")
    if file.name not in WEB_FILES:
        assert not packages & WEB
