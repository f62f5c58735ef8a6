"""The client needs no service: whoever installs it alone gets few packages, and a fast start."""

import subprocess
import sys

_PROGRAM = """
import sys
import kgqa.client
heavy = {"fastapi", "starlette", "uvicorn", "torch", "neo4j", "numpy", "onnxruntime", "typer", "mcp", "services"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


def test_importing_the_client_imports_no_service() -> None:
    run = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
