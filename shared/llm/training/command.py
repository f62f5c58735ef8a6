"""From training pairs to an adapter that the embedded server serves: fine-tune, export; with a command line for it."""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from shared.graph.store import Triple
from shared.home import home
from shared.llm.training.task import LoraSettings, Pair, Progress
from shared.questions import open_text

WORLD_GRAPH = Path("examples/world/graph.tsv.xz")
WORLD_QUESTIONS = Path("examples/world/questions/train.jsonl.xz")
HELD_OUT = 200
_HELD_OUT_SEED = 1_000_003
_SHOWN_EVERY = 10

MakePairs = Callable[[int, int], list[Pair]]


def train_adapter(
    name: str,
    make_pairs: MakePairs,
    out: Path,
    settings: LoraSettings,
    count: int,
    report: Callable[[Progress], None] = lambda _: None,
    start_from: Path | None = None,
    keep: Path | None = None,
) -> float:
    """Fine-tune the embedded base model on `make_pairs(count, seed)` and write the GGUF adapter to `out`.

    `keep`: a folder for the adapter as peft has it; `start_from`: such a folder, to train it further. Returns the mean
    loss (nats a completion token) on pairs of another seed. About 3.4 s per 1,000 tokens on two free cores. The
    dequantised base model is kept under KGQA_HOME (0.5 GB).
    """
    # Threads that wait by spinning slow a busy machine down many times over; read when torch is first imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from shared.llm.training.base_model import hugging_face_folder
    from shared.llm.training.gguf_adapter import export_adapter
    from shared.llm.training.lora import train_lora

    base = hugging_face_folder(home() / "models" / "smollm2")
    pairs = make_pairs(count, settings.seed)
    held_out = make_pairs(HELD_OUT, _HELD_OUT_SEED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        loss = train_lora(base, pairs, held_out, folder, settings, report, start_from)
        out.parent.mkdir(parents=True, exist_ok=True)
        export_adapter(folder, base, out, name)
    return loss


def read_facts(file: Path) -> list[Triple]:
    """The triples of a tab-separated file, plain or .xz."""
    with open_text(file) as lines:
        return [Triple(*line.rstrip("\n").split("\t")) for line in lines]


def run(name: str, make_pairs: Callable[[argparse.Namespace], MakePairs], arguments: Sequence[str] | None) -> None:
    """The command line of one adapter's training."""
    options = _parser(name).parse_args(arguments)
    settings = replace(
        LoraSettings(), rank=options.rank, learning_rate=options.learning_rate, epochs=options.epochs, seed=options.seed
    )
    loss = train_adapter(
        name, make_pairs(options), options.out, settings, options.count, _Printer(), options.start_from, options.keep
    )
    print(f"\n{options.out}: {loss:.4f} nats a token on pairs that it was not trained on")


def _parser(name: str) -> argparse.ArgumentParser:
    defaults = LoraSettings()
    parser = argparse.ArgumentParser(description=f"Train the {name}'s adapter of the embedded language model.")
    parser.add_argument("--graph", type=Path, default=WORLD_GRAPH, help="facts, .tsv or .tsv.xz (default %(default)s)")
    parser.add_argument(
        "--questions", type=Path, default=WORLD_QUESTIONS, help="questions on these facts (default %(default)s)"
    )
    parser.add_argument("--count", type=int, default=4000, help="pairs to train on (default %(default)s)")
    parser.add_argument("--rank", type=int, default=defaults.rank)
    parser.add_argument("--learning-rate", type=float, default=defaults.learning_rate)
    parser.add_argument("--epochs", type=int, default=defaults.epochs)
    parser.add_argument("--seed", type=int, default=defaults.seed)
    parser.add_argument("--out", type=Path, default=Path(f"{name}.gguf"), help="the adapter (default %(default)s)")
    parser.add_argument("--keep", type=Path, help="folder to keep the adapter in as peft has it")
    parser.add_argument("--start-from", type=Path, help="such a folder, to train it further")
    return parser


class _Printer:
    """Prints a line now and then: step, mean loss since the last line, time taken and left."""

    def __init__(self) -> None:
        self._losses: list[float] = []

    def __call__(self, at: Progress) -> None:
        self._losses.append(at.loss)
        if at.step % _SHOWN_EVERY == 0 or at.step == at.steps:
            mean = sum(self._losses) / len(self._losses)
            left = at.seconds / at.step * (at.steps - at.step)
            done = f"step {at.step}/{at.steps}  loss {mean:.3f}  {at.tokens} tokens"
            print(f"{done}  {at.seconds:.0f} s, {left:.0f} s left", flush=True)
            self._losses.clear()
