"""shared/ and texts/ hold only what several services use."""

import grimp
import pytest

SERVICES = ("services.retriever", "services.rewriter", "services.answerer", "services.llm")
ROOMS = ("shared", "texts")

GRAPH = grimp.build_graph("services", "texts", "contracts", "language", "graph", "shared", cache_dir=None)
MODULES = sorted(one for one in GRAPH.modules if one.split(".")[0] in ROOMS and not GRAPH.find_children(one))
BY_SERVICE = [GRAPH.find_upstream_modules(f"{service}.__main__") for service in SERVICES]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_is_used_by_two_services(module: str) -> None:
    assert sum(module in used for used in BY_SERVICE) > 1
