"""Time the prediction of relation paths in served mode, and in paper mode with BERT-base.

python -m bench.paths.paper_speed              # about two minutes; needs the train extra, downloads nothing

The speed of a model does not depend on its weights, so the weights of BERT-base and of the relation scorer are random.
Both models are exported in the same way as trained models. The time for graph queries is excluded: in served mode, a
stub allows every step at every entity, and paper mode does not read the graph.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import cast

from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from bench.results import ROOT
from graph.store import INVERSE, Entity, GraphStore, RelationPath, WalkRule, split_step
from question_sets.records import read_questions
from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE
from services.retriever.linking.masking import MASK
from services.retriever.paths.beam import BeamPathPredictor
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import Manifest
from services.retriever.paths.paper.hop_and_path_prediction import hop_probabilities, predict_relation_paths
from services.retriever.paths.paper.model import HEADS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE, PaperModel
from services.retriever.paths.path_predictor import PathQuery
from services.retriever.paths.relation_scorer import WEIGHTS_FILE
from training.retriever.encoder import pretrained_folder
from training.retriever.examples import GoldPath, MaskedQuestion
from training.retriever.export import TrainedFiles, export_model
from training.retriever.network import build_network
from training.retriever.paper.network import TextClassifier, encoder_source, heads_of
from training.retriever.scoring import PathTable

SERVED, PAPER = "served", "paper, BERT-base"
_QUESTIONS = ROOT / "bench" / "questions" / "metaqa-free-dev.jsonl"
_ASKED = 100
_HOPS = (1, 2, 3)
_BEAM = 3
# The small encoder is fastest on one thread, as in serving; BERT-base gets both cores.
_THREADS, _PAPER_THREADS = 1, 2
_WARM_UP = 50
_PAUSE = 1.0  # seconds

Times = dict[str, dict[int, float]]
"""Milliseconds by mode and number of hops."""


class _Everywhere:
    """Replace the graph store in served mode with a stub in which every entity has every step."""

    def __init__(self, steps: Sequence[str]) -> None:
        self._steps = frozenset(steps)

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        return [self._steps for _ in starts]


def questions() -> list[PathQuery]:
    """Return distinct MetaQA questions that spell the topic as the graph does, with the topic masked."""
    asked = {
        text: PathQuery(text, Entity(r.topic, r.topic), r.question)
        for r in read_questions(_QUESTIONS)
        if r.topic and (text := r.question.replace(r.topic, MASK)) != r.question
    }
    return list(asked.values())[: _WARM_UP + _ASKED]


def relations() -> list[str]:
    """Return the relations in the paths of the questions."""
    return sorted({split_step(step)[0] for r in read_questions(_QUESTIONS) for step in r.path or ()})


def served_model(manifest: Manifest, folder: Path) -> RetrieverModel:
    """Build a served model: MiniLM with an untrained relation scorer."""
    names = [step for step in manifest.steps if not step.startswith(INVERSE)]
    example = MaskedQuestion("who knows", GoldPath((names[0],), ()), count=1)
    table = PathTable(manifest.steps, manifest.max_hops)
    network, tokenizer = build_network(pretrained_folder(), names, [example], table, dropout=0.0)
    files = TrainedFiles({ENCODER_FILE: network.encoder}, {WEIGHTS_FILE: network.scorer_weights()}, tokenizer)
    export_model(files, manifest, folder)
    return RetrieverModel.load(folder, _THREADS)


def paper_model(manifest: Manifest, folder: Path) -> PaperModel:
    """Build a paper model from two random BERT-base encoders (Devlin et al. 2019) with MiniLM's vocabulary."""
    published = folder / "bert-base"
    BertModel(BertConfig()).save_pretrained(published)
    shutil.copy(pretrained_folder() / TOKENIZER_FILE, published)
    source = encoder_source(str(published), [], [], dropout=0.0)
    tokenizer = Tokenizer.from_file(str(published / TOKENIZER_FILE))
    hops, steps = (TextClassifier(source, classes, 0.0) for classes in (manifest.max_hops, len(manifest.steps)))
    encoders = {HOP_ENCODER_FILE: hops.encoder, STEP_ENCODER_FILE: steps.encoder}
    files = TrainedFiles(encoders, {HEADS_FILE: heads_of(hops, steps)}, tokenizer)
    export_model(files, manifest.model_copy(update={"mode": "paper"}), folder)
    return PaperModel.load(folder, _PAPER_THREADS)


async def p50(served: RetrieverModel, paper: PaperModel, asked: Sequence[PathQuery]) -> Times:
    """Return the median milliseconds per question by mode and number of hops; measure the modes alternately.

    A served model always predicts up to its maximum number of hops, so the maximum is set to the number to measure.
    """
    store = cast(GraphStore, _Everywhere(served.manifest.steps))
    found: Times = {SERVED: {}, PAPER: {}}
    for hops in _HOPS:
        limited = replace(served, manifest=served.manifest.model_copy(update={"max_hops": hops}))
        found[SERVED][hops] = await _median(partial(_find_as_served, BeamPathPredictor(store, limited)), asked)
        found[PAPER][hops] = await _median(partial(_find_as_paper, paper, hops), asked)
    return found


async def _find_as_served(predictor: BeamPathPredictor, question: PathQuery) -> None:
    await predictor.predict([question], _BEAM)


async def _find_as_paper(paper: PaperModel, hops: int, question: PathQuery) -> None:
    """Predict the number of hops, then paths with `hops` hops, whichever number was predicted."""
    await asyncio.to_thread(hop_probabilities, paper, question.question)
    await asyncio.to_thread(predict_relation_paths, paper, question.question, hops, _BEAM)


async def _median(search: Callable[[PathQuery], Awaitable[None]], asked: Sequence[PathQuery]) -> float:
    # Wait, because the threads of the previous run spin for a moment before they sleep.
    await asyncio.sleep(_PAUSE)
    spent = []
    for question in asked:
        started = time.perf_counter()
        await search(question)
        spent.append((time.perf_counter() - started) * 1000)
    return median(spent[_WARM_UP:])


def measure(home: Path) -> Times:
    """Build both models in `home`, and time them on the same questions."""
    names = relations()
    manifest = Manifest(
        graph="none",
        graph_version="none",
        data={},
        seed=0,
        walk_rule=WalkRule(),
        steps=(*names, *(INVERSE + name for name in names)),
        max_hops=max(_HOPS),
    )
    served, paper = served_model(manifest, home / "served"), paper_model(manifest, home / "paper")
    return asyncio.run(p50(served, paper, questions()))


def columns(times: Times) -> dict[str, dict[str, str]]:
    """Return the columns of the table."""
    shown = {mode: {_row(hops): f"{ms:.1f}" for hops, ms in by_hops.items()} for mode, by_hops in times.items()}
    return {
        **shown,
        "paper : served": {_row(hops): f"{times[PAPER][hops] / times[SERVED][hops]:.1f}" for hops in _HOPS},
    }


def _row(hops: int) -> str:
    return f"{hops} hop{'s' if hops > 1 else ''}, ms (p50)"


def main() -> None:
    """Run the measurement, and print the table."""
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as home:
        for mode, figures in columns(measure(Path(home))).items():
            print(mode, figures)


if __name__ == "__main__":
    main()
