"""Manage the API keys of the callers of `kgqa up`: `kgqa keys`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from graph.opening import default_graph, is_file_graph, known_graphs
from ingestion.atomic_write import atomic_write
from kgqa.console import err, out
from shared.api_keys import CallerKey, hash_of, is_key_name, new_key, read_keys
from shared.cost_of_wrong import MAX_COST_OF_WRONG
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import is_graph_name, keys_file
from shared.scope_conditions import read_condition
from shared.suggestions import did_you_mean

keys = typer.Typer(
    help="Manage the API keys of callers. With at least one key, kgqa up answers only callers that send one.\n\n"
    "Start with: kgqa keys add chatbot",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_AT_ONCE = "A kgqa up that was started with a key sees the change at once; restart one that was started without"
_NO_KEY_LEFT = (
    "No key is left: a kgqa up that was started with a key refuses everyone until it is stopped; the next one answers "
    "everyone without a key"
)
Caller = Annotated[str, typer.Argument(help="Name of the caller, such as chatbot.")]


@keys.command()
def add(
    caller: Caller,
    per_minute: Annotated[
        int | None, typer.Option(min=1, help="Requests that the caller may send per minute. [default: no limit]")
    ] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option("--graph", help="A graph that the caller may ask; repeat it for several. [default: all graphs]"),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="Condition under which nodes of a kind are visible to the caller, such as 'Document.tenant = 42'; "
            "repeat it for several. Nodes of other kinds stay visible. [default: everything is visible]"
        ),
    ] = None,
    cost_of_wrong: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=MAX_COST_OF_WRONG,
            help="How many right answers a wrong one outweighs for the caller. [default: what the service says]",
        ),
    ] = None,
) -> None:
    """Create a key for a caller, and print it once. Only its hash is kept."""
    if not is_key_name(caller):
        raise InvalidInputError(f"{caller!r} is not a name of a caller; use letters, digits, '.', '_' or '-'")
    for name in graph or ():
        if not is_graph_name(name):
            raise InvalidInputError(f"{name!r} is not a name of a graph; kgqa graphs lists the graphs")
    conditions = tuple(str(read_condition(text)) for text in scope or ())
    known = _read()
    if caller in known:
        raise InvalidInputError(f"{caller} has a key already; remove it with: kgqa keys remove {caller}")
    _warn_of_unknown(graph or ())
    key = new_key()
    made = CallerKey(hash_of(key), per_minute, tuple(graph or ()) or None, conditions, cost_of_wrong)
    _write({**known, caller: made})
    sys.stdout.write(f"{key}\n")
    err.print(
        f"this is the only time that the key of {caller} is shown. Callers send it as `Authorization: Bearer "
        "KEY`; kgqa ask reads it from KGQA_API_KEY. "
        + (_AT_ONCE if known else "Restart kgqa up, which asks for no key until it is started with one")
    )


def _warn_of_unknown(graphs: Sequence[str]) -> None:
    """Warn of graphs that do not exist, which may be a slip or imported later."""
    known = known_graphs()
    if not known and not is_file_graph():
        return
    rest = f"the graphs are {', '.join(known)}" if known else "there are no graphs"
    for name in graphs:
        if name not in (*known, default_graph()):
            err.print(f"warning: there is no graph {name!r} yet{did_you_mean(name, known) or ';'} {rest}")


@keys.command()
def remove(caller: Caller) -> None:
    """Remove a caller's key, which stops working at once."""
    known = _read()
    if caller not in known:
        raise NotFoundError(f"there is no key of {caller}; list the callers with: kgqa keys list")
    rest = {name: key for name, key in known.items() if name != caller}
    _write(rest)
    err.print(f"removed the key of {caller}. {_AT_ONCE if rest else _NO_KEY_LEFT}")


@keys.command("list")
def list_callers() -> None:
    """List the callers that have a key, their limits, and what a wrong answer costs them."""
    known = _read()
    if not known:
        err.print("there are no keys, so kgqa up answers everyone; add one: kgqa keys add NAME")
    for name, key in sorted(known.items()):
        out.print("  ".join([name, *_limits(key)]))


def _limits(key: CallerKey) -> list[str]:
    rate = [f"{key.per_minute} per minute"] if key.per_minute is not None else []
    graphs = [f"only {', '.join(key.graphs)}"] if key.graphs else []
    cost = [f"a wrong answer costs {key.cost_of_wrong:g}"] if key.cost_of_wrong is not None else []
    return [*rate, *graphs, *(f"where {condition}" for condition in key.scope), *cost]


@keys.command()
def export() -> None:
    """Print the hashes of all keys, for KGQA_ANSWERER_API_KEYS in containers and clusters."""
    sys.stdout.write(f"{json.dumps({name: key.as_json() for name, key in _read().items()})}\n")


def _read() -> dict[str, CallerKey]:
    return read_keys(keys_file())


def _write(keys: dict[str, CallerKey]) -> None:
    file: Path = keys_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({name: key.as_json() for name, key in keys.items()}, indent=1)
    with atomic_write(file, is_private=True) as unfinished:
        unfinished.write_text(content + "\n", encoding="utf-8")
