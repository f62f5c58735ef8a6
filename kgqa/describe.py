"""Say what a graph means: `kgqa describe`."""

import asyncio
from typing import Annotated

import typer

from contracts.meaning_file import MeaningFile, read_meaning_file
from contracts.meaning_fit import fitting
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Slice, Variable
from graph.plan.schema import GraphSchema
from graph.plan.values import NodeRef
from graph.store import GraphStore
from ingestion.atomic_write import atomic_write
from kgqa.console import err, out, print_json
from kgqa.meaning_draft import Drafted, cryptic_names, draft
from kgqa.options import ChosenGraph
from kgqa.running import chosen_graph, open_stored_graph
from language.english.cryptic_names import is_cryptic
from language.english.morphology import counted
from services.retriever.plans.schema.graph_view import GraphView
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import meaning_file

_EXAMPLES, _SHOWN_CRYPTIC = 3, 8


def describe(
    graph: ChosenGraph = None,
    is_draft: Annotated[
        bool, typer.Option("--draft", help="Write a draft to the graph's file, unless there is one already.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --draft, replace the file; its comments are lost.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the graph's file, and say what is wrong with it.")
    ] = False,
) -> None:
    """Say what the kinds, relationships, and properties of a graph mean, in the words that people use for them.

    The file meaning/GRAPH.toml under KGQA_HOME gives them further names, descriptions, and units, or hides them:

    \b
        [relationships.rpts_to]
        names = ["reports to", "boss"]
        inverse_names = ["manages"]

    \b
        [properties.amt_eur]
        names = ["amount"]
        unit = "euros"

    \b
        [kinds.Audit]
        hidden = true

    Questions are then read with these names, and answers are written with the first of them. Without options, this
    prints what the file may contain, with all that is known of the graph, and marks names that say little.
    A running kgqa up sees changes within seconds.
    """
    if force and not is_draft:
        raise InvalidInputError("--force replaces the file by a draft; add --draft")
    if check and is_draft:
        raise InvalidInputError("--check and --draft exclude each other; draft first, then check")
    graph = chosen_graph(graph)
    file = meaning_file(graph)
    if is_draft and file.exists() and not force:
        raise InvalidInputError(f"{file} exists; edit it, or replace it with --draft --force, which keeps its entries")
    if check and not file.exists():
        raise NotFoundError(f"there is no {file}; write a draft with: kgqa describe --draft --graph {graph}")
    said = read_meaning_file(file)
    if check:
        _check(graph, said)
        return
    drafted = asyncio.run(_drafted(graph, said))
    if not is_draft:
        print_json(draft(drafted).rstrip("\n"))
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as unfinished:
        unfinished.write_text(draft(drafted), encoding="utf-8")
    err.print(f"wrote {file}; edit it, and check it with: kgqa describe --check --graph {graph}")
    _advise(cryptic_names(drafted))


def _check(graph: str, said: MeaningFile) -> None:
    """Print what is wrong with a file, and raise InvalidInputError if anything is."""
    schema, inferred = asyncio.run(_schemas(graph))
    fit = fitting(said, schema, inferred)
    for problem in fit.problems:
        err.print(str(problem))
    if fit.problems:
        raise InvalidInputError(f"{meaning_file(graph)}: {counted(len(fit.problems), 'problem')}; correct the lines")
    hidden = sum(one.is_hidden for one in fit.meanings.values())
    out.print(f"{meaning_file(graph)}: {counted(len(fit.meanings), 'element')} described, {hidden} hidden")


async def _schemas(graph: str) -> tuple[GraphSchema, GraphSchema]:
    """Return the schema of a graph, and the one with inferred kinds."""
    store = open_stored_graph(graph)
    try:
        return await store.schema(), (await GraphView.of(store)).schema
    finally:
        await store.close()


async def _drafted(graph: str, said: MeaningFile) -> Drafted:
    store = open_stored_graph(graph)
    try:
        view = await GraphView.of(store)
        nodes = {kind: await _names(store, view, kind) for kind in view.schema.kinds if kind}
        meanings = fitting(said, await store.schema(), view.schema).meanings
    finally:
        await store.close()
    vocabulary = _vocabulary()
    return Drafted(graph, view.schema, nodes, meanings, lambda name: is_cryptic(name, vocabulary))


async def _names(store: GraphStore, view: GraphView, kind: str) -> list[str]:
    """Return the names of some nodes of a kind."""
    pattern = Match((NodePattern("n", (kind,)),))
    plan = Plan((pattern, Project((Column("n", Variable("n")),)), Slice(_EXAMPLES)))
    result = await store.run(view.runnable(plan))
    return [node.name for row in result.rows if isinstance(node := row[0], NodeRef) and node.name]


def _vocabulary() -> frozenset[str]:
    """Return the words that the packaged model knows."""
    from tokenizers import Tokenizer

    from services.retriever.encoder.encoder import TOKENIZER_FILE
    from services.retriever.plans.predictor.plan_manifest import BASE_MODEL

    return frozenset(Tokenizer.from_file(str(BASE_MODEL / TOKENIZER_FILE)).get_vocab())


def _advise(cryptic: list[str]) -> None:
    if cryptic:
        more = f", and {len(cryptic) - _SHOWN_CRYPTIC} more" if len(cryptic) > _SHOWN_CRYPTIC else ""
        err.print(f"describe first what says little: {', '.join(cryptic[:_SHOWN_CRYPTIC])}{more}")
