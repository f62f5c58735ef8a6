"""Define the things that names in a question mean, if whoever asks it says so."""

from typing import NamedTuple


class Meant(NamedTuple):
    """Hold the thing of a graph that a name means: its id, and what the graph calls it."""

    id: str
    name: str
