"""`kgqa corpus`: what a rewriter learns from."""

import glob
from pathlib import Path
from typing import Annotated

import typer

from kgqa.options import GraphName

corpus = typer.Typer(help="Make what a rewriter learns from.", no_args_is_help=True)


@corpus.command("build")
def build_corpus_command(
    graph: GraphName,
    questions: Annotated[Path, typer.Option(help="Training questions with relation paths, JSON Lines.")],
    to: Annotated[Path, typer.Option("--out", help="File of pairs to write; beside it, a journal to go on from.")],
    llm_url: Annotated[str, typer.Option(help="An OpenAI-compatible server: its model writes the texts.")],
    llm_model: Annotated[str, typer.Option(help="The model's name there.")],
    qa_url: Annotated[
        str | None, typer.Option(help="The server of the model that must answer from the texts. [default: the same]")
    ] = None,
    qa_model: Annotated[str | None, typer.Option(help="The model's name there. [default: the same]")] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Texts that are made side by side.")] = 8,
    prompt_price: Annotated[float, typer.Option(min=0.0, help="Price of a million tokens in prompts.")] = 0.0,
    completion_price: Annotated[float, typer.Option(min=0.0, help="Price of a million tokens in completions.")] = 0.0,
    shard: Annotated[
        str | None,
        typer.Option(help="Make a part only, such as 0/10, the first of ten; other machines make the others."),
    ] = None,
    merge: Annotated[int | None, typer.Option(min=1, help="Put together so many parts that --shard has made.")] = None,
) -> None:
    """Let a language model word the facts behind training questions; keep the texts that answer them.

    Keys are read from KGQA_CORPUS_LLM_API_KEY and KGQA_CORPUS_QA_API_KEY. Goes on where it was broken off.
    """
    from kgqa.corpus_building import CorpusOptions, build_corpus
    from question_sets.journal import Shard

    if shard and merge:
        raise typer.BadParameter("--shard makes a part, --merge puts parts together: one of them")
    if to.is_dir():
        raise typer.BadParameter(f"{to} is a folder; name a file in it", param_hint="--out")
    if not to.parent.is_dir():
        raise typer.BadParameter(f"{to.parent} is not a folder", param_hint="--out")
    if to.exists() and not list(to.parent.glob(f"{glob.escape(to.name)}.journal*")):
        raise typer.BadParameter(f"{to} exists, and no corpus in the making; name another file", param_hint="--out")
    qa = (qa_url or llm_url, qa_model or llm_model)
    part = Shard.parse(shard) if shard else None
    models = ((llm_url, llm_model), qa)
    build_corpus(CorpusOptions(graph, questions, to, *models, at_once, prompt_price, completion_price, part, merge))
