"""`kgqa train rewriter` and `kgqa train answerer`: make the pairs, fine-tune, and show what came of it."""

import asyncio
import importlib.util
import math
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from kgqa.console import Advance, err, interrupt, on_interrupt, out, print_table, progress_bar
from question_sets.records import QuestionRecord, read_questions
from services.llm.model_files import packaged_adapters
from shared.errors import DependencyError, InvalidInputError
from shared.graph.opening import open_graph
from shared.paths import adapter_folder
from shared.triple import Triple
from training.answerer.examples import training_examples
from training.lora.task import GOING_ON, PRESETS, Checkup, Pair, Progress
from training.rewriter.corpus_file import read_pairs
from training.rewriter.pairs import training_pairs
from training.synthetic.neighbourhood import facts_around

if TYPE_CHECKING:
    from training.lora.adapter import TrainingRecord

_SECONDS_A_QUERY = 120.0
_HELD_OUT = 200
_HELD_OUT_SEED = 1_000_003
_SHOWN_CHARACTERS = 400

MakePairs = Callable[[int, int], Sequence[Pair]]
"""Pairs by their number and a seed."""


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """What both commands are told. `base`: a folder or a hub name, None the embedded model."""

    graph: str
    base: str | None
    preset: str
    count: int
    out: Path | None
    seed: int
    from_scratch: bool


def train_rewriter_on(options: AdapterOptions, files: Sequence[Path]) -> None:
    """Train on the pairs of `files`, or where there are none, on pairs made from the graph and from invented ones.

    Raises NotFoundError or InvalidInputError for what is missing or damaged, DependencyError without the train extra.
    """
    _need_torch()
    if files:
        pairs = [pair for file in files for pair in read_pairs(file)]
        kept, held_out = _split(pairs)
        _train("rewriter", options, kept, held_out, {"pairs": ", ".join(file.name for file in files)})
        return
    facts, version = _facts(options, [])
    _train_on_made("rewriter", options, lambda count, seed: training_pairs(count, facts, seed), {"version": version})


def train_answerer_on(options: AdapterOptions, questions: Path | None) -> None:
    """Train on examples made from the graph and `questions`, and from invented graphs.

    Raises NotFoundError or InvalidInputError for what is missing or damaged, DependencyError without the train extra.
    """
    _need_torch()
    records = read_questions(questions) if questions else []
    asked = [record for record in records if record.path and record.topic and record.answers]
    # As many as can be trained on: of each some other facts are needed, too.
    asked = asked[:: max(1, len(asked) // max(1, options.count))][: options.count]
    facts, version = _facts(options, asked)
    if questions:
        _check_topics(asked, facts, questions)
    data = {"version": version, "questions": questions.name if questions else "made from the graph"}
    _train_on_made("answerer", options, lambda count, seed: training_examples(count, facts, asked, seed), data)


def _check_topics(asked: Sequence[QuestionRecord], facts: Sequence[Triple], questions: Path) -> None:
    """Raise InvalidInputError for questions that nothing can be learnt from."""
    names = {name for fact in facts for name in (fact.subject, fact.object)}
    if not any(record.topic in names for record in asked):
        raise InvalidInputError(
            f"{questions}: no question has a topic of this graph with path and answers; are they of another graph? "
            "Without --questions some are made from the graph"
        )


def _train_on_made(name: str, options: AdapterOptions, make: MakePairs, data: dict[str, str]) -> None:
    pairs = make(options.count, options.seed)
    # Of a small graph there are not so many different ones.
    known = set(pairs)
    held_out = [pair for pair in make(_HELD_OUT, _HELD_OUT_SEED) if pair not in known]
    _train(name, options, pairs, held_out, {"graph": options.graph, **data})


def _split(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """A twentieth held out, spread over the file, 200 at most."""
    step = max(20, math.ceil(len(pairs) / _HELD_OUT))
    held_out = list(pairs[step - 1 :: step])
    return [pair for number, pair in enumerate(pairs, 1) if number % step], held_out


def _facts(options: AdapterOptions, records: Sequence[QuestionRecord]) -> tuple[list[Triple], str]:
    async def read() -> tuple[list[Triple], str]:
        store = open_graph(options.graph, _SECONDS_A_QUERY)
        try:
            await store.check()
            return await facts_around(store, records, options.seed), await store.version()
        finally:
            await store.close()

    return asyncio.run(read())


def _train(
    name: str, options: AdapterOptions, pairs: Sequence[Pair], held_out: Sequence[Pair], data: dict[str, str]
) -> None:
    err.print("loading what training needs")
    from training.lora.adapter import AdapterTraining, train_adapter
    from training.lora.lora import Reports

    folder = options.out or adapter_folder(options.graph, name)
    start = _start(name, options)
    settings = replace(GOING_ON if start else PRESETS[options.preset], seed=options.seed)
    training = AdapterTraining(name, options.base, options.preset, settings, data, start)
    folder.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGINT, interrupt)
    left = f"the same command goes on from what was saved last, half a minute ago or less; {folder} is not finished"
    with on_interrupt(left), progress_bar(f"training the {name}") as advance:
        reports = Reports(_progress(advance), _show_checkup)
        record = train_adapter(training, pairs, held_out, folder, reports)
    print_table(("measure", "value"), _rows(record))
    out.print(f"wrote {escape(str(folder))}")


def _start(name: str, options: AdapterOptions) -> Path | None:
    """The adapter to go on from: the one that the project brings, where the same model is trained at the same size."""
    if options.base or options.preset != "cpu" or options.from_scratch:
        return None
    return packaged_adapters().get(name)


def _need_torch() -> None:
    if importlib.util.find_spec("peft") is None:
        raise DependencyError("training needs more packages than serving: run `make install-train` first")


def _progress(advance: Advance) -> Callable[[Progress], None]:
    def show(at: Progress) -> None:
        advance(at.step, at.steps, f"loss {at.loss:.3f}, {at.tokens / max(at.seconds, 1e-9):,.0f} tokens a second")

    return show


def _show_checkup(look: Checkup) -> None:
    if look.pairs:
        err.print(f"after {look.step} updates: {look.loss:.3f} nats a token on {look.pairs} held-out pairs")
    for sample in look.samples:
        prompt = sample.prompt if len(sample.prompt) <= _SHOWN_CHARACTERS else f"{sample.prompt[:_SHOWN_CHARACTERS]} …"
        err.print(f"  [dim]{escape(prompt)}[/dim]")
        err.print(f"  wanted  {escape(sample.wanted)}\n  said    {escape(sample.said)}")


def _rows(record: "TrainingRecord") -> list[tuple[str, str]]:
    served = "vLLM, llama.cpp" if record.for_llama_cpp else "vLLM; llama.cpp only takes adapters of Llama models here"
    too_long = f", {record.too_long:,} left out as too long" if record.too_long else ""
    return [
        ("base", record.base),
        ("preset", record.preset),
        ("pairs", f"{record.pairs:,}{too_long}"),
        ("held-out loss", f"{record.loss:.4f} nats a token" if record.loss is not None else "no pairs held out"),
        ("can be served by", served),
        ("seconds", f"{record.seconds:.0f}"),
    ]
