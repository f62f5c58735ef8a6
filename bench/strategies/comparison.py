"""Compare the retrieval strategies on question sets.

python -m bench.strategies.comparison HOME [--sets SET...] [--data DATA] [--neo4j NEO4J]

HOME is a KGQA_HOME for the graphs and their indexes, which take minutes to build and are kept there. So are the
outcomes of each commit, from which an interrupted run resumes. Sets other than the demo's need DATA, the folder of the
data sets. Those of dumps also need NEO4J, a program that loads a dump with `NEO4J load HOME DUMP`, and starts and stops
a server with `NEO4J start HOME PORT PASSWORD` and `NEO4J stop HOME`. If KGQA_RETRIEVER_LLM_URL and
KGQA_RETRIEVER_LLM_MODEL are set, the strategy `cypher` takes part.
"""

import argparse
import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from bench.results import Section, head, keep
from bench.strategies.kaping import TRIPLES, Kaping
from bench.strategies.sets import DEMO_SETS, SETS, QuestionSet
from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from evaluation.in_process import retrieval_fingerprint
from evaluation.metrics import set_scores
from evaluation.outcomes import outcome_of
from evaluation.strategy_outcomes import CONFIDENT, StrategyOutcome, column, failure, oracle, outcome_of_answers
from graph.opening import open_graph
from kgqa.console import progress_bar
from language.english.english import english
from question_sets.journal import Journal
from question_sets.records import QuestionRecord
from services.retriever.dense.dense_encoder import ENCODER_FOLDER
from services.retriever.dense.triple_index import open_index
from services.retriever.encoder.encoder import TOKENIZER_FILE
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.replies.retrieval import Retrieval
from services.retriever.serving.wiring import NO_MODEL, assemble_retriever, assemble_strategies
from services.retriever.settings import RetrieverSettings
from services.retriever.strategies.selection import StrategySelector
from shared.errors import KGQAError
from shared.settings import load_settings
from texts.verbalise.template import as_sentences

_KAPING = "KAPING"
_PATIENCE_S = 60.0
_ORDER = 50
_NOTE = (
    "At most {size} random questions of each set; the topic entities are linked in the question. The relation paths of "
    "MetaQA, ZJQA, and WebQSP are trained on their dev or train sets, and the demo's retriever is the packaged one; "
    "nothing is trained for the other sets. Percentages, with 95 % confidence intervals. "
    "`EX`: the answer set, or a column of the table, is the gold result. "
    f"`confidently wrong`: the share of questions with wrong answers and a confidence of at least {CONFIDENT}. "
    "`tokens of evidence`: the mean length of the evidence as sentences, of the questions with answers, in tokens of "
    f"the packaged encoder. `KAPING`: {TRIPLES} single triples around the linked entities, ranked by similarity; "
    "without a language model to read them, the other end of the first one is the answer, and there is no confidence. "
    "`oracle`: the best strategy for each question, chosen by its gold answer; an upper bound for `auto`."
)

Ask = Callable[[int, QuestionRecord], Awaitable[StrategyOutcome]]
_Outcomes = dict[str, list[StrategyOutcome]]


class Tokens:
    """Count tokens as the packaged encoder does."""

    def __init__(self) -> None:
        self._tokenizer: Any = Tokenizer.from_file(str(ENCODER_FOLDER / TOKENIZER_FILE))
        self._tokenizer.no_truncation()

    def count(self, texts: Sequence[str]) -> int:
        """Return the number of tokens of all texts together."""
        return sum(len(self._tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)


@asynccontextmanager
async def _methods(questions: QuestionSet) -> AsyncIterator[tuple[str, Mapping[str, Ask]]]:
    """Open a graph, and yield its version and the ways to answer its questions, by name."""
    tokens = Tokens()
    store = open_graph(questions.graph, _PATIENCE_S)
    index = open_index(questions.graph)
    model = load_settings(RetrieverSettings).language_model()
    try:
        assembled = assemble_retriever(store, questions.retriever(), None, _PATIENCE_S)
        selector = assemble_strategies(store, assembled, index, model or NO_MODEL)
        linker = EntityLinker(store, WordSurprisal(vocabulary=assembled.encoder.vocabulary))
        kaping = Kaping(questions.graph, linker, assembled.encoder)
        methods = {_KAPING: _asking_kaping(kaping, tokens)}
        methods |= {str(name): asking(selector, name, tokens) for name in selector.available}
        yield await store.version(), methods
    finally:
        index.close()
        await store.close()
        if model is not None:
            await model.close()


def asking(selector: StrategySelector, strategy: Strategy, tokens: Tokens) -> Ask:
    """Return a function that asks a strategy, and scores its reply."""

    async def ask(number: int, record: QuestionRecord) -> StrategyOutcome:
        started = time.perf_counter()
        try:
            reply = await Retrieval(selector).retrieve(RetrieveRequest(question=record.question, strategy=strategy))
        except KGQAError:
            return failure(number, (time.perf_counter() - started) * 1000)
        scored = outcome_of(record, reply, (time.perf_counter() - started) * 1000)
        *_, f1 = set_scores(scored.answers, record.answers)
        return StrategyOutcome(
            number=number,
            hit=scored.is_correct,
            f1=f1,
            exact=scored.is_exact,
            answered=bool(scored.answers),
            confidence=scored.confidence,
            tokens=tokens.count(_evidence_texts(reply)),
            ms=scored.ms,
        )

    return ask


def _evidence_texts(reply: RetrieveResponse) -> list[str]:
    paths = [as_sentences(item.triples) for item in reply.evidence]
    return [*paths, *(item.text for item in reply.plan_evidence)]


def _asking_kaping(kaping: Kaping, tokens: Tokens) -> Ask:
    async def ask(number: int, record: QuestionRecord) -> StrategyOutcome:
        started = time.perf_counter()
        reply = await kaping.answer(english(record.question))
        ms = (time.perf_counter() - started) * 1000
        return outcome_of_answers(number, reply.answers, record.answers, tokens.count(reply.sentences), ms)

    return ask


async def measured(questions: QuestionSet, home: Path, size: int, folder: Path) -> _Outcomes:
    """Return the outcomes of each method on a sample of a set, in the order of the questions.

    Journals in `folder` keep them, one per method.
    """
    drawn = questions.sample(home, size)
    outcomes: _Outcomes = {}
    async with _methods(questions) as (version, methods):
        begun_with = retrieval_fingerprint(version, questions.retriever(), questions.file(home))
        begun_with["language model"] = load_settings(RetrieverSettings).llm_model or "none"
        for name, ask in methods.items():
            with (
                Journal(folder / f"{name}.jsonl", begun_with, StrategyOutcome) as journal,
                progress_bar(f"{questions.title}, {name}", "run the same command to go on") as advance,
            ):
                await ask(*drawn[0])  # reads the graph, which no question should wait for
                finished = {one.number for one in journal}
                for done, (number, record) in enumerate(drawn, 1):
                    if number not in finished:
                        journal.add(await ask(number, record))
                    advance(done, len(drawn))
                found = {one.number: one for one in journal}
                outcomes[name] = [found[number] for number, _ in drawn]
    return outcomes


def _columns(outcomes: _Outcomes) -> dict[str, dict[str, str]]:
    single = {name: of_one for name, of_one in outcomes.items() if name not in (_KAPING, Strategy.AUTO)}
    return {**{name: column(of_one) for name, of_one in outcomes.items()}, "oracle": oracle(single)}


def measure(home: Path, names: Sequence[str], size: int, data: Path | None, neo4j: str | None) -> None:
    """Measure sets one after another, then all of them together, and save the figures of each."""
    commit = head()
    whole: _Outcomes = {}
    for name in names:
        questions = SETS[name]
        questions.prepare(home, with_index=True, data=data, neo4j=neo4j)
        folder = home / "outcomes" / commit / name
        folder.mkdir(parents=True, exist_ok=True)
        outcomes = asyncio.run(measured(questions, home, size, folder))
        for method, of_one in outcomes.items():
            whole.setdefault(method, []).extend(of_one)
        _keep([name], outcomes, commit, size)
    if len(names) > 1:
        _keep(names, whole, commit, size)


def _keep(names: Sequence[str], outcomes: _Outcomes, commit: str, size: int) -> None:
    is_mixed = len(names) > 1
    place = len(SETS) if is_mixed else list(SETS).index(names[0])
    data = " --data DATA" if any(SETS[name].data_set for name in names) else ""
    data += " --neo4j NEO4J" if any(SETS[name].dump for name in names) else ""
    section = Section(
        order=_ORDER + place,
        title="Strategies: " + "; ".join(SETS[name].title for name in names),
        note=_NOTE.format(size=size),
        command=f"python -m bench.strategies.comparison HOME --sets {' '.join(names)} --questions {size}{data}",
        columns=_columns(outcomes),
        commit=commit,
    )
    keep(f"strategies-{'mixed' if is_mixed else names[0]}", section)


def main() -> None:
    """Measure the sets that are named, by default those of the demo."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graphs and the outcomes")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=DEMO_SETS, help="sets to measure")
    parser.add_argument("--data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--neo4j", help="program that controls Neo4j")
    parser.add_argument("--questions", type=int, default=500, help="number of questions of each set")
    given = parser.parse_args()
    given.home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(given.home)
    measure(given.home, given.sets, given.questions, given.data, given.neo4j)


if __name__ == "__main__":
    main()
