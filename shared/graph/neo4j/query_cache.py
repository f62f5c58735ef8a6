"""Answers of the database that are given again as long as it has not changed."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

from cachetools import LRUCache

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Remembered(Generic[Key, Answer]):
    """The answers to the `most` keys that were asked last, of one version of the database."""

    def __init__(self, most: int) -> None:
        self._version = ""
        self._answers: LRUCache[Key, Answer] = LRUCache(most)

    async def of(
        self,
        keys: Sequence[Key],
        version: Callable[[], str],
        ask: Callable[[Sequence[Key]], Awaitable[Sequence[Answer]]],
    ) -> list[Answer]:
        """The answers to all keys, of which `ask` is asked those that are not known.

        `version`: of the database when it was heard of last. What was asked while that changed is not kept.
        """
        self._forget_unless(version())
        known = {key: self._answers[key] for key in keys if key in self._answers}
        if unknown := [key for key in dict.fromkeys(keys) if key not in known]:
            before = version()
            told = dict(zip(unknown, await ask(unknown), strict=True))
            known |= told
            self._forget_unless(version())
            if version() == before:
                self._answers.update(told)
        return [known[key] for key in keys]

    def _forget_unless(self, version: str) -> None:
        if version != self._version:
            self._answers.clear()
            self._version = version
