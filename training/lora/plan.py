"""Plan the training of an adapter: which pairs, settings, and starting point, and where the result goes.

Free of torch, so that mistakes in the input are reported before seconds of loading.
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
"""Generates pairs, given their number and a seed."""


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Options of an adapter's training.

    Attributes:
        graph: The name of the imported graph to train for.
        base: A folder or a Hugging Face name; None is the embedded model.
        preset: A key of `PRESETS`.
        count: The number of pairs to generate.
        out: The folder to write; None is the one where `kgqa up` looks.
        seed: The seed of everything random.
        from_scratch: Start from the bare model, not from the packaged adapter.
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
        """Read the wordings file, if there is one. Raises as `training.synthetic.relations.read_wordings` does."""
        return read_wordings(self.wordings) if self.wordings else {}


@dataclass(frozen=True, slots=True)
class AdapterTraining:
    """A planned training of the adapter `name`; `data` says what its pairs were made from.

    `start` is the GGUF adapter to continue from. Its rank and alpha replace those of `settings`.
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
    """Plan to train on given pairs, holding out a twentieth of them, spread evenly, but at most 200."""
    step = max(20, math.ceil(len(pairs) / _HELD_OUT))
    kept = [pair for number, pair in enumerate(pairs, 1) if number % step]
    return _plan(name, options, kept, pairs[step - 1 :: step], data)


def plan_from_generated_pairs(
    name: str, options: AdapterOptions, generate: GeneratePairs, data: Mapping[str, str]
) -> AdapterTraining:
    """Plan to train on generated pairs, holding out 200 of another seed that do not occur among them."""
    pairs = generate(options.count, options.seed)
    # A small graph yields few different pairs, so some of the second seed may repeat those of the first.
    known = set(pairs)
    held_out = [pair for pair in generate(_HELD_OUT, _HELD_OUT_SEED) if pair not in known]
    wordings = {"wordings": options.wordings.name} if options.wordings else {}
    return _plan(name, options, pairs, held_out, {"graph": options.graph, **data, **wordings})


def _plan(
    name: str, options: AdapterOptions, pairs: Sequence[Pair], held_out: Sequence[Pair], data: Mapping[str, str]
) -> AdapterTraining:
    # The packaged adapters fit only the embedded model at their own size.
    continues = options.base is None and options.preset == "cpu" and not options.from_scratch
    start = packaged_adapters().get(name) if continues else None
    settings = replace(CONTINUED if start else PRESETS[options.preset], seed=options.seed)
    return AdapterTraining(name, options, pairs, held_out, data, settings, start)


def read_facts(options: AdapterOptions, records: Sequence[QuestionRecord]) -> tuple[list[Triple], str]:
    """Sample facts of the graph, including those along the questions' paths; return them with the graph's version.

    Raises:
        NotFoundError: There is no such graph.
        DependencyError: The graph store does not answer.
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
