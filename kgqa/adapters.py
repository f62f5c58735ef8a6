"""`kgqa train rewriter` and `kgqa train answerer`: show the progress and the result of an adapter's training."""

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from kgqa.console import Advance, err, interrupt, on_interrupt, out, print_table, progress_bar
from training.answerer.train import plan_answerer
from training.lora.plan import AdapterOptions, AdapterTraining
from training.lora.task import Progress, Reports, Validation
from training.rewriter.train import plan_rewriter

if TYPE_CHECKING:
    from training.lora.adapter import TrainingRecord

_SHOWN_CHARACTERS = 400


def train_rewriter_on(options: AdapterOptions, files: Sequence[Path]) -> None:
    """Train the rewriter's adapter. Raises as `plan_rewriter` and `train_adapter` do."""
    _train(plan_rewriter(options, files))


def train_answerer_on(options: AdapterOptions, questions: Path | None) -> None:
    """Train the answerer's adapter. Raises as `plan_answerer` and `train_adapter` do."""
    _train(plan_answerer(options, questions))


def _train(training: AdapterTraining) -> None:
    err.print("loading what training needs")
    from training.lora.adapter import train_adapter

    signal.signal(signal.SIGINT, interrupt)
    left = (
        f"the same command continues from the last checkpoint, at most half a minute old; {training.folder} is not "
        "finished"
    )
    with on_interrupt(left), progress_bar(f"training the {training.name}") as advance:
        record = train_adapter(training, Reports(_progress(advance), _show_validation))
    print_table(("measure", "value"), _rows(record))
    out.print(f"wrote {escape(str(training.folder))}")


def _progress(advance: Advance) -> Callable[[Progress], None]:
    def show(at: Progress) -> None:
        advance(at.step, at.steps, f"loss {at.loss:.3f}, {at.tokens / max(at.seconds, 1e-9):,.0f} tokens per second")

    return show


def _show_validation(validation: Validation) -> None:
    if validation.pairs:
        err.print(
            f"after {validation.step} updates: {validation.loss:.3f} nats per token on {validation.pairs} held-out "
            f"pair{'s' * (validation.pairs != 1)}"
        )
    for sample in validation.samples:
        prompt = sample.prompt if len(sample.prompt) <= _SHOWN_CHARACTERS else f"{sample.prompt[:_SHOWN_CHARACTERS]} …"
        err.print(f"  [dim]{escape(prompt)}[/dim]")
        err.print(f"  expected   {escape(sample.expected)}\n  generated  {escape(sample.generated)}")


def _rows(record: "TrainingRecord") -> list[tuple[str, str]]:
    served = "vLLM, llama.cpp" if record.for_llama_cpp else "vLLM; llama.cpp only takes adapters of Llama models here"
    too_long = f", {record.too_long:,} left out as too long" if record.too_long else ""
    return [
        ("base", record.base),
        ("preset", record.preset),
        ("pairs", f"{record.pairs:,}{too_long}"),
        ("held-out loss", f"{record.loss:.4f} nats per token" if record.loss is not None else "no pairs held out"),
        ("can be served by", served),
        ("seconds", f"{record.seconds:.0f}"),
    ]
