"""Each test module belongs to exactly one suite, some command runs each suite, and no clock decides."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.support.long_suites import SUITES

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "tests").rglob("test_*.py"))
MEASURING = {"abuse.py", "attackers.py", "command_line.py", "fault_injection.py", "long_suites.py"}
MEASURING |= {"reply_comparison.py", "stream_clients.py", "waiting.py"}
"""Files of `tests/support` that read the clock, for benchmarks or to guard against hanging."""
CLOCK_FOR_THE_CODE = {"test_circuit_breaker.py", "test_redis_cache.py"}
"""Modules that hand a clock to the code under test, and do not look at it themselves."""
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "thread_time", "getrusage"}
GUARD_S = 60
WAITS = {"communicate", "join", "wait"}
LIMITS = {"timeout", "timeout_s", "receive_timeout_s", "request_timeout_s", "seconds_allowed"}


def suites_of(tree: ast.AST) -> list[str]:
    """Return the suites that the marks of a module name, once for each mark."""
    marks = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in SUITES)
    return [node.attr for node in marks if isinstance(node.value, ast.Attribute) and node.value.attr == "mark"]


def test_a_module_belongs_to_one_suite() -> None:
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        marks = suites_of(tree)
        assert len(marks) <= 1, path
        assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
        of_module = [node for node in assigned if "pytestmark" in map(ast.unparse, node.targets)]
        assert [suite for node in of_module for suite in suites_of(node)] == marks, f"mark the whole module: {path}"


def test_the_gate_and_the_long_suites_run_every_module() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [long] = re.findall(r"^LONG_SUITES := (.*)$", makefile, re.MULTILINE)
    assert long.split() == list(SUITES)
    for suite in SUITES:
        assert re.search(rf"^test-{suite}:.*\n\t.*-m {suite}\b", makefile, re.MULTILINE), suite
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [line for line in gate.splitlines() if not line.startswith("#")]
    assert {"install-dev", "lint", "test"} == set(re.findall(r"\bmake ([\w-]+)", "\n".join(commands)))


def clock_reads(tree: ast.AST) -> Iterator[str]:
    """Yield the calls that read a clock, and the imports of its functions by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if node.func.attr in CLOCKS or (node.func.attr == "time" and ("time" in owner or "loop" in owner)):
                yield ast.unparse(node)
        if isinstance(node, ast.ImportFrom) and node.module in {"time", "resource"}:
            yield from (alias.name for alias in node.names if alias.name in CLOCKS | {"time"})


def limits_of(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the time limits that a call gives to what it calls."""
    name = ast.unparse(call.func)
    if name == "asyncio.wait_for":
        yield from call.args[1:]
    elif name == "asyncio.timeout" or name.rpartition(".")[2] in WAITS:
        yield from call.args
    yield from (keyword.value for keyword in call.keywords if keyword.arg in LIMITS)


def short_guards(tree: ast.Module) -> Iterator[str]:
    """Yield the time limits that a busy machine may exceed, given as numbers or as constants of the module."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    constants = {ast.unparse(target): node.value for node in assigned for target in node.targets}
    for node in ast.walk(tree):
        for limit in limits_of(node) if isinstance(node, ast.Call) else ():
            value = getattr(constants.get(ast.unparse(limit), limit), "value", None)
            if isinstance(value, int | float) and value < GUARD_S:
                yield ast.unparse(node)


# These wait for a time limit of the code under test, set one that nothing waits for, or poll.
ALLOWED_LIMITS = {
    "OpenAIClient(url, 'rewriter', timeout_s=0.1)",
    "RedisTextCache('nothing', ttl_s=1, timeout_s=1, claim_s=1)",
    "RedisTextCache(f'redis://:{SECRET}#1@cache:6379/0', ttl_s=1, timeout_s=1, claim_s=1)",
    "RedisTextCache(url, ttl_s=1, timeout_s=1, claim_s=1)",
    "ServiceSettings(max_in_flight=1, receive_timeout_s=0.5)",
    "ServiceSettings(request_timeout_s=1e-09)",
    "SqliteGraphStore(graph_file(tmp_path, rows), seconds_allowed=0.0)",
    "_settings(seconds_allowed=_PATIENCE_S)",
    "asyncio.wait_for(planner.read(english(LATE)), 0.2)",
    "cache_of(redis, timeout_s=TIMEOUT_S)",
    "call(hang, timeout_s=0.1)",
    "ended.wait(_PAUSE_S)",
    "self.hold.wait(0.001)",
    "settings(seconds_allowed=0.0)",
    "settings(seconds_allowed=0.5)",
}


def test_no_clock_decides() -> None:
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.name not in (MEASURING if path.parent.name == "support" else CLOCK_FOR_THE_CODE):
            assert list(clock_reads(tree)) == [], f"assert on counters, states, or order; measure in bench/: {path}"
        assert [limit for limit in short_guards(tree) if limit not in ALLOWED_LIMITS] == [], path


def test_clients_wait_for_a_busy_machine() -> None:
    with httpx.Client() as client:
        assert all(limit is not None and limit >= GUARD_S for limit in client.timeout.as_dict().values())
