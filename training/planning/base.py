"""Train the base model that reads any schema: `python -m training.planning.base DATA OUT`.

DATA holds the folders `text2cypher_neo4j`, `spider`, `webquestions`, `property_graphs`, and `schema_corpus`, as
published. OUT is the folder of the model. Questions about invented schemas, and about the published schemas and the
demo in their own words, are added. Everyday questions are asked over their schemas in other names, and about other
values.
Databases of text2cypher can be left out whole, to measure the model on them. Questions that repeat those that the
project measures itself on are left out. An interrupted run resumes.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from rich.progress import Progress

from contracts.meaning_file import read_meaning_file
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from question_sets.conversion import read_objects
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from question_sets.records import read_questions
from question_sets.repeated_questions import RepeatedQuestions
from question_sets.schema_corpus import CYPHER_SETS, EVERYDAY, SQL_SETS, read_schema_corpus
from question_sets.spider.questions import read_spider
from question_sets.text2cypher import read_text2cypher
from question_sets.webquestions_plans import read_webquestions_plans
from services.retriever.plans.predictor.plan_manifest import PlanManifest
from services.retriever.plans.schema.graph_view import GraphView
from training.checkpoint import Checkpoint
from training.planning.adapt import write_plan_manifest
from training.planning.example_making import make_examples
from training.planning.examples import Example, SchemaInput
from training.planning.export import export_plan_model
from training.planning.fit import FitOptions, PlanFit
from training.planning.kindless import kindless_questions
from training.planning.network import PlanNetwork
from training.planning.own_questions import OWN, OwnQuestions
from training.planning.refilling import refilled_questions
from training.planning.released_weights import released_weights
from training.planning.renaming import renamed_questions
from training.retriever.encoder import load_pretrained, pretrained_folder
from training.synthetic.plans.generation import generate, questions_about
from training.synthetic.plans.invention import invented_schemas
from training.synthetic.plans.names_said import names_said
from training.synthetic.plans.wordings import Split

HELD_OUT = ("movies", "northwind", "stackoverflow2")
"""The databases of text2cypher whose graphs the model is measured on."""
_PROJECT = Path(__file__).parents[2]
_MEASURED = (
    "bench/questions/strangers/*/questions.jsonl",
    "bench/questions/company/questions.jsonl",
    "bench/questions/demo_conditions*/*.jsonl",
)
_INVENTED_SCHEMAS, _INVENTED_QUESTIONS = 3_100, 130_000
_NAMINGS, _RENAMED = 8, 2  # of each everyday schema, and how often each of its questions is asked over one of them
_REFILLED, _RENAMED_REFILLED = 0.3, 0.7  # of the everyday questions, about other values
_EVERYDAY_WITHOUT_KINDS = 0.15
_KEPT = 0.25  # of the other made-up questions, in the mix that trains a model further, so that it keeps what it knew
_OWN_WORDS = 50  # questions about each published schema
_DEMO, _ABOUT_DEMO = _PROJECT / "examples" / "world", 5_000
_FROZEN = 3  # layers of the encoder, of six, while a model is trained further
_MOST_OF_A_SET = 6_000  # questions of a set of the corpus, since the largest sets have few forms
_MOST_ELEMENTS = 80  # of a schema to train on; a batch takes as long as its largest schema
_WITHOUT_KINDS = 0.3  # of the questions, also asked over schemas whose kinds are inferred
_WRITTEN_TWICE = 2  # how often written questions are shown, made-up ones once; once, if a model is trained further
_VALIDATION = 400


@dataclass(frozen=True)
class BaseData:
    """Hold the examples to train on, and those to validate on, by where they come from."""

    training: Sequence[Example]
    validation: Mapping[str, Sequence[Example]]


def read_base_data(folder: Path, without: Sequence[str], seed: int, is_further: bool = False) -> BaseData:
    """Read and generate all questions; validation questions are about schemas that training does not have.

    Args:
        folder: The folder of the data sets.
        without: The databases of text2cypher to leave out.
        seed: The seed of everything that is generated.
        is_further: Whether the examples train a model further, which has seen all but the everyday ones.
    """
    shown = [*_former_examples(folder, without, seed, _KEPT if is_further else 1.0), *everyday_examples(folder, seed)]
    rng = random.Random(seed)
    sampled = {name: rng.sample(found, min(_VALIDATION, len(found))) for name, found in _held_out(folder, seed).items()}
    repeated = RepeatedQuestions(measured_questions(folder))
    return BaseData(
        [one for one in shown if len(one.schema.texts) <= _MOST_ELEMENTS and one.question not in repeated], sampled
    )


def _former_examples(folder: Path, without: Sequence[str], seed: int, share: float) -> list[Example]:
    """Return examples of published questions, and of a share of the others, chosen before examples are made of them."""

    def some_of(questions: PlanQuestionSet) -> PlanQuestionSet:
        return questions if share == 1 else some_of_set(questions, round(share * len(questions.questions)), seed)

    first, second, *corpus = published_sets(folder, without)
    published = [first, second, *(some_of_set(one, _MOST_OF_A_SET, seed) for one in corpus)]
    invented = _invented(round(share * _INVENTED_SCHEMAS), round(share * _INVENTED_QUESTIONS), seed, Split.TRAIN)
    written = [example for one in published for example in examples_of(one, seed)]
    made_up = (
        read_webquestions_plans(folder / "webquestions", seed),
        _in_own_words(published, seed),
        invented,
        asyncio.run(_about_demo(seed)),
        *(kindless_questions(one, _WITHOUT_KINDS, seed) for one in (*published, invented)),
    )
    return [
        *written * max(1, round(share * _WRITTEN_TWICE)),
        *(example for one in made_up for example in examples_of(some_of(one), seed)),
    ]


def published_sets(folder: Path, without: Sequence[str] = HELD_OUT) -> list[PlanQuestionSet]:
    """Read the questions that were published with their queries: Text2Cypher's, Spider's, and those of the corpus.

    Args:
        folder: The folder of the data sets.
        without: The databases of text2cypher to leave out.
    """
    return [
        read_text2cypher(folder / "text2cypher_neo4j", without),
        read_spider(folder / "spider", "train"),
        *(read_schema_corpus(folder / "schema_corpus", name) for name in (*CYPHER_SETS, *SQL_SETS)),
    ]


def _held_out(folder: Path, seed: int) -> dict[str, list[Example]]:
    """Return examples about schemas, or in wordings, that training does not have, by where they come from."""
    dev = read_spider(folder / "spider", "dev")
    sets = {
        "Spider dev": dev,
        "Spider dev without kinds": kindless_questions(dev, 1.0, seed),
        "BIRD dev": read_schema_corpus(folder / "schema_corpus", "bird", only_dev=True),
        "everyday dev": read_schema_corpus(folder / "schema_corpus", EVERYDAY, only_dev=True),
        "held-out wordings": _invented(40, _VALIDATION, seed + 1, Split.HELD_OUT),
    }
    return {name: examples_of(one, seed) for name, one in sets.items()}


def everyday_examples(folder: Path, seed: int) -> list[Example]:
    """Return everyday questions as they are, over their schemas in other names, and without kinds."""
    asked = read_schema_corpus(folder / "schema_corpus", EVERYDAY)
    sets = (
        refilled_questions(asked, _REFILLED, seed),
        renamed_questions(refilled_questions(asked, _RENAMED_REFILLED, seed + 1), _NAMINGS, _RENAMED, seed),
        kindless_questions(asked, _EVERYDAY_WITHOUT_KINDS, seed),
    )
    return [example for one in sets for example in examples_of(one, seed)]


def measured_questions(folder: Path) -> Iterator[str]:
    """Yield the questions that the project measures itself on."""
    for file in sorted((folder / "property_graphs").glob("*.jsonl*")):
        name = file.name.removesuffix(".xz")
        yield from (row["question"] for row in read_objects(file.parent, name, "property_graphs"))
    for pattern in _MEASURED:
        for file in sorted(_PROJECT.glob(pattern)):
            yield from (record.question for record in read_questions(file))


def examples_of(questions: PlanQuestionSet, seed: int) -> list[Example]:
    """Return examples of the questions of a set."""
    schemas = {name: SchemaInput(schema) for name, schema in questions.schemas.items()}
    return make_examples(questions.questions, schemas, seed).examples


def some_of_set(questions: PlanQuestionSet, most: int, seed: int) -> PlanQuestionSet:
    """Choose some of the questions of a set at random."""
    count = min(most, len(questions.questions))
    return replace(questions, questions=random.Random(seed).sample(list(questions.questions), count))


def _in_own_words(published: Sequence[PlanQuestionSet], seed: int) -> PlanQuestionSet:
    """Make up questions about the schemas of published sets, in the words of these schemas."""
    named = enumerate(published)
    schemas = {f"{number}:{name}": schema for number, one in named for name, schema in one.schemas.items()}

    def asked() -> Iterator[PlanQuestion]:
        for number, (name, schema) in enumerate(schemas.items()):
            for one in questions_about(schema, {}, _OWN_WORDS, seed + number):
                yield replace(one, schema=name)

    return PlanQuestionSet(schemas, list(asked()))


async def _about_demo(seed: int) -> PlanQuestionSet:
    """Make up questions about the graph that everyone tries first."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "demo.sqlite"
        import_files([_DEMO / "graph.tsv.xz"], file)
        store = SqliteGraphStore(file)
        view = await GraphView.of(store)
        said = read_meaning_file(_DEMO / "meaning.toml").meanings
        own = await OwnQuestions.of(view, names_said(said), seed)
        await store.close()
    return PlanQuestionSet({OWN: view.schema}, list(own.questions(_ABOUT_DEMO, seed)))


def _invented(schemas: int, questions: int, seed: int, split: Split) -> PlanQuestionSet:
    worded = list(invented_schemas(schemas, seed))
    return PlanQuestionSet({one.name: one.schema for one in worded}, list(generate(worded, questions, seed, split)))


def train_base(data: BaseData, out: Path, options: FitOptions, start: Path | None = None) -> dict[str, str]:
    """Train the network, and write the model; return its scores on the validation examples, in words.

    Args:
        data: The examples.
        out: The folder of the model.
        options: The options of the training.
        start: The folder of a model to train further; by default, only the encoder is pretrained.
    """
    encoder, tokenizer = load_pretrained(pretrained_folder(), 0.0)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = PlanNetwork(encoder, encoder.words.weight.shape[1])
    if start is not None:
        network.load_state_dict(released_weights(start))
    fit = PlanFit(network, tokenizer, options)
    checkpoint = Checkpoint(out, ("plans", options, len(data.training)))
    with Progress() as bar:
        task = bar.add_task("training", total=options.examples)
        fit.run(
            data.training,
            lambda shown, _, state: bar.update(task, completed=shown, description=f"training, {state}"),
            checkpoint,
        )
    scores = {name: str(fit.score(examples)) for name, examples in data.validation.items()}
    export_plan_model(network, tokenizer, out)
    write_plan_manifest(PlanManifest(), out)
    checkpoint.remove()
    return scores


def main() -> None:
    """Train the base model from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write the model to")
    parser.add_argument(
        "--examples",
        type=int,
        default=580_000,
        help="examples to show, with repetitions; hours on two cores, minutes on a GPU",
    )
    parser.add_argument("--without", nargs="*", default=[], metavar="NAME", help="further databases to leave out")
    parser.add_argument("--start", type=Path, metavar="MODEL", help="folder of a model to train further")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    data = read_base_data(given.data, (*HELD_OUT, *given.without), given.seed, given.start is not None)
    print(f"{len(data.training):,} examples")
    options = FitOptions(given.examples, given.seed, batch=128, rate=8e-4, encoder_rate=1.5e-4)
    if given.start is not None:
        options = replace(options, batch=64, rate=4e-4, encoder_rate=8e-5, frozen_layers=_FROZEN)
    for name, scores in train_base(data, given.out, options, given.start).items():
        print(f"{name}: {scores}")


if __name__ == "__main__":
    main()
