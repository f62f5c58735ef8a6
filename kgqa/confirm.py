"""Let confirmed questions show how others are read: `kgqa confirm`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.confirmed_questions import LEAST_CONFIRMED, MAX_CONFIRMED
from contracts.json_lines import write_lines
from ingestion.atomic_write import atomic_write
from kgqa.console import err, out, progress_bar
from kgqa.options import GraphName
from kgqa.skipped import skipped_questions
from kgqa.train_retriever import NOTHING_BETTER
from language.english.morphology import counted
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import confirmed_file, retriever_folder

if TYPE_CHECKING:
    from question_sets.records import QuestionRecord
    from training.planning.confirmed_check import ConfirmedCheck
    from training.planning.confirming import Confirmed

_MAX_SHOWN = 5


def confirm(
    graph: GraphName,
    questions: Annotated[
        Path | None,
        typer.Option(help="JSON Lines: questions with plans, Cypher, paths, or answers, such as kgqa label writes."),
    ] = None,
    is_removal: Annotated[
        bool, typer.Option("--remove", help="Forget all confirmed questions about the graph.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Confirm the questions even if others like them are read worse then.")
    ] = False,
) -> None:
    """Let questions whose readings you confirmed show how others are read, without any training.

    A question that is read like a confirmed one may mean the same plan with other values, and this plan is considered
    beside the most probable ones. All confirmed questions about the graph are replaced by those of the file, of which
    at least 10 must be usable. From 13 on, each is also asked while it is not confirmed, which shows what the others
    bring. If they make others worse, nothing changes, and the exit code is 4. A running kgqa up sees changes within
    seconds.
    """
    file = confirmed_file(graph)
    if is_removal == (questions is not None):
        raise typer.BadParameter("give a file of questions, or --remove", param_hint="--questions")
    if questions is None:
        if not file.exists():
            raise NotFoundError(f"no questions about the graph {graph} are confirmed")
        file.unlink()
        out.print(f"removed {file}")
        return
    numbered = _read(questions)
    lines = {record.question: line for line, record in reversed(numbered)}
    found, check = asyncio.run(_confirmed(graph, [record for _, record in numbered]))
    for text in skipped_questions(found.skipped, "cannot be confirmed", lines):
        err.print(f"warning: {text}")
    if not LEAST_CONFIRMED <= len(found.questions) <= MAX_CONFIRMED:
        raise InvalidInputError(
            f"{counted(len(found.questions), 'question')} of {questions} can be confirmed; give {LEAST_CONFIRMED} to "
            f"{MAX_CONFIRMED:,}, of which many are the same plans in other words, or with other values"
        )
    if check is not None:
        _print_check(check)
        if check.is_worse and not force:
            raise typer.Exit(NOTHING_BETTER)
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as unfinished:
        unfinished.write_text(write_lines(found.questions), encoding="utf-8")
    out.print(f"confirmed {counted(len(found.questions), 'question')} in {file}")


def _read(questions: Path) -> "list[tuple[int, QuestionRecord]]":
    """Read a file, and warn of the first lines that are no questions."""
    from question_sets.records import read_valid_questions

    numbered, problems = read_valid_questions(questions)
    for problem in problems[:_MAX_SHOWN]:
        err.print(f"warning: left out {problem}")
    if len(problems) > _MAX_SHOWN:
        err.print(f"warning: left out {counted(len(problems) - _MAX_SHOWN, 'more line')}")
    return numbered


def _print_check(check: "ConfirmedCheck") -> None:
    """Say how questions are read that are asked while they are not among the confirmed ones."""
    before, after = check.before, check.after
    out.print(
        f"of {counted(check.asked, 'question')}, each asked without itself and a fifth of the others, read right: "
        f"{len(before.right)} before, {len(after.right)} now; wrong with a confidence of 0.5 or more: "
        f"{len(before.sure_but_wrong)} before, {len(after.sure_but_wrong)} now"
    )
    if check.is_worse:
        listed = "; ".join(check.misled[:_MAX_SHOWN])
        err.print(
            "warning: these questions mislead others like them, so they are only confirmed with --force. Read worse: "
            f"{listed}"
        )


async def _confirmed(graph: str, records: "Sequence[QuestionRecord]") -> "tuple[Confirmed, ConfirmedCheck | None]":
    """Find the confirmed questions, and compare how they are read before and after."""
    from services.retriever.scopes.described_store import open_described_graph
    from services.retriever.serving.wiring import load_planner
    from training.planning.confirmed_check import check_confirmed
    from training.planning.confirming import confirmed_questions

    store = open_described_graph(graph)
    try:
        await store.check()
        planner = load_planner(store, retriever_folder(graph))
        found = await confirmed_questions(store, records, planner)
        with progress_bar("checking") as advance:
            return found, await check_confirmed(found, planner, advance)
    finally:
        await store.close()
