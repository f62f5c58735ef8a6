from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra: make install-train")

import torch

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from language.english.english import english
from question_sets.plan_questions import PlanQuestion
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.search import PlanSearch
from training.checkpoint import Checkpoint
from training.planning.example_making import make_examples
from training.planning.examples import Example, SchemaInput
from training.planning.export import export_plan_model
from training.planning.fit import FitOptions, PlanFit
from training.planning.network import PlanNetwork
from training.planning.released_weights import released_weights
from training.retriever.encoder import limit_length, small_encoder, train_tokenizer

pytestmark = pytest.mark.train

YEAR = PropertySchema(frozenset((ValueType.INTEGER,)), ValueType.INTEGER, 10, 1.0, (1990, 2001))
TITLE = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, 10, 1.0, ("Alien", "Heat"))
SCHEMA = GraphSchema({"Film": KindSchema(10, {"year": YEAR, "title": TITLE}, "title")}, {})
FILMS = Match((NodePattern("f", ("Film",)),))
NAMES = Project((Column("film", Variable("f")),))
LATE = Match((NodePattern("f", ("Film",)),), (), Comparison(">", Property("f", "year"), Constant(1999)))
QUESTIONS = {
    "How many films are there?": Plan((FILMS, Group((), (Aggregate("n", AggregateFunction.COUNT),)))),
    "Which films came after 1999?": Plan((LATE, NAMES)),
    "What is the newest film?": Plan((FILMS, Order((SortKey(Property("f", "year"), True),)), Slice(1), NAMES)),
    "List all films": Plan((FILMS, NAMES)),
}


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    questions = [PlanQuestion(question, plan, "films", "test") for question, plan in QUESTIONS.items()]
    made = make_examples(questions, {"films": SchemaInput(SCHEMA)}, 1)
    assert not made.skipped
    return made.examples


def new_fit(count: int) -> PlanFit:
    tokenizer = train_tokenizer([*QUESTIONS, "film year number title text"])
    limit_length(tokenizer)
    tokenizer.no_padding()
    torch.manual_seed(5)
    encoder = small_encoder(tokenizer, 0.0)
    return PlanFit(PlanNetwork(encoder, encoder.words.weight.shape[1], 0.0), tokenizer, FitOptions(count, batch=4))


def trained(examples: list[Example], count: int) -> PlanFit:
    fit = new_fit(count)
    fit.run(examples, lambda *_: None)
    return fit


def test_a_network_learns_its_examples_and_the_exported_model_predicts_their_plans(
    examples: list[Example], tmp_path: Path
) -> None:
    fit = trained(examples, 600)

    export_plan_model(fit.network, fit._tokenizer, tmp_path)
    model = PlanModel(tmp_path)
    search = PlanSearch(model, model.prepare(examples[0].schema.elements))

    assert fit.score(examples).plans == 1.0
    for example in examples:
        best, *_ = search.predict(english(example.question), example.values, 3)
        assert best.actions == example.actions


def test_an_interrupted_training_gives_the_network_of_an_uninterrupted_one(
    examples: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.checkpoint.SECONDS_BETWEEN", 0.0)

    def stop(shown: int, *_: object) -> None:
        if shown >= 24:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        new_fit(40).run(examples * 3, stop, Checkpoint(tmp_path, "test"))
    resumed, whole = new_fit(40), new_fit(40)
    resumed.run(examples * 3, lambda *_: None, Checkpoint(tmp_path, "test"))
    whole.run(examples * 3, lambda *_: None)

    expected = whole.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in resumed.network.state_dict().items())


def test_equal_seeds_give_equal_networks(examples: list[Example]) -> None:
    first, second = (trained(examples, 40).network.state_dict() for _ in range(2))

    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_weights_of_an_exported_model_can_be_read_back(examples: list[Example], tmp_path: Path) -> None:
    network = trained(examples, 40).network
    tokenizer = train_tokenizer([*QUESTIONS])

    export_plan_model(network, tokenizer, tmp_path)
    found = released_weights(tmp_path)

    exact = network.state_dict()
    assert found.keys() == exact.keys()
    for name, tensor in exact.items():
        assert found[name].shape == tensor.shape
        largest = float(tensor.abs().max())
        assert np.abs((found[name] - tensor).numpy()).max() <= 0.02 * max(largest, 1e-6)
