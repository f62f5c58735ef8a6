"""Write the actions of patterns: nodes, steps along relationships, and conditions as soon as their nodes are known."""

from collections.abc import Mapping, Sequence

from graph.plan.algebra import HasKind, Match, NodePattern, Property, RelationshipPattern, Variable
from graph.plan.traversal import conjuncts, walk
from services.retriever.plans.grammar.actions import Op
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.canonical import Between, Condition, with_ranges
from training.planning.condition_writer import ConditionWriter
from training.planning.kinds import inferred_kinds
from training.planning.stages import InexpressibleError


class PatternWriter(ConditionWriter):
    """Write patterns from a start node, depth first."""

    def __init__(self, elements: SchemaElements) -> None:
        super().__init__(elements)
        self._nodes: frozenset[str] = frozenset()  # of this pattern, and of those around it

    def _pattern(
        self,
        nodes: Mapping[str, NodePattern],
        links: Sequence[RelationshipPattern],
        conditions: Sequence[Condition],
        start: str | None,
    ) -> None:
        kinds = inferred_kinds(nodes, links, self._names.kinds, self._elements)
        self._nodes |= nodes.keys()
        for name in nodes.keys() & self._names.numbers.keys():
            if not set(nodes[name].kinds) <= self._names.kinds[name]:
                raise InexpressibleError("several kinds of one node")
        pending, remaining = list(conditions), list(links)
        if start is not None and start not in self._names.numbers:
            self._introduce(start, kinds)
        pending = self._write_known(pending)
        while remaining:
            name, link = self._next_link(remaining)
            remaining.remove(link)
            self._walk(name, link, kinds, nodes)
            pending = self._write_known(pending)
        for name in nodes:
            if name not in self._names.numbers:
                self._introduce(name, kinds)
                pending = self._write_known(pending)
        if pending:
            raise InexpressibleError("conditions on unknown variables")

    def _next_link(self, remaining: Sequence[RelationshipPattern]) -> tuple[str, RelationshipPattern]:
        """Choose the next relationship, and the known node at one of its ends."""
        numbers = self._names.numbers
        names = {number: name for name, number in numbers.items()}
        for number in (self._state.focus, *sorted(numbers.values(), reverse=True)):
            name = names.get(number)
            for link in remaining:
                if name is not None and name in (link.source, link.target):
                    return name, link
        raise InexpressibleError("disconnected patterns")

    def _introduce(self, name: str, kinds: Mapping[str, frozenset[str]]) -> None:
        if len(kinds[name]) != 1:
            raise InexpressibleError("a node of an unclear kind")
        self._names.numbers[name] = len(self._state.kinds)
        self._names.kinds[name] = kinds[name]
        self._add(Op.KIND, self._elements.kinds.index(next(iter(kinds[name]))))

    def _walk(
        self,
        name: str,
        link: RelationshipPattern,
        kinds: Mapping[str, frozenset[str]],
        nodes: Mapping[str, NodePattern],
    ) -> None:
        """Write a step from a known node along a relationship."""
        self._focus(name)
        other = link.target if name == link.source else link.source
        op, number = self._connection(link, name, kinds[other])
        self._add(op, number)
        if link.variable is not None:
            self._names.link_types[link.variable] = link.types[0]
            self._names.link_places[link.variable] = len(self._state.links) - 1
        if other in self._names.numbers:
            self._add(Op.SAME)
            self._add(Op.VARIABLE, self._names.numbers[other])
            return
        self._names.numbers[other] = len(self._state.kinds) - 1
        self._declare(op, nodes[other], kinds[other])

    def _declare(self, op: Op, node: NodePattern, kinds: frozenset[str]) -> None:
        """State the kind of the node that a step reached, if the step leaves it open."""
        if op is Op.IN and not node.kinds and kinds > self._state.kinds[-1]:
            self._add(Op.ANY_KIND)
        reached = self._names.kinds[node.variable] = self._state.kinds[-1]
        if not set(node.kinds) <= reached:
            raise InexpressibleError("a kind that the relationship does not reach")
        if node.kinds and len(reached) > 1:
            self._add(Op.HAS_KIND)
            self._add(Op.KIND, self._elements.kinds.index(node.kinds[0]))
            self._names.kinds[node.variable] = self._state.kinds[-1]

    def _connection(self, link: RelationshipPattern, name: str, far: frozenset[str]) -> tuple[Op, int]:
        """Return the operator and the number of the connection that a step from a node to nodes of some kinds takes."""
        if len(link.types) != 1:
            raise InexpressibleError("relationships of several types or of any type")
        near = self._state.kinds[self._names.numbers[name]]
        is_forward, is_both = name == link.source, link.direction == "both"
        connections = [
            (number, one) for number, one in enumerate(self._elements.connections) if one.type == link.types[0]
        ]
        for number, one in connections:
            if is_both and one.is_within_kind and one.source in near:
                return Op.BOTH, number
            if (is_forward or is_both) and one.source in near and one.targets & far:
                return Op.OUT, number
        for number, one in connections:
            if (not is_forward or is_both) and one.targets & near and one.source in far:
                return Op.IN, number
        raise InexpressibleError("a relationship that the schema does not have")

    def _subpattern(self, op: Op, match: Match) -> None:
        root = next((node.variable for node in match.nodes if node.variable in self._names.numbers), None)
        if root is None:
            raise InexpressibleError("a subpattern without a known node")
        self._focus(root)
        self._add(op)
        outer_names, outer_nodes = self._names, self._nodes
        self._names = outer_names.copy()
        nodes = {node.variable: node for node in match.nodes}
        self._pattern(nodes, match.relationships, with_ranges(conjuncts(match.where)), root)
        self._add(Op.CLOSE)
        self._names, self._nodes = outer_names, outer_nodes

    # Conditions

    def _write_known(self, conditions: Sequence[Condition]) -> list[Condition]:
        """Write the conditions whose variables are known, and return the others."""
        waiting = []
        for one in conditions:
            if self._is_known(one):
                self._condition(one)
            else:
                waiting.append(one)
        return waiting

    def _is_known(self, condition: Condition) -> bool:
        parts = list(walk(condition.left if isinstance(condition, Between) else condition))
        patterns = [one for one in parts if isinstance(one, Match)]
        inner = {
            name
            for match in patterns
            for name in (*(node.variable for node in match.nodes), *(link.variable for link in match.relationships))
        }
        used = {one.name for one in parts if isinstance(one, Variable)}
        used |= {one.variable for one in parts if isinstance(one, Property | HasKind)}
        # A subpattern waits for all nodes that it shares with the pattern around it.
        if (inner & self._nodes) - self._names.numbers.keys():
            return False
        known = self._names.numbers.keys() | self._names.link_types.keys() | self._columns.keys()
        is_rooted = not patterns or any(node.variable in self._names.numbers for node in patterns[0].nodes)
        return used - inner <= known and is_rooted
