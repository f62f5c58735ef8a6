"""Each test module belongs to exactly one suite, some command runs each suite, and no clock decides."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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
    """Yield the calls that read a clock."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if node.func.attr in CLOCKS or (node.func.attr == "time" and ("time" in owner or "loop" in owner)):
                yield ast.unparse(node)


def short_guards(tree: ast.AST) -> Iterator[str]:
    """Yield the time limits that a busy machine may exceed."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, limits = ast.unparse(node.func), list(node.args)
        if name == "asyncio.wait_for":
            limits = limits[1:]
        elif name not in {"asyncio.timeout", "subprocess.run"} and node.func.attr not in WAITS:
            continue
        limits += [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
        values = [limit.value for limit in limits if isinstance(limit, ast.Constant)]
        if any(isinstance(value, int | float) and value < GUARD_S for value in values):
            yield ast.unparse(node)


# These wait for a time limit of the code under test, or poll.
ALLOWED_LIMITS = {"asyncio.wait_for(planner.read(LATE), 0.2)", "self.hold.wait(0.001)"}


def test_no_clock_decides() -> None:
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.name not in (MEASURING if path.parent.name == "support" else CLOCK_FOR_THE_CODE):
            assert list(clock_reads(tree)) == [], f"assert on counters, states, or order; measure in bench/: {path}"
        assert [limit for limit in short_guards(tree) if limit not in ALLOWED_LIMITS] == [], path
