"""shared/ holds only what several services use, or what one service and an offline package use."""

from collections.abc import Iterable

import grimp
import pytest

SERVICES = ("services.retriever", "services.rewriter", "services.answerer", "services.llm")
OFFLINE = ("ingestion", "question_sets", "training", "evaluation", "kgqa")

GRAPH = grimp.build_graph("shared", "services", *OFFLINE, cache_dir=None)


def _modules(package: str) -> set[str]:
    return {module for module in GRAPH.modules if module == package or module.startswith(f"{package}.")}


def _reached_by(package: str, entry_points: Iterable[str]) -> set[str]:
    """Return the modules of shared/ that a package imports, directly or indirectly within itself and shared/."""
    inside = _modules(package) | _modules("shared")
    reached: set[str] = set()
    pending = set(entry_points)
    while pending:
        reached |= pending
        imported = set().union(*map(GRAPH.find_modules_directly_imported_by, pending))
        pending = imported & inside - reached
    return reached & _modules("shared")


SHARED = sorted(module for module in _modules("shared") if not GRAPH.find_children(module))
BY_SERVICE = [_reached_by(service, [f"{service}.__main__"]) for service in SERVICES]
BY_OFFLINE_PACKAGE = [_reached_by(package, _modules(package)) for package in OFFLINE]


@pytest.mark.parametrize("module", SHARED)
def test_every_shared_module_is_used_by_two_services_or_one_and_an_offline_package(module: str) -> None:
    services = sum(module in reached for reached in BY_SERVICE)
    offline_packages = sum(module in reached for reached in BY_OFFLINE_PACKAGE)

    assert services > 0
    assert services + offline_packages > 1
