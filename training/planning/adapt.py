"""Train a plan model on the questions of one graph, starting from the base model."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.store import GraphStore
from ingestion.atomic_write import atomic_write
from question_sets.records import QuestionRecord
from services.retriever.plans.planner import Planner
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_manifest import MANIFEST_FILE, PlanManifest, read_plan_manifest
from services.retriever.plans.predictor.search import plan_search
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.checkpoint import Checkpoint
from training.planning.example_making import make_examples
from training.planning.examples import Example, SchemaInput
from training.planning.export import export_plan_model
from training.planning.fit import FitOptions, FitScores, PlanFit, ProgressCallback
from training.planning.network import PlanNetwork
from training.planning.own_questions import OWN, OwnQuestions
from training.planning.released_weights import released_weights
from training.planning.users_questions import users_questions
from training.retriever.encoder import load_pretrained, pretrained_folder
from training.synthetic.plans.generation import generate
from training.synthetic.plans.invention import invented_schemas
from training.synthetic.plans.names_said import names_said
from training.synthetic.plans.wordings import Split
from training.workload import count_facts, plan_questions

log = logging.getLogger(__name__)

_REHEARSED = 0.4  # questions about invented schemas, against those about the graph
_PER_INVENTED_SCHEMA = 40
_RATES = (1e-4, 2e-5)  # of the network and its encoder, to learn from people's questions
_CAREFUL_RATES = (3e-5, 4e-6)  # without these: made-up questions alone teach a model to forget what people ask


@dataclass(frozen=True, slots=True)
class AdaptOptions:
    """Configure the training.

    `per_element` is the number of questions to make up for each kind, connection, and property of the graph, up to
    `most` questions in all; each example is shown about `passes` times.
    """

    per_element: int = 60
    most: int = 4_000
    passes: float = 1.5
    seed: int = 1

    def questions(self, elements: SchemaElements) -> int:
        """Return the number of questions to make up about a graph with these elements."""
        count = len(elements.kinds) + len(elements.connections) + len(elements.properties)
        return min(self.most, self.per_element * count)


@dataclass(frozen=True, slots=True)
class AdaptReport:
    """Hold how the model does on made-up questions in other wordings, before and after, and what it learnt from.

    `made_up` and `given` count the questions about the graph that it learnt from; `skipped` holds the user's questions
    without a plan, by reason.
    """

    before: FitScores
    after: FitScores
    made_up: int
    given: int
    skipped: Mapping[str, Sequence[str]]


async def adapt(
    store: GraphStore,
    base: Path,
    out: Path,
    checkpoints: Path,
    progress: ProgressCallback,
    records: Sequence[QuestionRecord] = (),
    options: AdaptOptions | None = None,
) -> AdaptReport:
    """Train the base model on questions about a graph, and write it to a folder; its calibration stays the same.

    Questions about invented schemas are mixed in, so that the model does not forget what else people ask.

    Args:
        store: The graph.
        base: The folder of the model to start from.
        out: The folder to write, which nobody serves.
        checkpoints: The folder for the state of the run, from which an interrupted run resumes.
        progress: Receives the number of examples shown.
        records: The user's own questions, with plans, Cypher, paths, or answers.
        options: How to train.
    """
    chosen = options or AdaptOptions()
    view = await GraphView.of(store)
    own = await OwnQuestions.of(view, names_said(view.schema.meanings), chosen.seed)
    schemas = {OWN: SchemaInput(view.schema)}
    given = await users_questions(view, records, Planner(store, plan_search(PlanModel(base))))
    users = make_examples(given.questions, schemas, chosen.seed).examples
    most = chosen.questions(SchemaElements.of(view.schema))
    count = plan_questions(await count_facts(store), len(users), most)
    examples = make_examples(own.questions(count, chosen.seed), schemas, chosen.seed).examples
    held_out = list(own.questions(count // 10, chosen.seed, Split.HELD_OUT))
    validation = make_examples(held_out, schemas, chosen.seed).examples
    encoder, tokenizer = load_pretrained(pretrained_folder(), 0.0)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = PlanNetwork(encoder, encoder.words.weight.shape[1])
    network.load_state_dict(released_weights(base))
    repeated = users * max(1, len(examples) // (3 * len(users))) if users else []
    rehearsed = _rehearsed(round(_REHEARSED * (len(examples) + len(repeated))), chosen.seed)
    shown = round(chosen.passes * (len(examples) + len(repeated) + len(rehearsed)))
    rate, encoder_rate = _RATES if users else _CAREFUL_RATES
    fit = PlanFit(network, tokenizer, FitOptions(shown, chosen.seed, rate=rate, encoder_rate=encoder_rate))
    before = fit.score(validation)
    version = await store.version()
    learnt = [(one.question, one.actions) for one in (*examples, *users)]
    identity = ("plans", chosen, version, learnt)
    checkpoint = Checkpoint(checkpoints, identity)
    # Not in a thread: Ctrl-C would wait for its end.
    fit.run([*examples, *repeated, *rehearsed], progress, checkpoint)
    after = fit.score(validation)
    export_plan_model(network, tokenizer, out)
    # Made-up questions are easier than people's, so a calibration on them would be overconfident.
    manifest = read_plan_manifest(base).model_copy(update={"trained_on": OWN, "graph_version": version})
    write_plan_manifest(manifest, out)
    return AdaptReport(before, after, len(examples), len(users), given.skipped)


def _rehearsed(count: int, seed: int) -> list[Example]:
    """Make examples about invented schemas."""
    worded = list(invented_schemas(max(1, count // _PER_INVENTED_SCHEMA), seed))
    questions = generate(worded, count, seed)
    return make_examples(questions, {one.name: SchemaInput(one.schema) for one in worded}, seed).examples


def write_plan_manifest(manifest: PlanManifest, folder: Path) -> None:
    """Write the manifest of a model folder atomically; a folder with a manifest is complete."""
    with atomic_write(folder / MANIFEST_FILE) as unfinished:
        unfinished.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
