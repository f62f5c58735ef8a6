"""Confirm or correct how questions are read: `kgqa label`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgqa.console import bold, out
from kgqa.options import GraphName, RetrieverFolder
from shared.paths import retriever_folder

if TYPE_CHECKING:
    from training.planning.labelling import Candidate, LabelFile

_KEYS = "[1-3] this reading is right, [r]eword the question, type its [a]nswers, it has [n]o answer, [s]kip, [q]uit"


def label(
    graph: GraphName,
    to: Annotated[Path, typer.Option("--out", help="Question file to append the labelled questions to.")],
    questions: Annotated[
        Path | None,
        typer.Option(help="Questions to label: JSON Lines, or one per line. [default: made up about the graph]"),
    ] = None,
    retriever: RetrieverFolder = None,
    count: Annotated[int, typer.Option(min=1, help="Number of questions to make up.")] = 50,
    seed: Annotated[int, typer.Option(help="Random seed of made-up questions.")] = 1,
) -> None:
    """Confirm or correct, in the terminal, how questions are read; kgqa confirm lets the result show how others are.

    Run the same command again to go on where you stopped.
    """
    asyncio.run(_label(graph, to, questions, retriever or retriever_folder(graph), count, seed))


async def _label(graph: str, to: Path, questions: Path | None, folder: Path, count: int, seed: int) -> None:
    from services.retriever.scopes.described_store import open_described_graph
    from services.retriever.serving.wiring import load_planner
    from training.planning.labelling import LabelFile, candidates_of, made_up_candidates, questions_in

    file = LabelFile(to)
    store = open_described_graph(graph)
    try:
        await store.check()
        if questions is not None:
            asked = [one for one in questions_in(questions) if one not in file.done]
            candidates: AsyncIterator[Candidate] = candidates_of(asked, load_planner(store, folder))
        else:
            candidates = made_up_candidates(store, count, seed)
        labelled = 0
        async for candidate in candidates:
            if candidate.question in file.done:
                continue
            said = _ask(candidate, file)
            if said is None:
                break
            labelled += said
        out.print(f"labelled {labelled} question{'s' * (labelled != 1)}; {len(file.done)} in {to}")
        out.print(f"to read others like them: kgqa confirm --graph {graph} --questions {to}")
    finally:
        await store.close()


def _ask(candidate: "Candidate", file: "LabelFile") -> bool | None:
    """Show a question and keep what the person says; return whether it was labelled, and None to stop."""
    out.print("")
    out.print(bold(candidate.question))
    for number, reading in enumerate(candidate.readings, 1):
        out.print(f"  {number}. {reading.text}")
        out.print(f"     = {reading.answers}")
    out.print(_KEYS)
    question = candidate.question
    while True:
        try:
            key = input("> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return None
        if key.isdigit() and 1 <= int(key) <= len(candidate.readings):
            file.add(question, plan=candidate.readings[int(key) - 1].plan)
            return True
        match key:
            case "r":
                question = " ".join(input("how you would ask: ").split()) or question
                out.print("which reading is right?")
            case "a":
                answers = [" ".join(part.split()) for part in input("answers, separated by ;: ").split(";")]
                file.add(question, answers=[one for one in answers if one])
                return True
            case "n":
                file.add(question, answers=[])
                return True
            case "s":
                return False
            case "q":
                return None
            case _:
                out.print(_KEYS)
