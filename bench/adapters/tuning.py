"""Measure what each stage of knowledge-graph tuning adds: `python -m bench.adapters.tuning HOME --data DATA [--train]`.

HOME is a KGQA_HOME for MetaQA, its trained relation paths, and the adapters. `--train` writes the pairs of each variant
with `kgqa corpus tuning`, and trains an adapter on them with `kgqa train answerer`; adapters that exist are kept, so
that an interrupted run resumes. Without it, the adapters that exist are measured.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.adapters.tuned_texts import learnt_pairs, texts_by
from bench.results import Section, head, keep
from bench.strategies.sets import SETS
from contracts.retrieve import RetrieveRequest
from evaluation.in_process import open_retriever
from evaluation.metrics import lenient_hit, set_scores
from question_sets.records import QuestionRecord
from shared.errors import KGQAError
from shared.exact_match import exact
from shared.paths import TRAINING_RECORD
from tests.support.command_line import run_kgqa
from texts.verbalise.formats import as_yaml
from training.tuning.prompts import answers_in, reasoning_prompt
from training.tuning.task import Task

_SETS = ("metaqa-1", "metaqa-2", "metaqa-3")
_INSTRUCTION = (Task.ENTITY, Task.RELATION, Task.GRAPH_TO_TEXT, Task.TEXT_TO_GRAPH)
_VARIANTS: Mapping[str, Sequence[Task]] = {
    "untuned": (),
    "instruction": _INSTRUCTION,
    "instruction, graph": (*_INSTRUCTION, Task.GRAPH),
    "all": tuple(Task),
    "without instruction": (Task.GRAPH, Task.REASONING),
    "without graph": (*_INSTRUCTION, Task.REASONING),
    "reasoning alone": (Task.REASONING,),
}
_MAX_TOKENS = 250
_MAX_ITEMS = 5
_NOTE = (
    "{size} random test questions of each set, with at most {items} retrieved reasoning paths as YAML, and Prompt 2 of "
    "Bridging the Gap. Each variant of the embedded model of 135M parameters learnt `pairs` of its tasks on a GPU: "
    "naming masked entities and relations, graph to text, and text to graph (`instruction`); recalling entities "
    "(`graph`); and reasoning over retrieved facts (`reasoning`), for which it has the dev questions. `hits@1`: the "
    "first answer after the reasoning is a gold answer. `lenient`: the reply contains a gold answer."
)


@dataclass(frozen=True, slots=True)
class _Asked:
    record: QuestionRecord
    prompt: str


def train(home: Path, count: int) -> None:
    """Write the pairs of each variant and train its adapter, unless that is done."""
    dev = home / "metaqa-dev.jsonl"
    texts = [(home / "sets" / "metaqa" / f"{hops}-hop-dev.jsonl").read_text(encoding="utf-8") for hops in (1, 2, 3)]
    dev.write_text("".join(texts), encoding="utf-8")
    for name, tasks in _VARIANTS.items():
        out, pairs = _adapter(home, name), home / f"{name}.json"
        if not tasks or (out / TRAINING_RECORD).is_file():
            continue
        chosen = [word for task in tasks for word in ("--task", task.value)]
        how = ["--graph", "metaqa", "--count", str(count), "--questions", str(dev)]
        run_kgqa(home, "corpus", "tuning", *how, *chosen, "--out", str(pairs))
        into = ["--pairs", str(pairs), "--from-scratch", "--out", str(out)]
        run_kgqa(home, "train", "answerer", "--graph", "metaqa", *into)


async def _asked(home: Path, name: str, size: int) -> list[_Asked]:
    """Return questions with their prompts, which hold what the retriever finds."""
    chosen = SETS[name]
    found = []
    async with open_retriever(chosen.graph, chosen.retriever()) as loaded:
        for _, record in chosen.sample(home, size):
            try:
                request = RetrieveRequest(question=record.question, topic_entity=record.topic, min_confidence=0.0)
                evidence = (await loaded.retriever.retrieve(request)).evidence[:_MAX_ITEMS]
            except KGQAError:
                evidence = []
            knowledge = as_yaml([fact for item in evidence for fact in item.triples])
            found.append(_Asked(record, reasoning_prompt(knowledge, record.question)))
    return found


def figures(asked: Sequence[_Asked], replies: Sequence[str]) -> dict[str, str]:
    """Return the scores of the replies, in percent."""
    first, f1, lenient = 0, 0.0, 0
    for one, reply in zip(asked, replies, strict=True):
        answers = answers_in(reply)
        gold = {exact(name) for name in one.record.answers}
        first += bool(answers) and exact(answers[0]) in gold
        f1 += set_scores(answers, one.record.answers)[2]
        lenient += lenient_hit(reply, one.record.answers)
    return {
        measure: f"{100 * value / len(asked):.1f}"
        for measure, value in (("hits@1", first), ("F1", f1), ("lenient", lenient))
    }


def measure(home: Path, size: int) -> dict[str, dict[str, str]]:
    """Return a column for each adapter that exists, and for the untuned model."""
    asked = {name: asyncio.run(_asked(home, name, size)) for name in _SETS}
    prompts = [one.prompt for questions in asked.values() for one in questions]
    columns: dict[str, dict[str, str]] = {}
    for variant, tasks in _VARIANTS.items():
        if tasks and not (_adapter(home, variant) / TRAINING_RECORD).is_file():
            continue
        replies = iter(texts_by(_adapter(home, variant) if tasks else None, prompts, _MAX_TOKENS))
        columns[variant] = {"pairs": f"{learnt_pairs(_adapter(home, variant)) if tasks else 0:,}"} | {
            f"{SETS[name].title}, {measure}": value
            for name, questions in asked.items()
            for measure, value in figures(questions, [next(replies) for _ in questions]).items()
        }
        print(variant, columns[variant], flush=True)
    return columns


def _adapter(home: Path, variant: str) -> Path:
    return home / "tuned" / variant.replace(", ", "-").replace(" ", "-")


def main() -> None:
    """Train the adapters, or measure them and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graph and the adapters")
    parser.add_argument("--data", type=Path, required=True, metavar="DATA", help="folder of the data sets")
    parser.add_argument("--train", action="store_true", help="write the pairs and train the adapters")
    parser.add_argument("--count", type=int, default=1_000, help="number of pairs of each task (default %(default)s)")
    parser.add_argument("--questions", type=int, default=100, help="number of questions of each set")
    given = parser.parse_args()
    home = given.home.absolute()
    home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(home)
    for name in _SETS:
        SETS[name].prepare(home, with_index=False, data=given.data)
    if given.train:
        train(home, given.count)
        return
    commit = head()
    section = Section(
        order=66,
        title="Knowledge-graph tuning",
        note=_NOTE.format(size=given.questions, items=_MAX_ITEMS),
        command="python -m bench.adapters.tuning HOME --data DATA",
        columns=measure(home, given.questions),
        commit=commit,
    )
    keep("tuning", section)


if __name__ == "__main__":
    main()
