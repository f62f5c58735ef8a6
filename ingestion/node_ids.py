"""Turn the IDs in property graphs into the keys of nodes, and find relationships whose ends are not nodes.

A relationship may come before its nodes, so its ends can be checked only after all files have been read.
"""

from collections.abc import Iterator

from ingestion.node_definitions import NodeDefinitions
from ingestion.typed_values import listed
from shared.text import shown

# The name of a file and the number of a line in it.
Place = tuple[str, int]


class NodeIds:
    """Collect the IDs and groups of one import.

    An ID identifies a node within its group. IDs in JSON Lines, and in CSV columns without a group, share one space.
    """

    def __init__(self) -> None:
        self.definitions = NodeDefinitions()
        self._groups: set[str] = set()
        self._used_groups: dict[str, Place] = {}
        self._ends: dict[str, tuple[str, str]] = {}
        self._prefixes: dict[str, tuple[Place, str]] = {}
        self._is_incomplete = False

    def key(self, id_: str, group: str, place: Place) -> str:
        """Return the key of a node; `group` is empty if its ID has none."""
        if group:
            return f"{group}:{id_}"
        if ":" in id_:
            self._prefixes.setdefault(id_.split(":", 1)[0], (place, id_))
        return id_

    def define_group(self, group: str) -> None:
        """Record a group that a node file has."""
        self._groups.add(group)

    def expect_group(self, group: str, place: Place) -> None:
        """Record a group that a relationship file mentions."""
        self._used_groups.setdefault(group, place)

    def expect(self, key: str, id_: str, group: str) -> None:
        """Record the end of a relationship whose node has not been read yet."""
        self._ends.setdefault(key, (id_, group))

    def skip_file(self) -> None:
        """Record that the nodes in a file are unknown, so that their relationships are not reported as well."""
        self._is_incomplete = True

    def faults(self) -> Iterator[tuple[Place, str]]:
        """Yield the place and a description of each group that no node has, and of IDs that are ambiguous."""
        yield from self.definitions.conflicts()
        for prefix, (place, id_) in self._prefixes.items():
            if prefix in self._groups:
                yield place, f"the ID {shown(id_)} is also an ID of the group {shown(prefix)}; give its column a group"
        if self._is_incomplete:
            return
        for group, place in self._unknown_groups().items():
            known = listed(sorted(self._groups)) or "none"
            yield (
                place,
                f"no node file has the group {shown(group)}; correct it (groups of nodes: {known}) or add the file",
            )

    def missing_node(self, key: str) -> str | None:
        """Describe the end of a relationship that is no node; return None if `faults` explains it."""
        id_, group = self._ends[key]
        if self._is_incomplete or group in self._unknown_groups():
            return None
        within = f" of the group {shown(group)}" if group else ""
        return f"no node has the ID {shown(id_)}{within}; add the node or remove the relationship"

    def _unknown_groups(self) -> dict[str, Place]:
        return {group: place for group, place in self._used_groups.items() if group not in self._groups}
