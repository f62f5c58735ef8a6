import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
from pathlib import Path
from services.retriever.paths.model import RetrieverModel
RetrieverModel.load(Path("examples/world/retriever")).encoder.encode(["capital of [MASK]"])
"""


def test_no_package_keeps_records_of_its_use(tmp_path: Path) -> None:
    told = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    subprocess.run([sys.executable, "-c", _PROGRAM], env={**told, "HOME": str(tmp_path)}, check=True)

    assert list(tmp_path.rglob("*")) == []
