"""Let the embedded model write Cypher for SpCQL: `python -m bench.cypher.spcql HOME --data DATA [--train] [--save]`.

HOME is a KGQA_HOME for the graph and the adapter. `--train` makes the graph and the training questions, and trains the
adapter with `kgqa train cypher`, which takes about an hour on two cores; it resumes if it is interrupted. Without it,
the adapter is measured on the dev questions of SpCQL-Decomp.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.adapters.tuned_texts import learnt_pairs, texts_by
from bench.cypher.spcql_questions import facts_of, graph_lines, names_in, training_questions
from bench.results import Section, head, keep
from evaluation.query_metrics import same_query
from graph.opening import open_graph
from language.english.english import english
from question_sets.query_questions import QueryQuestion, read_spcql
from services.retriever.encoder.encoder import OnnxEncoder
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.strategies.cypher import MAX_REPAIRS
from services.retriever.strategies.graph_prompt import GraphPrompt, graph_prompt
from services.retriever.strategies.guard import checked_plan, read_query
from services.retriever.strategies.name_replacement import align
from services.retriever.strategies.query_prompt import query_in, repair_prompt
from shared.errors import KGQAError
from shared.llm.prompt_escaping import unescape_completion
from shared.paths import CYPHER_ADAPTER, adapter_folder, graph_file
from tests.support.command_line import run_kgqa

_GRAPH = "spcql"
_SEED = 1
_MAX_TOKENS = 120
_PATIENCE_S = 60.0
_NOTE = (
    "The dev questions of SpCQL-Decomp, in Chinese. Neither SpCQL's train set nor its graph is published: the embedded "
    "model of 135M parameters learnt {pairs:,} questions on a GPU, made of KgCLUE's questions, of Chinese patterns, "
    "and of the machine-translated train set, and the graph has the names of the gold queries and of KgCLUE, so that "
    "there are no gold results to compare with. `LX`: the query is the gold query apart from its notation. `entities`, "
    "`relations`: the query has exactly the names of the gold query. A query is valid if it passes the guard, at most "
    "{repairs} times after the reason was fed back; otherwise the strategy abstains. UniOQA, with a model of 7B "
    "parameters and SpCQL's own train set, has LX 21.2 on the test set."
)


@dataclass
class _Answered:
    """Hold what the model wrote for a question, and the query that runs, if any."""

    gold: QueryQuestion
    topics: Sequence[LinkedTopic]
    prompt: GraphPrompt
    written: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    before: str | None = None
    after: str | None = None
    is_abstained: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether the model is to be asked again."""
        return self.after is None and not self.is_abstained and len(self.problems) <= MAX_REPAIRS

    def next_prompt(self) -> str:
        """Return the prompt, with the last query and its problem if there is one."""
        if not self.problems:
            return self.prompt.text
        return repair_prompt(self.prompt.text, self.written[-1], self.problems[-1])


def train(home: Path, data: Path, count: int) -> None:
    """Make the graph and the training questions, and train the adapter."""
    facts, questions = facts_of(data)
    if not graph_file(_GRAPH).is_file():
        lines = home / "spcql.jsonl"
        lines.write_text("".join(graph_lines(facts, read_spcql(data / "spcql"))), encoding="utf-8")
        run_kgqa(home, "import", str(lines), "--graph", _GRAPH)
    translated = data / "spcql" / "english_mt" / "train_translated.json.xz"
    learnt = training_questions(facts, questions, translated, count, _SEED)
    file = home / "spcql-train.jsonl"
    file.write_text("".join(f"{one.model_dump_json()}\n" for one in learnt), encoding="utf-8")
    # The questions that kgqa makes up are in English.
    run_kgqa(home, "train", "cypher", "--graph", _GRAPH, "--questions", str(file), "--count", "1")


async def answer(questions: Sequence[QueryQuestion]) -> list[_Answered]:
    """Ask for a query for each question, and again while one does not run."""
    store = open_graph(_GRAPH, _PATIENCE_S)
    view = await GraphView.of(store)
    linker = EntityLinker(store, WordSurprisal(vocabulary=OnnxEncoder(BASE_MODEL).vocabulary))
    asked = []
    for one in questions:
        question = english(one.question)
        topics = await linker.link(question)
        asked.append(_Answered(one, topics, await graph_prompt(question, topics, view)))
    adapter = adapter_folder(_GRAPH, CYPHER_ADAPTER)
    while waiting := [one for one in asked if one.is_open]:
        texts = texts_by(adapter, [one.next_prompt() for one in waiting], _MAX_TOKENS)
        for next_, text in zip(waiting, texts, strict=True):
            await _read(next_, text, view)
    await store.close()
    return asked


async def _read(one: _Answered, text: str, view: GraphView) -> None:
    """Read and align what the model wrote, as `strategy: cypher` does."""
    query = query_in(unescape_completion(text, *one.prompt.sources))
    if query is None:
        one.is_abstained = True
        return
    one.written.append(query)
    one.before = one.before or query
    try:
        aligned = await align(read_query(query), view, one.topics)
        checked_plan(aligned.plan, view.schema)
    except KGQAError as error:
        one.problems.append(" ".join(error.public_detail.split())[:300])
        return
    one.after = query
    for name in aligned.replacements:
        one.after = one.after.replace(f"'{name.written}'", f"'{name.used}'")


def figures(asked: Sequence[_Answered]) -> dict[str, dict[str, str]]:
    """Return a column for the first queries, and one for those that run, with replaced names."""
    first = [(one.before or "", one.gold.query) for one in asked]
    final = [(one.after or "", one.gold.query) for one in asked]
    first_valid = sum(bool(one.after) and not one.problems for one in asked)
    valid = sum(bool(one.after) for one in asked)
    return {
        "as written": {"questions": str(len(asked)), "valid": _share(first_valid, len(asked)), **_scores(first)},
        "after guard and replacement": {
            "questions": str(len(asked)),
            "valid": _share(valid, len(asked)),
            "of the queries that run, valid": "100.0 %",
            **_scores(final),
        },
    }


def _scores(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    named = [(names_in(query), names_in(gold)) for query, gold in pairs]
    return {
        "LX": _share(sum(same_query(query, gold) for query, gold in pairs), len(pairs)),
        "entities": _share(sum(sorted(a[0]) == sorted(b[0]) for a, b in named), len(pairs)),
        "relations": _share(sum(sorted(a[1]) == sorted(b[1]) for a, b in named), len(pairs)),
    }


def _share(number: int, total: int) -> str:
    return f"{100 * number / total:.1f} %"


def main() -> None:
    """Train the adapter, or measure it and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graph and the adapter")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--train", type=int, metavar="COUNT", help="train on COUNT questions and half as many others")
    parser.add_argument("--count", type=int, help="number of questions to measure (default: all)")
    parser.add_argument("--save", action="store_true", help="write the figures to docs/benchmarks.md")
    given = parser.parse_args()
    given.home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(given.home.absolute())
    if given.train:
        train(given.home.absolute(), given.data, given.train)
        return
    commit = head()
    asked = asyncio.run(answer(read_spcql(given.data / "spcql")[: given.count]))
    columns = figures(asked)
    for name, column in columns.items():
        print(name, column)
    if given.save:
        pairs = learnt_pairs(adapter_folder(_GRAPH, CYPHER_ADAPTER))
        keep(
            "spcql",
            Section(
                order=65,
                title="Cypher by the embedded model: SpCQL",
                note=_NOTE.format(pairs=pairs, repairs=MAX_REPAIRS),
                command="python -m bench.cypher.spcql HOME --data DATA --save",
                columns=columns,
                commit=commit,
            ),
        )


if __name__ == "__main__":
    main()
