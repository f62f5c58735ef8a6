"""Items of evidence: reasoning paths that share all but their last triple, said together wherever they are said."""

from collections.abc import Iterable

from shared.graph.store import PathEnd
from shared.triple import Triple


def group_evidence(reached: Iterable[PathEnd]) -> list[list[PathEnd]]:
    """Answers of one relation path whose reasoning paths differ in the last triple alone, in order of appearance."""
    groups: dict[tuple[Triple, ...], list[PathEnd]] = {}
    for answer in reached:
        groups.setdefault(answer.reasoning_path[:-1], []).append(answer)
    return list(groups.values())


def facts_of(group: Iterable[PathEnd]) -> tuple[Triple, ...]:
    """The shared beginning once, then the last triple of each reasoning path."""
    return tuple(dict.fromkeys(triple for answer in group for triple in answer.reasoning_path))
