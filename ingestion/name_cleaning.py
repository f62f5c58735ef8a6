"""Clean names, so that names that look the same are the same."""

import re
from collections.abc import Callable, Collection

from graph.plan.composed_form import composed
from shared.text import without_invisible

_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


class NameCleaner:
    """Clean the names of one import, and find names that differed only by their Unicode form."""

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        """Ask `is_known` whether an entity has a name already."""
        self._is_known = is_known
        self._with_invisible: set[str] = set()
        self._spellings: dict[str, str] = {}  # the first other spelling of each name that had one
        self._waiting: set[str] = set()  # names that have occurred only in another spelling
        self._merged: dict[str, None] = {}

    @property
    def cleaned(self) -> int:
        """Return the number of names that had invisible characters."""
        return len(self._with_invisible)

    @property
    def merged(self) -> tuple[str, ...]:
        """Return the names that occurred in several Unicode forms, or with several kinds of spaces."""
        return tuple(self._merged)

    def clean(self, name: str) -> str:
        """Remove invisible characters from a name, and give it one Unicode form and plain spaces."""
        if name.isascii():
            if self._waiting:
                self.see((name,))
            return name
        visible = without_invisible(name)
        if visible != name:
            self._with_invisible.add(name)
        cleaned = composed(_SPACES.sub(" ", visible))
        if cleaned != visible:
            cleaned = cleaned.strip()
            self._add_spelling(visible, cleaned)
        elif self._waiting:
            self.see((cleaned,))
        return cleaned

    def see(self, names: Collection[str]) -> None:
        """Record names that need no cleaning, because another spelling of them may have occurred."""
        if self._waiting and not self._waiting.isdisjoint(names):
            for name in self._waiting.intersection(names):
                self._waiting.remove(name)
                self._merged[name] = None

    def _add_spelling(self, spelling: str, name: str) -> None:
        known = self._spellings.setdefault(name, spelling)
        if known != spelling:
            self._waiting.discard(name)
            self._merged[name] = None
        elif name not in self._merged and name not in self._waiting:
            if self._is_known(name):
                self._merged[name] = None
            else:
                self._waiting.add(name)
