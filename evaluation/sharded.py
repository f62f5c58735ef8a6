"""An evaluation that several machines share, each with a journal, so that a kill loses or doubles nothing.

The parts are independent processes; whatever starts them again when they die will do, such as an indexed Kubernetes
Job (k8s/components/evaluation). Their figures are put together afterwards, when every question has its one outcome.
"""

from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evaluation.fingerprint import of_models, of_retrieval
from evaluation.in_process import Opened, retrieval
from evaluation.outcomes import Outcome
from evaluation.run import EvaluateOptions, Evaluation, Progress, System, asking, evaluation_of, outcome
from question_sets.journal import Journal
from question_sets.records import read_questions
from question_sets.shards import Shard


class Asked(BaseModel):
    """A question of the file, by its number from 0, and what came of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    outcome: Outcome


async def evaluate_shard(options: EvaluateOptions, shard: Shard, journals: Path, progress: Progress) -> None:
    """Ask the questions of one part that its journal does not hold yet, one at a time.

    Raises NotFoundError or InvalidInputError for what is missing or damaged, DependencyError if something that answers
    depend on stays away: what is done is kept, and the same call goes on from there.
    """
    numbered = shard.part(list(enumerate(read_questions(options.questions))))
    async with (
        retrieval(options.graph, options.retriever, options.threshold) as opened,
        asking(opened, options) as system,
    ):
        with Journal(shard.file(journals), await _identity(options, opened, system), Asked) as journal:
            done = {asked.number for asked in journal}
            left = [(number, record) for number, record in numbered if number not in done]
            for count, (number, record) in enumerate(left, len(numbered) - len(left) + 1):
                journal.add(Asked(number=number, outcome=await outcome(system, options, record)))
                progress(count, len(numbered))


async def merge_shards(options: EvaluateOptions, shards: int, journals: Path) -> Evaluation:
    """The figures of all parts together. Raises InvalidInputError for a part that is not done."""
    records = read_questions(options.questions)
    outcomes: dict[int, Outcome] = {}
    async with (
        retrieval(options.graph, options.retriever, options.threshold) as opened,
        asking(opened, options) as system,
    ):
        begun_with = await _identity(options, opened, system)
        for shard in Shard.all(shards):
            with Journal(shard.begun(journals), begun_with, Asked) as journal:
                outcomes |= {asked.number: asked.outcome for asked in journal}
            shard.must_be_done(sum(number not in outcomes for number in shard.part(range(len(records)))))
        return await evaluation_of([outcomes[number] for number in range(len(records))], opened, options)


async def _identity(options: EvaluateOptions, opened: Opened, system: System) -> dict[str, str]:
    """All that an outcome depends on."""
    chosen = {name: str(value) for name, value in asdict(options).items() if name not in ("retriever", "questions")}
    return {
        **chosen,
        **of_retrieval(await opened.store.version(), options.retriever, options.questions),
        **(of_models(options.graph, system.models) if system.models else {}),
    }
