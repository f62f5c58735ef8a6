"""Match regular expressions in time that is linear in the length of a string."""

from functools import lru_cache

from shared.plan.regular_expressions import Characters, Choice, Part, Range, Repeat, read_regular_expression

_MAX_CACHED = 20_000


def matches(text: str, pattern: str) -> bool:
    """Return whether a pattern matches a whole string."""
    return _matcher(pattern).matches(text)


@lru_cache(maxsize=64)
def _matcher(pattern: str) -> "_Matcher":
    return _Matcher(read_regular_expression(pattern))


class _Matcher:
    """Run a nondeterministic automaton, and remember which states a character leads to."""

    def __init__(self, part: Part) -> None:
        self._empty: list[list[int]] = []
        """The states that each state reaches without a character."""
        self._edges: list[tuple[tuple[Range, ...], int] | None] = []
        self._known: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        start, self._end = self._state(), self._state()
        self._connect(part, start, self._end)
        self._start = self._closure({start})

    def matches(self, text: str) -> bool:
        states = self._start
        for char in text:
            found = self._known.get((states, char))
            states = self._step(states, char) if found is None else found
            if not states:
                return False
        return self._end in states

    def _step(self, states: frozenset[int], char: str) -> frozenset[int]:
        if len(self._known) >= _MAX_CACHED:
            self._known.clear()
        code = ord(char)
        edges = (edge for state in states if (edge := self._edges[state]) is not None)
        found = self._closure({target for ranges, target in edges if any(a <= code <= b for a, b in ranges)})
        self._known[states, char] = found
        return found

    def _closure(self, states: set[int]) -> frozenset[int]:
        waiting = list(states)
        while waiting:
            new = [state for state in self._empty[waiting.pop()] if state not in states]
            states.update(new)
            waiting += new
        return frozenset(states)

    def _state(self) -> int:
        self._empty.append([])
        self._edges.append(None)
        return len(self._empty) - 1

    def _connect(self, part: Part, start: int, end: int) -> None:
        """Add the states of a part between two states; nothing else may leave `start`."""
        match part:
            case Characters():
                self._edges[start] = (part.ranges, end)
            case Choice():
                for one in part.parts:
                    self._connect(one, self._after(start), end)
            case Repeat():
                self._repeat(part, start, end)
            case _:
                for one in part.parts:
                    between = self._state()
                    self._connect(one, start, between)
                    start = self._after(between)
                self._empty[start].append(end)

    def _repeat(self, part: Repeat, start: int, end: int) -> None:
        for place in range(part.high if part.high is not None else part.low):
            if place >= part.low:
                self._empty[start].append(end)
            between = self._state()
            self._connect(part.part, self._after(start), between)
            start = between
        if part.high is None:
            start = self._after(start)
            self._connect(part.part, self._after(start), start)
        self._empty[start].append(end)

    def _after(self, state: int) -> int:
        """Return a new state that a state reaches without a character."""
        self._empty[state].append(self._state())
        return self._empty[state][-1]
