"""Calibrate the confidence of a plan model: `python -m training.planning.calibration DATA MODEL`.

DATA holds the folders `spider` and `schema_corpus`; MODEL is the folder of the model, whose manifest is rewritten. The
questions are those of Spider's development set, which people wrote about databases that the base model has not seen,
and everyday questions to develop with: those over ten schemas that it has not seen either, those about the company's
graph that users would train on, 130 about the demo graph, and those about four graphs of strangers. Databases and
schemas are filled with invented rows. A reading is right if it gives what the plan of the query gives, or the gold
answers, in some column. Some questions are also asked about graphs that lack a property or a relationship that they
need, and others ask for what the schema lacks, so that every reading is wrong.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from graph.store import GraphStore
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.plan_judge import PlanJudge
from services.retriever.plans.predictor.plan_manifest import read_plan_manifest
from services.retriever.plans.predictor.search import plan_search
from training.planning.adapt import write_plan_manifest
from training.planning.calibration.everyday_questions import judge_graphs, judge_schemas
from training.planning.calibration.fitting import calibration_of, first_reading, ranking_of
from training.planning.calibration.judging import Judged
from training.planning.calibration.spider_questions import judge_spider

_REPEATED = 3
"""Times that questions about whole graphs count for the ranking, since Spider has many more.

They count once for the confidence: rules were developed with them, so they are read better than questions that nobody
has looked at.
"""


def _lines(judged: Sequence[Judged], ranking: PlanCalibration, calibration: PlanCalibration) -> Iterator[str]:
    count = len(judged)
    most_probable, chosen = [one[0][1] for one in judged], [first_reading(one, ranking) for one in judged]
    yield f"{count} questions; the most probable reading with a result is right for {sum(most_probable) / count:.1%}"
    yield f"the first reading is right for {sum(right for _, right in chosen) / count:.1%}"
    yield f"one of the readings is right for {sum(any(right for _, right in one) for one in judged) / count:.1%}"
    for threshold in (0.3, 0.5, 0.8):
        answered = [right for features, right in chosen if calibration.probability(features) >= threshold]
        wrong = sum(not right for right in answered) / max(1, len(answered))
        yield f"confidence >= {threshold}: {len(answered) / count:.0%} answered, {wrong:.1%} of these wrong"


def main() -> None:
    """Calibrate from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder of the plan model")
    given = parser.parse_args()
    model = PlanModel(given.model)
    search_for, vectors = plan_search(model, PlanJudge(model, given.model)), WordVectors(model.encoder)

    def planner_for(store: GraphStore) -> Planner:
        return Planner(store, search_for, known_words=model.encoder.vocabulary, vectors=vectors)

    spider = asyncio.run(judge_spider(given.data / "spider", planner_for))
    everyday = asyncio.run(judge_graphs(planner_for))
    unseen = asyncio.run(judge_schemas(given.data, planner_for))
    ranking, judged = ranking_of([*spider, *unseen, *everyday * _REPEATED]), [*spider, *unseen, *everyday]
    calibration = calibration_of([first_reading(one, ranking) for one in judged])
    changes = {"ranking": ranking, "calibration": calibration}
    write_plan_manifest(read_plan_manifest(given.model).model_copy(update=changes), given.model)
    print("\n".join(_lines(judged, ranking, calibration)))


if __name__ == "__main__":
    main()
