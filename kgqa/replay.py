"""Ask the questions of an audit log again: `kgqa replay`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from contracts.ask import AskRequest, AskResponse
from kgqa.advice import reach_advice
from kgqa.console import out, print_table, progress_bar
from kgqa.options import AnswererUrl
from kgqa.running import answerer_url
from shared.errors import InvalidInputError, KGQAError, UnauthenticatedError, UnreachableError
from shared.text import shortened

if TYPE_CHECKING:
    from evaluation.replay import BrokenLine, ReplayReport
    from kgqa.client import Client
    from kgqa.client.operations import AskOptions

_MAX_TEXT_CHARACTERS = 300
_MAX_BROKEN_SHOWN = 10


def replay(
    file: Annotated[Path, typer.Argument(help="Audit log of an answerer.")],
    url: AnswererUrl = None,
) -> None:
    """Ask the questions of an audit log again, and show which replies differ.

    The answerer may be a newer version, or have a newer graph or model, than the one that wrote the log.
    """
    from evaluation.replay import ReplayReport, read_audit_log
    from kgqa.client import Client

    records, broken = read_audit_log(file)
    if broken and not records:
        raise InvalidInputError(f"{file} has no line of an audit log; give the file of KGQA_ANSWERER_AUDIT_LOG")
    report = ReplayReport()
    try:
        url = answerer_url(url)
        client = Client(url)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with progress_bar("asking") as advance, client:
        for number, record in enumerate(records, 1):
            report.add(record, _ask(client, url, record.request))
            advance(number, len(records))
    _show(report, broken)


def _ask(client: "Client", url: str, request: AskRequest) -> AskResponse | str:
    """Return the reply, or the error that concerns this question alone."""
    from kgqa import client as api

    options = cast("AskOptions", request.model_dump(exclude={"question"}, exclude_none=True))
    try:
        return client.ask(request.question, **options)
    except api.ConnectionFailedError as error:
        raise UnreachableError(f"{error} {reach_advice(url, request.graph)}") from error
    except api.UnauthenticatedError as error:
        raise UnauthenticatedError(str(error)) from error
    except (api.ClientError, KGQAError) as error:
        return str(error)


def _show(report: "ReplayReport", broken: Sequence["BrokenLine"]) -> None:
    from evaluation.replay import Verdict

    rows = [(verdict.value, f"{report.counts[verdict]:,}") for verdict in Verdict]
    print_table(("reply", "questions"), [*rows, ("broken lines", f"{len(broken):,}")])
    for verdict, differences in report.differences.items():
        for one in differences:
            out.print("")
            out.print(f"{verdict}: {one.question}")
            out.print(f"  before  {shortened(one.before, _MAX_TEXT_CHARACTERS)}")
            out.print(f"  now     {shortened(one.now, _MAX_TEXT_CHARACTERS)}")
    for line in broken[:_MAX_BROKEN_SHOWN]:
        out.print(f"line {line.number}: {line.reason}")
    if len(broken) > _MAX_BROKEN_SHOWN:
        out.print(f"… and {len(broken) - _MAX_BROKEN_SHOWN:,} more broken lines")
