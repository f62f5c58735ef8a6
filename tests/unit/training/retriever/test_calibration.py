import math
import random
from dataclasses import replace
from itertools import pairwise

from contracts.retrieve import RetrieveRequest
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.paths.confidence import Calibration
from services.retriever.paths.model import RetrieverModel
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.retrieval import Retrieval
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import keyword_model
from training.retriever.calibration import _GraphWithoutStep, fit_calibration

NAMES = [first + second for first in ("Bado", "Karu", "Misto", "Velga", "Zupi") for second in ("ria", "land", "mark")]
GRAPH = InMemoryGraph(
    [(name, "capital", f"c{place}") for place, name in enumerate(NAMES)]
    + [(name, "population", f"p{place}") for place, name in enumerate(NAMES)]
)
# The logit that each word adds to the capital, and the share of its questions that ask for the capital.
WORDS = {"amber": (7.0, 0.1), "brisk": (7.5, 0.3), "cedar": (8.5, 0.5), "dusty": (10.0, 0.8), "eager": (12.0, 0.95)}


def model() -> RetrieverModel:
    return keyword_model(("capital", "population"), {word: ("capital", told[0]) for word, told in WORDS.items()})


def questions(seed: int) -> list[QuestionRecord]:
    """Ask with each word about each name; the model is right more often where it is more certain."""
    source = random.Random(seed)
    return [
        QuestionRecord(
            question=f"{word} of {name}",
            topic=name,
            answers=(),
            path=("capital",) if source.random() < right else ("population",),
        )
        for word, (_, right) in WORDS.items()
        for name in NAMES
    ]


async def confidences_of(calibration: Calibration, records: list[QuestionRecord]) -> list[tuple[float, bool]]:
    """Return the confidence of a model with this calibration for each question, and whether its answer is right."""
    manifest = model().manifest.model_copy(update={"calibration": calibration.model_copy(update={"threshold": 0.0})})
    retriever = PathReplies(GRAPH, EntityLinker(GRAPH, model().word_surprisal), replace(model(), manifest=manifest))
    responses = [await Retrieval(retriever).retrieve(RetrieveRequest(question=record.question)) for record in records]
    return [
        (response.confidence, response.relation_paths[0].relations == list(record.path or ()))
        for response, record in zip(responses, records, strict=True)
    ]


def calibration_error(predicted: list[tuple[float, bool]]) -> float:
    """Return the expected calibration error over ten equal bins."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in predicted:
        bins.setdefault(math.floor(confidence * 10), []).append((confidence, right))
    gaps = [abs(sum(confidence - right for confidence, right in one)) for one in bins.values()]
    return sum(gaps) / len(predicted)


async def test_a_fitted_confidence_is_better_calibrated_than_the_default() -> None:
    fitted = await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1)

    # Measured on other questions of the same kind than those fitted on.
    before, after = [calibration_error(await confidences_of(one, questions(seed=2))) for one in (Calibration(), fitted)]

    assert after < before / 2


async def test_a_fitted_confidence_still_grows_with_the_models_certainty() -> None:
    fitted = await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1)

    confidences = [confidence for confidence, _ in await confidences_of(fitted, questions(seed=2))]

    by_word = [confidences[start] for start in range(0, len(confidences), len(NAMES))]
    assert all(less < more for less, more in pairwise(by_word))


async def test_the_same_questions_give_the_same_calibration() -> None:
    one, other = [await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1) for _ in range(2)]

    assert one == other != Calibration()


async def test_too_few_questions_give_the_default_calibration() -> None:
    assert await fit_calibration(GRAPH, model(), questions(seed=1)[:19], synonyms={}, seed=1) == Calibration()


async def test_questions_about_topics_that_the_graph_does_not_have_do_not_count() -> None:
    elsewhere = [record.model_copy(update={"topic": "Atlantis"}) for record in questions(seed=1)]

    found = await fit_calibration(GRAPH, model(), [*questions(seed=1)[:19], *elsewhere], synonyms={}, seed=1)

    assert found == Calibration()


async def test_without_questions_the_threshold_is_lower() -> None:
    found = await fit_calibration(GRAPH, model(), [], synonyms={}, seed=1)

    assert found == Calibration(threshold=found.threshold)
    assert found.threshold < Calibration().threshold


async def test_the_last_step_of_a_path_can_be_removed_from_a_graph() -> None:
    without = _GraphWithoutStep(GRAPH, ("capital",))
    ((bearer,),) = await without.entities_named(["Badoria"])
    first, later = await without.steps_after([(bearer.entity, ()), (bearer.entity, ("capital",))])
    assert first == {"population"}
    assert later == (await GRAPH.steps_after([(bearer.entity, ("capital",))]))[0]
