"""Pin questions to plans: `kgqa trust`."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError

from contracts.json_lines import write_lines
from contracts.trusted_questions import TrustedQuestion, check, read_file
from graph.plan.schema import GraphSchema
from graph.store import GraphStore
from ingestion.atomic_write import atomic_write
from kgqa.console import err, out, print_json
from kgqa.options import ChosenGraph
from kgqa.running import chosen_graph, graph_schema, open_served_graph
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import trusted_file

trust = typer.Typer(
    help="Pin questions to plans, which answer them under your name for them. A running kgqa up sees changes at once.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_Found = TypeVar("_Found")
Name = Annotated[str, typer.Argument(help="Your name for the question, which replies show.")]


@trust.command()
def add(
    name: Name,
    wordings: Annotated[
        list[str], typer.Argument(help="Ways to ask it, with slots: 'orders of {who:Customer} since {day:date}'.")
    ],
    plan: Annotated[Path, typer.Option(help="JSON file with the plan, or its steps; - reads it from standard input.")],
    graph: ChosenGraph = None,
) -> None:
    """Check a question against the graph, and add it, or replace the one with its name."""
    try:
        text = sys.stdin.read() if str(plan) == "-" else plan.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{plan} is not UTF-8; give a JSON file with the plan") from error
    try:
        given = TypeAdapter(Any).validate_json(text)
        whole = given if isinstance(given, dict) else {"steps": given}  # `plan.steps` of a reply is a list
        question = TrustedQuestion(name=name, wordings=tuple(wordings), plan=whole)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the plan"
        raise InvalidInputError(f"{place}: {first['msg']}") from None
    graph = chosen_graph(graph)
    check(question, asyncio.run(graph_schema(graph)))
    file = trusted_file(graph)
    _write(file, [*(one for one in read_file(file) if one.name != question.name), question])
    err.print(f"added {question.name} to {file}")


@trust.command()
def remove(name: Name, graph: ChosenGraph = None) -> None:
    """Remove a question."""
    graph = chosen_graph(graph)
    file = trusted_file(graph)
    kept = read_file(file)
    if not any(one.name == name for one in kept):
        raise NotFoundError(f"there is no trusted question {name!r}; list them with: kgqa trust list --graph {graph}")
    _write(file, [one for one in kept if one.name != name])
    err.print(f"removed {name}")


@trust.command("list")
def list_questions(graph: ChosenGraph = None) -> None:
    """List the questions with their wordings, and warn of those that do not fit the graph."""
    graph = chosen_graph(graph)
    questions = _listed(graph)
    if not questions:
        return
    schema = asyncio.run(graph_schema(graph))
    for question in questions:
        out.print(question.name)
        for text in question.wordings:
            out.print(f"  {text}")
        _fits(question, schema)


@trust.command()
def export(
    graph: ChosenGraph = None,
    each: Annotated[int, typer.Option(min=1, max=1000, help="Questions for each wording, with other values.")] = 20,
) -> None:
    """Print the questions with values of the graph as training questions: a question file for kgqa train retriever."""
    from kgqa.trust_export import training_questions

    graph = chosen_graph(graph)
    questions = _listed(graph)
    if not questions:
        return
    schema = asyncio.run(graph_schema(graph))
    fitting = [one for one in questions if _fits(one, schema)]
    for record in asyncio.run(_with_store(graph, lambda store: training_questions(store, fitting, each))):
        print_json(record.model_dump_json(exclude_unset=True))


def _listed(graph: str) -> list[TrustedQuestion]:
    """Return the questions of a graph, and say on stderr if there are none."""
    questions = read_file(trusted_file(graph))
    if not questions:
        err.print(f"the graph {graph} has no trusted questions; add one: kgqa trust add --graph {graph} --help")
    return questions


def _fits(question: TrustedQuestion, schema: GraphSchema) -> bool:
    try:
        check(question, schema)
    except InvalidInputError as error:
        err.print(f"warning: not used: {error.detail}")
        return False
    return True


async def _with_store(graph: str, read: Callable[[GraphStore], Awaitable[_Found]]) -> _Found:
    store = open_served_graph(graph)
    try:
        return await read(store)
    finally:
        await store.close()


def _write(file: Path, questions: list[TrustedQuestion]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as unfinished:
        unfinished.write_text(write_lines(questions), encoding="utf-8")
