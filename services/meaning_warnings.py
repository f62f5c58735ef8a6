"""Check whether what an owner says of a graph fits it, before `kgqa up` serves it."""

from collections.abc import Callable

from contracts.meaning_file import MeaningFile
from contracts.meaning_fit import fitting
from graph.plan.schema import GraphSchema
from shared.paths import meaning_file

_MAX_SHOWN = 5


def warn_of_meaning(said: MeaningFile, graph: str, schema: GraphSchema, warn: Callable[[str], None]) -> None:
    """Warn of the first problems of a `meaning.toml`, because what it should hide may be visible."""
    problems = fitting(said, schema).problems
    for problem in problems[:_MAX_SHOWN]:
        warn(f"{meaning_file(graph)}, {problem}")
    if len(problems) > _MAX_SHOWN:
        warn(f"and {len(problems) - _MAX_SHOWN} more; see them all with: kgqa describe --check --graph {graph}")
