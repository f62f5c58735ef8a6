"""shared/ holds only what several services use, or what one service and an offline room use."""

from collections.abc import Iterable

import grimp
import pytest

SERVICES = ("services.retriever", "services.rewriter", "services.answerer", "services.llm")
OFFLINE = ("ingestion", "question_sets", "training", "evaluation", "kgqa")

GRAPH = grimp.build_graph("shared", "services", *OFFLINE, cache_dir=None)


def _modules(room: str) -> set[str]:
    return {module for module in GRAPH.modules if module == room or module.startswith(f"{room}.")}


def _reached_by(room: str, entry_points: Iterable[str]) -> set[str]:
    """Return the modules of shared/ that a room imports, directly or through its own modules and other shared ones."""
    inside = _modules(room) | _modules("shared")
    reached: set[str] = set()
    pending = set(entry_points)
    while pending:
        reached |= pending
        imported = set().union(*map(GRAPH.find_modules_directly_imported_by, pending))
        pending = imported & inside - reached
    return reached & _modules("shared")


SHARED = sorted(module for module in _modules("shared") if not GRAPH.find_children(module))
BY_SERVICE = [_reached_by(service, [f"{service}.__main__"]) for service in SERVICES]
BY_OFFLINE_ROOM = [_reached_by(room, _modules(room)) for room in OFFLINE]


@pytest.mark.parametrize("module", SHARED)
def test_every_shared_module_is_used_by_two_services_or_one_and_an_offline_room(module: str) -> None:
    services = sum(module in reached for reached in BY_SERVICE)
    offline_rooms = sum(module in reached for reached in BY_OFFLINE_ROOM)

    assert services > 0
    assert services + offline_rooms > 1
