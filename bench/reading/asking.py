"""Ask questions in this process, and make up some to ask."""

import time
from collections.abc import Sequence
from pathlib import Path

from bench.reading.judged_replies import Measured
from contracts.retrieve import RetrieveRequest
from evaluation.confidence_metrics import Judged
from evaluation.in_process import open_retriever
from evaluation.outcomes import outcome_of
from graph.opening import open_graph
from graph.plan.value_text import value_text
from graph.store import GraphStore
from language.english.english import english
from question_sets.records import QuestionRecord
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.serving.wiring import load_planner
from shared.errors import KGQAError, PlanLimitError
from training.planning.own_questions import OwnQuestions
from training.synthetic.plans.wordings import Split

_SEED = 1
_GENERATED = 400


async def ask(graph: str, model: Path, records: Sequence[QuestionRecord]) -> Measured:
    """Ask questions in this process; only a right answer counts as right, so silence is right nowhere."""
    measured = Measured()
    async with open_retriever(graph, model) as loaded:
        for record in records:
            try:
                response = await loaded.retriever.retrieve(RetrieveRequest(question=record.question))
            except KGQAError:
                measured.judged.append(Judged(confidence=0.0, is_right=False))
                measured.silent += 1
                continue
            is_right = bool(record.answers) and outcome_of(record, response, 0.0).is_exact
            measured.judged.append(Judged(confidence=response.confidence, is_right=is_right))
            measured.silent += not response.answers
    return measured


async def generated_questions(graph: str) -> list[QuestionRecord]:
    """Make up questions in wordings that training does not use."""
    store: GraphStore = open_graph(graph)
    view = await GraphView.of(store)
    own = await OwnQuestions.of(view, {}, _SEED + 1)
    records: list[QuestionRecord] = []
    for one in own.questions(2 * _GENERATED, _SEED + 1, Split.HELD_OUT):
        try:
            result = await store.run(view.runnable(one.plan))
        except PlanLimitError:
            continue
        answers = tuple(dict.fromkeys(value_text(row[0]) for row in result.rows if row[0] is not None))
        if answers and len(records) < _GENERATED:
            records.append(QuestionRecord(question=one.question, answers=answers))
    await store.close()
    return records


async def time_questions(graph: str, model: Path, questions: Sequence[str]) -> list[float]:
    """Read each question as a plan and run it; return the seconds that each took."""
    store = open_graph(graph)
    planner = load_planner(store, model)
    await planner.read(english(questions[0]))
    took = []
    for question in questions:
        started = time.perf_counter()
        await planner.read(english(question))
        took.append(time.perf_counter() - started)
    await store.close()
    return took
