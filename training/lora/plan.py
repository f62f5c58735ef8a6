"""Plan how to train an adapter: the pairs, the settings, the adapter to start from, and the output folder.

This module does not import torch, which takes seconds to load, so errors in the input are reported at once.
"""

import asyncio
import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph.opening import open_graph
from question_sets.records import QuestionRecord, read_questions
from services.llm.model_files import packaged_adapters
from shared.errors import DependencyError, InvalidInputError
from shared.paths import adapter_folder
from shared.triple import Triple
from training.answerer.examples import training_examples
from training.lora.task import CONTINUED, PRESETS, LoraSettings, Pair
from training.rewriter.pairs import read_pairs, training_pairs
from training.synthetic.real_graph import sample_facts
from training.synthetic.relations import read_wordings

QUERY_TIMEOUT_S = 120.0
HELD_OUT = 200
_HELD_OUT_SEED = 1_000_003


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Hold the options for training an adapter.

    `base` is a folder or a Hugging Face name; None selects the embedded model. `preset` is a key of `PRESETS`. An `out`
    of None selects the folder from which `kgqa up` loads the adapter. `wordings` is a file of hand-written wordings for
    the graph's relations; None derives them from their names.
    """

    graph: str
    base: str | None
    preset: str
    count: int
    out: Path | None
    seed: int
    from_scratch: bool
    wordings: Path | None = None


@dataclass(frozen=True, slots=True)
class AdapterTraining:
    """Hold a plan for training the adapter `name`; `data` describes the sources of its pairs.

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


def plan_rewriter(options: AdapterOptions, pair_files: Sequence[Path]) -> AdapterTraining:
    """Plan to train the rewriter on pairs from files or, without files, from the graph and from invented graphs.

    Args:
        options: What to train, and where to write it.
        pair_files: Files in a format that `training.rewriter.pairs.read_pairs` reads.

    Raises:
        NotFoundError: A file or the graph does not exist.
        InvalidInputError: A file is invalid.
        DependencyError: The train extra is not installed, or the graph store does not respond.
    """
    require_train_extra()
    if pair_files:
        return _plan_pairs("rewriter", options, pair_files)
    wordings = read_wordings(options.wordings)
    facts, version = read_facts(options.graph, [], options.seed)
    return _plan_generated(
        "rewriter", options, lambda count, seed: training_pairs(count, facts, seed, wordings), {"version": version}
    )


def plan_answerer(options: AdapterOptions, questions: Path | None, pair_files: Sequence[Path] = ()) -> AdapterTraining:
    """Plan to train the answerer on pairs from files, or on examples generated from the graph and questions about it.

    Args:
        options: What to train, and where to write it.
        questions: A file of questions with topics, paths, and answers; None generates questions from the graph.
        pair_files: Files in a format that `training.rewriter.pairs.read_pairs` reads, which replace generated examples.

    Raises:
        NotFoundError: The file or the graph does not exist.
        InvalidInputError: The file is invalid, or its questions are not about this graph.
        DependencyError: The train extra is not installed, or the graph store does not respond.
    """
    require_train_extra()
    if pair_files:
        return _plan_pairs("answerer", options, pair_files)
    wordings = read_wordings(options.wordings)
    records = read_questions(questions) if questions else []
    asked = [record for record in records if record.path and record.topic and record.answers]
    # Each question yields at least one example, so at most `count` are needed. Take them evenly from the whole file.
    asked = asked[:: max(1, len(asked) // max(1, options.count))][: options.count]
    facts, version = read_facts(options.graph, asked, options.seed)
    names = {name for fact in facts for name in (fact.subject, fact.object)}
    if questions and not any(record.topic in names for record in asked):
        raise InvalidInputError(
            f"{questions}: no question has a path, answers, and a topic in this graph; check that they are about this "
            "graph, or omit --questions to generate questions from it"
        )
    return _plan_generated(
        "answerer",
        options,
        lambda count, seed: training_examples(count, facts, asked, seed, wordings),
        {"version": version, "questions": questions.name if questions else "made from the graph"},
    )


def _plan_pairs(name: str, options: AdapterOptions, files: Sequence[Path]) -> AdapterTraining:
    """Plan to train on pairs from files, of which a part is held out."""
    pairs = [pair for file in files for pair in read_pairs(file)]
    step = max(20, math.ceil(len(pairs) / HELD_OUT))
    kept = [pair for number, pair in enumerate(pairs, 1) if number % step]
    return _plan(name, options, kept, pairs[step - 1 :: step], {"pairs": ", ".join(file.name for file in files)})


def _plan_generated(
    name: str, options: AdapterOptions, generate: Callable[[int, int], Sequence[Pair]], data: Mapping[str, str]
) -> AdapterTraining:
    """Plan to train on the pairs that `generate` returns for a number of pairs and a seed."""
    pairs = generate(options.count, options.seed)
    # A small graph yields few distinct pairs, so the second seed may repeat pairs of the first.
    known = set(pairs)
    held_out = [pair for pair in generate(HELD_OUT, _HELD_OUT_SEED) if pair not in known]
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


def read_facts(graph: str, records: Sequence[QuestionRecord], seed: int) -> tuple[list[Triple], str]:
    """Return facts sampled from the graph, including those along the questions' paths, and the graph's version."""

    async def read() -> tuple[list[Triple], str]:
        store = open_graph(graph, QUERY_TIMEOUT_S)
        try:
            await store.check()
            return await sample_facts(store, records, seed), await store.version()
        finally:
            await store.close()

    return asyncio.run(read())


def require_train_extra() -> None:
    """Raise DependencyError unless the packages that training needs are installed."""
    if importlib.util.find_spec("peft") is None:
        raise DependencyError("training needs more packages than serving; run `make install-train` first")
