"""Settings of the optimiser."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Settings of the optimiser; the defaults were chosen on the example graph's validation questions.

    `passes`: at most this many examples are shown, however often each then comes; `max_epochs`: but none more often
    than this. `checks`: how often validation is looked at; `patience`: how many checks without gain end training.
    `layer_decay`: each layer learns at this share of the rate of the one above. `left_out` and `replaced`: see `Noise`.
    These last three are for served mode alone.
    """

    seed: int = 1
    passes: int = 60_000
    max_epochs: int = 30
    batch_size: int = 32
    learning_rate: float = 1e-4
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    dropout: float = 0.1
    left_out: float = 0.05
    replaced: float = 0.15
    checks: int = 10
    patience: int = 4
    threads: int = 1


# The paper does not tell; this is the highest rate that Devlin et al. (2019) fine-tune BERT at.
PAPER = FitOptions(learning_rate=5e-5)
