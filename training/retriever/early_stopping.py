"""Early stopping: the network's best state by validation scores."""

import copy
import math
from dataclasses import asdict, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from torch import nn


class Scores(Protocol):
    """How well a network does on validation questions; a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def right(self) -> float:
        """The share that is right."""
        ...

    @property
    def loss(self) -> float:
        """Mean negative log-likelihood."""
        ...


S = TypeVar("S", bound=Scores)


class Best(Generic[S]):
    """Remembers the network's best state by validation scores and how often none was better since."""

    def __init__(self, network: nn.Module, worst: S, patience: int) -> None:
        """`worst`: scores that any others are better than.

        `patience`: how many checks in a row without gain, neither in what is right nor in loss, are one too many.
        """
        self._network = network
        self._patience = patience
        self._state: dict[str, Any] = {}
        self._unimproved = 0
        self._least_loss = math.inf
        self._perfect = 0
        self.checks = 0
        self.scores = worst

    def check(self, scores: S) -> S:
        """Compare with the best so far: by what is right, then by loss."""
        self.checks += 1
        self._unimproved += 1
        self._perfect = self._perfect + 1 if scores.right == 1.0 else 0
        # On few validation questions what is right goes up and down long before a network has learnt all it can.
        if scores.loss < self._least_loss:
            self._least_loss, self._unimproved = scores.loss, 0
        if (scores.right, -scores.loss) > (self.scores.right, -self.scores.loss):
            self.scores, self._unimproved = scores, 0
            self._state = copy.deepcopy(self._network.state_dict())
        return scores

    @property
    def exhausted(self) -> bool:
        """Whether there was no gain for too long, or nothing left to gain."""
        return self._unimproved >= self._patience or self._perfect > 1

    def state(self) -> dict[str, Any]:
        """What is remembered, in plain types: a checkpoint holds no others."""
        remembered = {name: value for name, value in vars(self).items() if name != "_network"}
        return remembered | {"scores": asdict(self.scores)}

    def restore(self, state: dict[str, Any]) -> None:
        """Remember what `state` was taken from."""
        vars(self).update(state | {"scores": replace(self.scores, **state["scores"])})

    def put_back(self) -> None:
        """Bring the network into its best state."""
        self._network.load_state_dict(self._state)
        self._network.eval()
