"""Compare what a QA model answers from knowledge that is found in several ways (RRA, tables 1 to 3).

python -m bench.strategies.knowledge HOME --data DATA [--sets SET...] [--questions N]

HOME is a KGQA_HOME for the graphs, their indexes, and the trained relation paths, which take minutes to prepare and are
kept there. So are the outcomes of each commit, from which an interrupted run resumes. DATA is the folder of the data
sets. The QA model and the rewriter's model are the embedded one, or those of KGQA_ANSWERER_LLM_URL and
KGQA_REWRITER_LLM_URL. If KGQA_RETRIEVER_LLM_URL and KGQA_RETRIEVER_LLM_MODEL are set, the strategy `cypher` takes part.
"""

import argparse
import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from bench.results import RESULTS, Section, head, keep
from bench.strategies.kaping import TRIPLES, Kaping
from bench.strategies.sen import SenTriples
from bench.strategies.sets import SETS, QuestionSet
from contracts.base import DEFAULT_MAX_PATHS, Strategy
from evaluation.formats import ComparedFormat, FormatPipeline
from evaluation.in_process import (
    LanguageModels,
    LoadedRetriever,
    model_fingerprint,
    open_language_models,
    open_retriever,
    retrieval_fingerprint,
)
from evaluation.knowledge_outcomes import KnowledgeOutcome, KnowledgeReader, knowledge_columns
from evaluation.knowledge_sources import KnowledgeSource, NoKnowledge, RankedTriples, ReasoningPaths, StrategyEvidence
from evaluation.options import EvaluationOptions
from evaluation.run import ask_all
from kgqa.console import progress_bar
from question_sets.journal import Journal
from services.retriever.dense.triple_index import open_index
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.model import RetrieverModel
from services.retriever.replies.retrieval import Retrieval
from services.retriever.serving.wiring import NO_MODEL, assemble_retriever, assemble_strategies
from services.retriever.settings import RetrieverSettings
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.settings import load_settings

_SETS = ("metaqa-1", "metaqa-2", "metaqa-3", "webqsp", "zjqa")
_NONE, _TRIPLES = "none", "RRA, triples"
_FORMATS = (ComparedFormat.TRIPLES, ComparedFormat.YAML, ComparedFormat.TEMPLATE, ComparedFormat.TEXT)
_ORDER = 72
_TITLE = "Knowledge for a QA model"
_NOTE = (
    "{size} random questions of each set, few because the models run on two cores; the topic entities are given, as in "
    "the paper, and nothing abstains. QA model: {model}, with prompt T2. Percentages, with 95 % confidence intervals. "
    "`hit@1`: the lower-cased text contains a gold answer anywhere, as in the paper. `F1`: the gold answers and the "
    "names of the shown triples that the text contains as whole words, without those of the question, compared with "
    "the gold set; other names in the text are not counted. `answer in the knowledge`: an upper bound for reading. "
    "`vs`: questions that only this knowledge answers (helpful, +), or only the other one (harmful, -). "
    f"`KAPING`: the {TRIPLES} most similar triples around the topic; `Sen et al.`: the {TRIPLES} that weigh most by "
    "the predicted distribution over relations for each hop; both without the paper's own models, and as triples. "
    f"`RRA`: at most {DEFAULT_MAX_PATHS} reasoning paths along the trained relation paths, in each format. `dense`: "
    "the evidence of this strategy, as triples; its encoder is trained for MetaQA only."
)
_SUMMARY_NOTE = "The `hit@1` of each set; the tables below have the other figures, and say how it was measured."

_Outcomes = dict[str, list[KnowledgeOutcome]]


@asynccontextmanager
async def _sources(
    questions: QuestionSet, loaded: LoadedRetriever, models: LanguageModels, options: EvaluationOptions
) -> AsyncIterator[Mapping[str, KnowledgeSource]]:
    """Yield the sources of knowledge by name."""
    store, graph = loaded.store, questions.graph
    writer = load_settings(RetrieverSettings).language_model()
    index = open_index(graph)
    try:
        assembled = assemble_retriever(store, options.retriever, options.threshold)
        selector = assemble_strategies(store, assembled, index, writer or NO_MODEL)
        paths = RetrieverModel.load(options.retriever)
        linker = EntityLinker(store, paths.word_surprisal)
        rewriter = Rewriter(models.rewriter, InMemoryTextCache(0))
        pipeline = FormatPipeline(loaded.retriever, rewriter, models.base, models.qa, options)
        others = [one for one in (Strategy.DENSE, Strategy.CYPHER) if one in selector.available]
        yield {
            _NONE: NoKnowledge(),
            "KAPING": RankedTriples(linker, Kaping(graph, linker, assembled.encoder).triples),
            "Sen et al.": RankedTriples(linker, SenTriples(graph, store, paths).triples),
            **{f"RRA, {form}": ReasoningPaths(pipeline, form) for form in _FORMATS},
            **{str(one): StrategyEvidence(Retrieval(selector), one, options) for one in others},
        }
    finally:
        index.close()
        if writer is not None:
            await writer.close()


async def measured(questions: QuestionSet, home: Path, size: int, file: Path) -> tuple[_Outcomes, str]:
    """Return the outcomes of each source on a sample of a set, in order, and the name of the QA model.

    The journal `file` keeps them.
    """
    drawn = questions.sample(home, size)
    options = EvaluationOptions(questions.graph, questions.retriever(), questions.file(home), threshold=0.0)
    async with (
        open_retriever(questions.graph, options.retriever, options.threshold) as loaded,
        open_language_models(questions.graph) as models,
        _sources(questions, loaded, models, options) as sources,
    ):
        begun_with = retrieval_fingerprint(await loaded.store.version(), options.retriever, options.questions)
        begun_with |= model_fingerprint(questions.graph, models)
        begun_with["language model"] = load_settings(RetrieverSettings).llm_model or "none"
        reader = KnowledgeReader(models.qa)
        with (
            Journal(file, begun_with, KnowledgeOutcome) as journal,
            progress_bar(questions.title, "run the same command to go on") as advance,
        ):
            asked = {name: partial(reader.ask, name, source) for name, source in sources.items()}
            await ask_all(drawn, asked, {(one.number, one.source) for one in journal}, journal.add, advance)
            found = {(one.number, one.source): one for one in journal}
        return {name: [found[number, name] for number, _ in drawn] for name in sources}, _model_name(models)


def _model_name(models: LanguageModels) -> str:
    is_embedded = "KGQA_ANSWERER_LLM_URL" not in os.environ
    return "SmolLM2-135M with the answerer's adapter" if is_embedded else models.qa.name


def measure(home: Path, names: Sequence[str], size: int, data: Path | None) -> None:
    """Measure sets one after another, and save the figures of each; print them, too."""
    commit = head()
    folder = home / "outcomes" / commit / "knowledge"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        questions = SETS[name]
        questions.prepare(home, with_index=True, data=data)
        outcomes, model = asyncio.run(measured(questions, home, size, folder / f"{name}.jsonl"))
        section = Section(
            order=_ORDER + 1 + _SETS.index(name),
            title=f"{_TITLE}: {questions.title}",
            note=_NOTE.format(size=size, model=model),
            command=f"python -m bench.strategies.knowledge HOME --data DATA --sets {name} --questions {size}",
            columns=knowledge_columns(outcomes, (_NONE, _TRIPLES)),
            commit=commit,
        )
        keep(_file(name).stem, section)
        print(section.title)
        for column, figures in section.columns.items():
            print(f"  {column}: " + "; ".join(f"{measure} {figure}" for measure, figure in figures.items()), flush=True)
    _keep_summary()


def _keep_summary() -> None:
    """Save one table with the hit@1 of all sets that have been measured, with a row per source."""
    columns = {}
    for name in _SETS:
        if _file(name).is_file():
            section = Section.model_validate_json(_file(name).read_text(encoding="utf-8"))
            columns[SETS[name].title] = {source: column["hit@1"] for source, column in section.columns.items()}
    command = "python -m bench.strategies.knowledge HOME --data DATA"
    keep("knowledge", Section(order=_ORDER, title=_TITLE, note=_SUMMARY_NOTE, command=command, columns=columns))


def _file(name: str) -> Path:
    return RESULTS / f"knowledge-{name}.json"


def main() -> None:
    """Measure the sets that are named, by default all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graphs and the outcomes")
    parser.add_argument("--sets", nargs="+", choices=_SETS, default=_SETS, help="sets to measure")
    parser.add_argument("--data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--questions", type=int, default=100, help="number of questions of each set")
    given = parser.parse_args()
    given.home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(given.home)
    measure(given.home, given.sets, given.questions, given.data)


if __name__ == "__main__":
    main()
