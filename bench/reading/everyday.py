"""Ask everyday questions over schemas that no model was trained on: `python -m bench.reading.everyday DATA [MODEL]`.

DATA holds the folder `schema_corpus`; MODEL is the folder of a plan model, by default the packaged one. Each schema of
the set's `dev` split is filled with made-up rows, on which the queries of most questions return something.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.reading.figures import decimal, share
from bench.reading.stranger_graphs import is_right
from bench.results import Section, head, keep
from contracts.retrieve import RetrieveRequest
from evaluation.confidence_metrics import Judged, auroc
from evaluation.in_process import open_retriever
from evaluation.reliability import COSTS, Verdict, reliability_score
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_manifest import PLANS_FOLDER, plans_folder
from services.retriever.plans.predictor.search import PlanSearch
from services.retriever.plans.running import run_for_answers
from shared.cost_of_wrong import least_confidence
from shared.errors import KGQAError
from shared.paths import graph_file
from training.planning.calibration.everyday_schemas import SchemaQuestions, name_pool, read_everyday, write_rows
from training.planning.example_making import make_examples
from training.planning.examples import SchemaInput
from training.planning.refilling import NamePool

_SEED = 1
_CONFIDENT = 0.5
_TERSE = ("chess_tournaments", "publishing_house", "car_rental", "gym_and_classes")
"""The schemas whose names are abbreviated, single nouns, or prepositions."""
_NOTE = (
    "Everyday questions over ten schemas that neither rules nor training have seen. Plan first: the most probable plan "
    "is the gold plan. Result right: asked end to end over made-up rows, the answers or a column are those of the gold "
    "query; questions whose gold query returns nothing are left out. RS(c): +1 for a right answer or a right silence, "
    "0 for a needless silence, -c for a wrong answer, in percent; answered at a confidence of c/(1+c), and at 0.5. "
)


@dataclass
class Asked:
    """Hold what became of the questions about one schema, or several."""

    plans: list[float] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def __iadd__(self, other: "Asked") -> "Asked":
        self.plans += other.plans
        self.verdicts += other.verdicts
        return self

    def column(self) -> dict[str, str]:
        """Return the figures as text, keyed by measure."""
        answerable = [float(one.is_right) for one in self.verdicts if one.is_answerable]
        sure = [float(not one.is_right) for one in self.verdicts if one.confidence >= _CONFIDENT]
        unknown = [float(one.confidence < _CONFIDENT) for one in self.verdicts if not one.is_answerable]
        judged = [Judged(confidence=one.confidence, is_right=one.is_answerable) for one in self.verdicts]
        figures = {
            "plan first": share(self.plans, with_count=True),
            "result right": share(answerable, with_count=True),
            f"confidence >= {_CONFIDENT}, of these wrong": share(sure, with_count=True),
            f"unanswerable: a confidence below {_CONFIDENT}": share(unknown, with_count=True),
            "AUROC of answerable against unanswerable": decimal(auroc(judged)),
        }
        for cost in COSTS:
            least = least_confidence(cost)
            best, fixed = (reliability_score(self.verdicts, cost, at) for at in (least, _CONFIDENT))
            figures[f"RS({cost}) at {least:.2f} / at {_CONFIDENT}"] = f"{best:.0f} / {fixed:.0f}"
        silent = sum(not one.is_answerable for one in self.verdicts) / max(1, len(self.verdicts))
        return {**figures, "RS of silence": f"{100 * silent:.0f}"}


def plans_first(asked: SchemaQuestions, model: PlanModel) -> list[float]:
    """Return 1 for each question whose most probable plan is the gold plan, else 0."""
    schema = SchemaInput(asked.questions.schemas[asked.name])
    search = PlanSearch(model, model.prepare(schema.elements))
    made = make_examples(asked.questions.questions, {asked.name: schema}, _SEED)
    first = [search.predict(english(one.question), one.values)[:1] for one in made.examples]
    right = [
        float(bool(found) and found[0].actions == one.actions) for found, one in zip(first, made.examples, strict=True)
    ]
    return right + [0.0] * sum(map(len, made.skipped.values()))


async def gold_answers(asked: SchemaQuestions, store: SqliteGraphStore) -> Mapping[str, list[str]]:
    """Return the answers of the gold queries in words, without questions whose query returns nothing."""
    found: dict[str, list[str]] = {}
    for one in asked.questions.questions:
        try:
            result = (await run_for_answers(store, one.plan)).result
        except KGQAError:
            continue
        cells = [row[0] for row in result.rows if row and row[0] is not None]
        if one.question in asked.whether and len(cells) == 1:
            found[one.question] = ["yes" if cells[0] else "no"]
        elif cells:
            found[one.question] = [cell.name if isinstance(cell, NodeRef) else value_text(cell) for cell in cells]
    return found


async def ask_all(asked: SchemaQuestions, folder: Path) -> list[Verdict]:
    """Ask all questions about one schema, whose graph file has its name, with the retriever of a folder."""
    store = SqliteGraphStore(graph_file(asked.name))
    gold = await gold_answers(asked, store)
    await store.close()
    verdicts = []
    async with open_retriever(asked.name, folder) as loaded:
        for question, answers in [*gold.items(), *((one, []) for one in asked.unanswerable)]:
            reply = await loaded.retriever.retrieve(RetrieveRequest(question=question))
            right = bool(answers) and is_right(answers, "", reply)
            verdicts.append(Verdict(reply.confidence if reply.answers else 0.0, right, bool(answers)))
    return verdicts


def _columns(asked: Sequence[SchemaQuestions], pool: NamePool, folder: Path) -> Iterator[tuple[str, Asked]]:
    model = PlanModel(plans_folder(folder))
    total, terse = Asked(), Asked()
    for one in asked:
        file = graph_file(one.name)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_rows(one, pool, file)
        found = Asked(plans_first(one, model), asyncio.run(ask_all(one, folder)))
        print(one.name, found.column(), flush=True)
        total += found
        if one.name in _TERSE:
            terse += found
        yield one.name.replace("_", " "), found
    yield "all", total
    yield "abbreviated or vague names", terse


def main() -> None:
    """Ask all questions, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("model", type=Path, nargs="?", metavar="MODEL", help="folder of the plan model")
    parser.add_argument("--most", type=int, help="questions of each schema, chosen at random; the page is not written")
    given = parser.parse_args()
    commit = head()
    asked = read_everyday(given.data, given.most)
    pool = name_pool(given.data)
    with tempfile.TemporaryDirectory() as home:
        os.environ["KGQA_HOME"] = home
        folder = Path(home) / "retriever"
        folder.mkdir()
        if given.model is not None:
            (folder / PLANS_FOLDER).symlink_to(given.model.resolve())
        columns = dict(_columns(asked, pool, folder))
    shown = {name: columns[name].column() for name in ("all", "abbreviated or vague names", *list(columns)[:-2])}
    print(shown["all"], shown["abbreviated or vague names"], sep="\n")
    if given.most is None and given.model is None:
        command = "python -m bench.reading.everyday DATA"
        title = "Predicted plans: everyday questions over unseen schemas"
        keep("everyday", Section(order=41, title=title, note=_NOTE, command=command, columns=shown, commit=commit))


if __name__ == "__main__":
    main()
