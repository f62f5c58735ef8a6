"""Train the retriever, compare it with the present one, and install what is better: `kgqa train retriever`."""

import asyncio
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgqa.console import Advance, err, interrupt, out, print_table, progress_bar
from kgqa.options import GraphName, Seed, output_folder
from kgqa.skipped import skipped_questions
from language.english.morphology import counted
from shared.errors import InvalidInputError
from shared.paths import retriever_folder

if TYPE_CHECKING:
    from evaluation.model_comparison import Choice, ComparableQuestions, Score
    from training.planning.adapt import AdaptReport
    from training.retriever.from_files import TrainedRetriever, TrainingInput
    from training.retriever.model_parts import ModelParts
    from training.retriever.train import TrainingReport
    from training.work_folder import WorkFolder

NOTHING_BETTER = 4
"""The exit code if the present models stay, because no trained one answers better."""

_QuestionsFile = Annotated[
    Path | None,
    typer.Option(
        help="JSON Lines: questions with paths, plans, Cypher, or topic and answers. [default: only the graph]"
    ),
]
_ValidationFile = Annotated[Path | None, typer.Option(help="Validation questions. [default: a tenth of --questions]")]
_OutputFolder = Annotated[
    Path | None, typer.Option("--out", help="Folder to write the model to. [default: where kgqa up looks for it]")
]
_Mode = Annotated[
    Literal["served", "paper"],
    typer.Option(help="paper: the classifiers from the paper, for comparison; requires questions with paths."),
]
_Encoder = Annotated[
    str | None,
    typer.Option(
        help="With --mode paper: name or folder of a Hugging Face encoder, or small for an untrained one. "
        "[default: MiniLM; small for non-Latin scripts]"
    ),
]
_Force = Annotated[bool, typer.Option("--force", help="Install the trained models even if they do not answer better.")]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Hold what a training made, the questions kept aside, and the scores of all combinations of models on them."""

    trained: "TrainedRetriever"
    aside: "ComparableQuestions"
    scores: "Mapping[str, Score]"


def train_retriever(
    graph: GraphName,
    questions: _QuestionsFile = None,
    valid: _ValidationFile = None,
    to: _OutputFolder = None,
    seed: Seed = 1,
    mode: _Mode = "served",
    encoder: _Encoder = None,
    force: _Force = False,
) -> None:
    """Train the retriever on the graph and on questions, and install what answers better than the present models.

    A quarter of the questions is kept aside, and at least 20 or half of them. The present and the trained models are
    asked these questions, and the result is printed. The model that reads questions as plans starts from the packaged
    base model, which knows how people ask; questions about the whole graph are made up, so that no relation is
    forgotten. Names that you gave in meaning.toml are used; see kgqa describe --help.

    An interrupted run changes nothing, and resumes when you run the same command again. The exit code is 4 if nothing
    is installed, because nothing is better.
    """
    started = time.monotonic()
    if mode == "paper" and questions is None:
        raise typer.BadParameter("paper mode requires questions with paths; set --questions", param_hint="--mode")
    if mode == "served" and encoder is not None:
        raise typer.BadParameter("--encoder applies only to --mode paper; omit it", param_hint="--encoder")
    from training.retriever.from_files import TrainingInput
    from training.retriever.model_parts import require_replaceable
    from training.work_folder import open_work_folder

    folder = output_folder(to) or retriever_folder(graph)
    require_replaceable(folder)
    given = TrainingInput(graph, questions, valid, seed, mode, encoder)
    # asyncio would handle Ctrl-C only when the training yields to the event loop, which happens only at its end.
    signal.signal(signal.SIGINT, interrupt)
    with open_work_folder(folder) as work:
        with progress_bar("training", f"{_unchanged(folder)}; run the same command again to resume") as advance:
            outcome = asyncio.run(_train_and_compare(given, work, force, advance))
        _report(outcome, mode)
        is_installed = _install(outcome, work, force)
    out.print(f"took {time.monotonic() - started:.0f} s in all")
    if not is_installed:
        raise typer.Exit(NOTHING_BETTER)


def _unchanged(folder: Path) -> str:
    """Say which model stays in service."""
    return f"{folder} is unchanged" if folder.exists() else "the packaged base model stays in service"


async def _train_and_compare(given: "TrainingInput", work: "WorkFolder", force: bool, advance: Advance) -> _Outcome:
    from evaluation.model_comparison import LEAST_QUESTIONS, comparable, compare
    from training.retriever.from_files import split_questions, train_from_files
    from training.retriever.model_parts import parts_of

    questions = await split_questions(given)
    aside = await comparable(given.graph, questions.aside)
    if len(aside.records) < LEAST_QUESTIONS and not force:
        raise InvalidInputError(
            f"nothing would show whether training helps: {counted(len(aside.records), 'question')} can be kept aside, "
            f"and at least {LEAST_QUESTIONS} are needed; give twice as many with --questions, or install whatever is "
            "trained with --force"
        )
    trained = await train_from_files(given, questions.training, work, advance)
    scores: Mapping[str, Score] = {}
    if aside.records:
        scores = await compare(given.graph, parts_of(work.target), trained.parts, aside.records, advance)
    return _Outcome(trained, aside, scores)


def _report(outcome: _Outcome, mode: str) -> None:
    """Print what was left out, what was learnt, and how the models compare."""
    paths, plans = outcome.trained.paths, outcome.trained.plans
    for warning in (*(paths.dataset.warnings if paths else ()), *_skipped(plans)):
        err.print(f"warning: {warning}")
    for problem in outcome.aside.problems:
        err.print(f"warning: a question is not compared, because its query does not run: {problem}")
    if paths is not None:
        print_table(("relation paths", "value"), _path_rows(paths))
    else:
        out.print(f"relation paths: not trained; {outcome.trained.no_paths}")
    if plans is not None:
        print_table(("plans", "value"), _plan_rows(plans))
    elif mode == "served":
        out.print("plans: the packaged model, because the graph has few facts")
    if outcome.scores:
        head = (
            f"{counted(len(outcome.aside.records), 'question')} kept aside",
            "right",
            "wrong at .5 or more",
            "silent",
        )
        print_table(head, [_score_row(name, score) for name, score in outcome.scores.items()])


def _install(outcome: _Outcome, work: "WorkFolder", force: bool) -> bool:
    """Install the better models at once, or all with `force`; say what is served, and return whether that changes."""
    from training.retriever.model_parts import assemble, parts_of

    choice = _choice(outcome, parts_of(work.target), force)
    if choice is None:
        work.mark_ended()
        out.print(
            f"nothing is installed, because no trained model is shown to answer better; {_unchanged(work.target)}. To "
            "install the trained models all the same, add --force, which does not train them again"
        )
        return False
    new = work.empty("new")
    assemble(choice.parts, new, choice.evidence)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from here on, an interruption would leave the new models in service
    work.publish(new)
    out.print(f"installed {choice.name} in {work.target}")
    if choice.parts.paths is not None and choice.parts.paths == outcome.trained.parts.paths and not choice.evidence:
        out.print("paths answer only where plans do not, because nothing shows that they are better")
    return True


def _choice(outcome: _Outcome, present: "ModelParts", force: bool) -> "Choice | None":
    from evaluation.model_comparison import choose, choose_trained
    from training.retriever.model_parts import ModelParts

    better = choose(present, outcome.trained.parts, outcome.scores) if outcome.scores else None
    if better is None and force and outcome.trained.parts != ModelParts():
        return choose_trained(present, outcome.trained.parts, outcome.scores)
    return better


def _score_row(name: str, score: "Score") -> tuple[str, ...]:
    return name, str(score.right), str(score.wrong), str(score.silent)


def _path_rows(report: "TrainingReport") -> list[tuple[str, str]]:
    dataset = report.dataset
    rule = f"{dataset.walk_rule.mode}, topic {'excluded' if dataset.walk_rule.exclude_topic else 'included'}"
    fit = f"answers' F1 {max(dataset.walk_rules.values()):.3f}" if dataset.walk_rules else "no answers to fit it to"
    return [
        ("learned from", dataset.learnt_from),
        ("questions", f"{dataset.distinct_questions:,} distinct without their topic"),
        ("walk rule", f"{rule} ({fit})"),
        ("validation questions", f"{dataset.validation_questions:,}"),
        ("hop accuracy", f"{report.served.hops:.4f}"),
        ("path accuracy", f"{report.served.paths:.4f}"),
        ("served as trained", f"{report.agreement:.4f}"),
    ]


def _skipped(plans: "AdaptReport | None") -> list[str]:
    """Say which of the user's questions have no plan, and why."""
    return skipped_questions(plans.skipped, "could not be learnt as plans") if plans is not None else []


def _plan_rows(report: "AdaptReport") -> list[tuple[str, str]]:
    return [
        ("questions made up about the graph", f"{report.made_up:,}"),
        ("your questions", f"{report.given:,}"),
        ("made-up questions in other wordings, before training", f"{report.before.plans:.4f}"),
        ("made-up questions in other wordings, after training", f"{report.after.plans:.4f}"),
    ]
