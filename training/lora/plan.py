"""Plan how to train an adapter: the pairs, the settings, the adapter to start from, and the output folder.

This module does not import torch, which takes seconds, so that errors in the input are reported at once.
"""

import asyncio
import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from question_sets.records import QuestionRecord
from services.llm.model_files import packaged_adapters
from shared.errors import DependencyError
from shared.graph.opening import open_graph
from shared.paths import adapter_folder
from shared.triple import Triple
from training.lora.task import CONTINUED, PRESETS, LoraSettings, Pair
from training.synthetic.real_graph import sample_facts
from training.synthetic.relations import Relation, read_wordings

_QUERY_TIMEOUT_S = 120.0
_HELD_OUT = 200
_HELD_OUT_SEED = 1_000_003

GeneratePairs = Callable[[int, int], Sequence[Pair]]
"""A function that generates pairs, given the number of pairs and a seed."""


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Options for training an adapter.

    Attributes:
        graph: The name of the imported graph to train for.
        base: The base model, a folder or a Hugging Face name; None selects the embedded model.
        preset: A key of `PRESETS`.
        count: The number of pairs to generate.
        out: The folder to write; None selects the folder from which `kgqa up` loads the adapter.
        seed: The random seed.
        from_scratch: Train a new adapter instead of continuing from the packaged one.
        wordings: A file of hand-written wordings for the graph's relations; None derives them from their names.
    """

    graph: str
    base: str | None
    preset: str
    count: int
    out: Path | None
    seed: int
    from_scratch: bool
    wordings: Path | None = None

    def read_wordings(self) -> Mapping[str, Relation]:
        """Read the wordings file, if one is set; raise the errors of `training.synthetic.relations.read_wordings`."""
        return read_wordings(self.wordings) if self.wordings else {}


@dataclass(frozen=True, slots=True)
class AdapterTraining:
    """A plan for training the adapter `name`; `data` describes the sources of its pairs.

    `start` is the GGUF adapter to continue from, if any. Its rank and alpha override those in `settings`.
    """

    name: str
    options: AdapterOptions
    pairs: Sequence[Pair]
    held_out: Sequence[Pair]
    data: Mapping[str, str]
    settings: LoraSettings
    start: Path | None

    @property
    def folder(self) -> Path:
        """Return the folder to write."""
        return self.options.out or adapter_folder(self.options.graph, self.name)


def plan_from_file_pairs(
    name: str, options: AdapterOptions, pairs: Sequence[Pair], data: Mapping[str, str]
) -> AdapterTraining:
    """Plan to train on given pairs; hold out one in twenty, evenly spaced, but at most 200."""
    step = max(20, math.ceil(len(pairs) / _HELD_OUT))
    kept = [pair for number, pair in enumerate(pairs, 1) if number % step]
    return _plan(name, options, kept, pairs[step - 1 :: step], data)


def plan_from_generated_pairs(
    name: str, options: AdapterOptions, generate: GeneratePairs, data: Mapping[str, str]
) -> AdapterTraining:
    """Plan to train on generated pairs; hold out up to 200 from a different seed that are not among them."""
    pairs = generate(options.count, options.seed)
    # A small graph yields few distinct pairs, so the second seed may repeat pairs of the first.
    known = set(pairs)
    held_out = [pair for pair in generate(_HELD_OUT, _HELD_OUT_SEED) if pair not in known]
    wordings = {"wordings": options.wordings.name} if options.wordings else {}
    return _plan(name, options, pairs, held_out, {"graph": options.graph, **data, **wordings})


def _plan(
    name: str, options: AdapterOptions, pairs: Sequence[Pair], held_out: Sequence[Pair], data: Mapping[str, str]
) -> AdapterTraining:
    # The packaged adapters fit only the embedded model, and only at the rank of the `cpu` preset.
    continues = options.base is None and options.preset == "cpu" and not options.from_scratch
    start = packaged_adapters().get(name) if continues else None
    settings = replace(CONTINUED if start else PRESETS[options.preset], seed=options.seed)
    return AdapterTraining(name, options, pairs, held_out, data, settings, start)


def read_facts(options: AdapterOptions, records: Sequence[QuestionRecord]) -> tuple[list[Triple], str]:
    """Return facts sampled from the graph, including those along the questions' paths, and the graph's version.

    Raises:
        NotFoundError: The graph does not exist.
        DependencyError: The graph store does not respond.
    """

    async def read() -> tuple[list[Triple], str]:
        store = open_graph(options.graph, _QUERY_TIMEOUT_S)
        try:
            await store.check()
            return await sample_facts(store, records, options.seed), await store.version()
        finally:
            await store.close()

    return asyncio.run(read())


def require_train_extra() -> None:
    """Raise DependencyError unless the packages that training needs are installed."""
    if importlib.util.find_spec("peft") is None:
        raise DependencyError("training needs more packages than serving: run `make install-train` first")
