"""Train the judge: `python -m training.planning.judge DATA MODEL`.

DATA holds the data sets, as for `training.planning.base`. MODEL is the folder of the plan model that the judge belongs
to: the judge reads what this model has read, learns to tell the plans that it takes for likely from right ones, and is
written into its folder. Calibrate the model again afterwards. An interrupted training resumes.
"""

import argparse
from pathlib import Path

import torch
from rich.progress import Progress, track

from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.search import plan_search
from training.checkpoint import Checkpoint
from training.planning.judge.batches import ReadChoice, read_choices
from training.planning.judge.choices import choices
from training.planning.judge.export import export_judge
from training.planning.judge.fit import JudgeFit, JudgeOptions
from training.planning.judge.network import JudgeNetwork
from training.planning.judge.questions import read_answerable, unanswerable
from training.planning.network import PlanNetwork
from training.planning.released_weights import released_weights
from training.retriever.encoder import load_pretrained, pretrained_folder

_DELETED = 0.3  # of the questions, also asked over a schema that lacks what they need
_HELD_OUT = 500


def _read(data: Path, folder: Path, questions: int, seed: int) -> list[ReadChoice]:
    """Return choices about questions with and without an answer, with what the plan model reads."""
    model = PlanModel(folder)
    search_for = plan_search(model)
    examples = read_answerable(data, questions, seed)
    found = choices(track(examples, "questions with an answer"), search_for, _DELETED, seed)
    return list(read_choices([*found, *track(unanswerable(data, search_for), "others")], model))


def _network(folder: Path) -> JudgeNetwork:
    """Return a judge that begins with the weights of a plan model's decoder."""
    encoder, _ = load_pretrained(pretrained_folder(), 0.0)
    writer = PlanNetwork(encoder, encoder.words.weight.shape[1])
    writer.load_state_dict(released_weights(folder))
    network = JudgeNetwork()
    network.begin_as(writer)
    return network


def main() -> None:
    """Train a judge from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder of the plan model")
    parser.add_argument("--questions", type=int, default=20_000, help="questions to learn from")
    parser.add_argument("--shown", type=int, default=80_000, help="choices to show, with repetitions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    read = _read(given.data, given.model, given.questions, given.seed)
    options = JudgeOptions(given.shown, given.seed)
    fit = JudgeFit(_network(given.model), options)
    checkpoint = Checkpoint(given.model, ("judge", options, len(read)), "unfinished-judge.pt")
    with Progress() as bar:
        task = bar.add_task("training", total=options.shown)
        fit.run(
            read[_HELD_OUT:],
            lambda shown, _, state: bar.update(task, completed=shown, description=f"training, {state}"),
            checkpoint,
        )
    print(f"{_HELD_OUT} choices that were not shown: {fit.score(read[:_HELD_OUT])}")
    export_judge(fit.network, given.model)
    checkpoint.remove()


if __name__ == "__main__":
    main()
