"""Define the question of how two things are connected."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Connected:
    """Hold what a question asks to connect: `How are Ann Lee and the Cliff Stage related?`

    Attributes:
        pairs: The two names, the likeliest pair first: there are several if a name may contain an `and`.
        own_words: The stems of the words for the connection. Where the graph has a relationship of such a name, the
            question may ask for it instead, as `Are Ann and Bob related?` does in a family tree. Empty if the question
            is open, as with `how`.
    """

    pairs: tuple[tuple[str, str], ...]
    own_words: frozenset[str]
