"""Compare queries that the embedded model writes with plans: `python -m bench.cypher.written_cypher HOME --data DATA`.

HOME is a KGQA_HOME for the graphs of Neo4j's examples and their adapters. `--train COUNT` first trains an adapter per
graph with `kgqa train cypher`, on COUNT questions made up about it; adapters that exist are kept. DATA is the folder of
the data sets, and `bench.strategies.comparison` says what NEO4J does.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from bench.adapters.tuned_texts import learnt_pairs
from bench.results import Section, head, keep
from bench.strategies.comparison import Tokens, asking
from bench.strategies.sets import SETS
from contracts.base import Strategy
from evaluation.strategy_outcomes import StrategyOutcome, column
from graph.opening import open_graph
from kgqa.console import progress_bar
from question_sets.records import QuestionRecord
from services.launcher import embedded_language_model
from services.retriever.serving.wiring import assemble_retriever, assemble_strategies
from shared.llm.client import OpenAIClient
from shared.paths import ADAPTER_FILE, CYPHER_ADAPTER, adapter_folder
from tests.support.command_line import run_kgqa

_SETS = ("movies", "northwind", "stackoverflow")
_PATIENCE_S = 60.0
_NOTE = (
    "{size} random gold questions of each graph, of which the models have seen none. `cypher`: the embedded model of "
    "135M parameters, with an adapter that learnt {count} questions made up about the graph on a GPU, writes the query "
    "in the grammar of the schema. `plan`: the packaged plan model, without training. `auto`: the former writes where "
    "the latter abstains. How much plans that disagree lower the confidence of `cypher` was chosen on Movies. "
    "Percentages, with 95 % confidence intervals. `EX`: the answer set, or a column of the table, is the gold result. "
    "`confidently wrong`: the share of questions with wrong answers and a confidence of at least 0.5."
)


async def measured(name: str, drawn: Sequence[tuple[int, QuestionRecord]]) -> dict[str, dict[str, str]]:
    """Return a column for each of the strategies."""
    chosen = SETS[name]
    tokens = Tokens()
    columns = {}
    with embedded_language_model(graph=chosen.graph) as server:
        store = open_graph(chosen.graph, _PATIENCE_S)
        model = OpenAIClient(server.url, CYPHER_ADAPTER, api_key=server.api_key)
        assembled = assemble_retriever(store, chosen.retriever(), None, _PATIENCE_S)
        selector = assemble_strategies(store, assembled, "no index is needed", model)
        for strategy in (Strategy.CYPHER, Strategy.PLAN, Strategy.AUTO):
            ask = asking(selector, strategy, tokens)
            outcomes: list[StrategyOutcome] = []
            with progress_bar(f"{chosen.title}, {strategy}", "nothing is kept") as advance:
                for number, record in drawn:
                    outcomes.append(await ask(number, record))
                    advance(len(outcomes), len(drawn))
            columns[f"{chosen.title}, {strategy}"] = column(outcomes)
        await model.close()
        await store.close()
    return columns


def main() -> None:
    """Train the adapters if asked to, measure them, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graphs and the adapters")
    parser.add_argument("--sets", nargs="+", choices=_SETS, default=_SETS, help="graphs to train on and to measure")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--neo4j", help="program that controls Neo4j")
    parser.add_argument("--train", type=int, metavar="COUNT", help="train adapters that are missing, and end")
    parser.add_argument("--questions", type=int, default=100, help="number of questions of each set")
    given = parser.parse_args()
    home = given.home.absolute()
    home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(home)
    for name in given.sets:
        SETS[name].prepare(home, with_index=False, data=given.data, neo4j=given.neo4j)
        graph = SETS[name].graph
        if given.train and not (adapter_folder(graph, CYPHER_ADAPTER) / ADAPTER_FILE).is_file():
            run_kgqa(home, "train", "cypher", "--graph", graph, "--count", str(given.train))
    if given.train:
        return
    commit = head()
    learnt = sorted({learnt_pairs(adapter_folder(SETS[name].graph, CYPHER_ADAPTER)) for name in given.sets})
    columns: dict[str, dict[str, str]] = {}
    for name in given.sets:
        columns |= asyncio.run(measured(name, SETS[name].sample(home, given.questions)))
        print({key: value["EX"] for key, value in columns.items()}, flush=True)
    section = Section(
        order=64,
        title="Cypher by the embedded model: gold questions",
        note=_NOTE.format(size=given.questions, count=" and ".join(f"{one:,}" for one in learnt)),
        command=f"python -m bench.cypher.written_cypher HOME --questions {given.questions} --data DATA --neo4j NEO4J",
        columns=columns,
        commit=commit,
    )
    keep("written-cypher", section)


if __name__ == "__main__":
    main()
