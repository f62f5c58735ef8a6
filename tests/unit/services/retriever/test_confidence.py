import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question_sets.records import QuestionRecord
from services.retriever.confidence import Calibration, Signs, strangeness
from services.retriever.linking.linker import EntityLinker
from services.retriever.pipeline import Retriever
from services.retriever.prediction.model import RetrieverModel
from shared.contracts import RetrieveRequest
from tests.fakes.graph import InMemoryGraph
from tests.unit.services.retriever.models import keyword_model
from training.retriever.calibration import _GraphWithoutStep, fit_calibration

_shares = st.floats(0, 1)
_signs = st.builds(Signs, _shares, _shares, _shares, _shares, st.floats(0, 1e6), _shares)
SURE = Signs(path=0.9, found=0.9, link=0.9, next_best=0.1, none=0.1, strange=0.2)

NAMES = [first + second for first in ("Bado", "Karu", "Misto", "Velga", "Zupi") for second in ("ria", "land", "mark")]
GRAPH = InMemoryGraph(
    [(name, "capital", f"c{place}") for place, name in enumerate(NAMES)]
    + [(name, "population", f"p{place}") for place, name in enumerate(NAMES)]
)
# How strongly each word speaks for the capital, and the share of its questions that mean the capital.
WORDS = {"amber": (7.0, 0.1), "brisk": (7.5, 0.3), "cedar": (8.5, 0.5), "dusty": (10.0, 0.8), "eager": (12.0, 0.95)}


def model() -> RetrieverModel:
    return keyword_model(("capital", "population"), {word: ("capital", told[0]) for word, told in WORDS.items()})


def questions(seed: int) -> list[QuestionRecord]:
    """Each word about each name; the surer the model will be, the oftener it will be right."""
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


async def judged(calibration: Calibration, records: list[QuestionRecord]) -> list[tuple[float, bool]]:
    """How sure a model with this calibration is of each question, and whether it is right."""
    told = model().manifest.model_copy(update={"calibration": calibration.model_copy(update={"threshold": 0.0})})
    retriever = Retriever(GRAPH, EntityLinker(GRAPH, model().word_surprisal), replace(model(), manifest=told))
    responses = [await retriever.retrieve(RetrieveRequest(question=record.question)) for record in records]
    return [
        (response.confidence, response.relation_paths[0].relations == list(record.path or ()))
        for response, record in zip(responses, records, strict=True)
    ]


def calibration_error(said: list[tuple[float, bool]]) -> float:
    """The expected calibration error over ten equal bins."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in said:
        bins.setdefault(math.floor(confidence * 10), []).append((confidence, right))
    gaps = [abs(sum(confidence - right for confidence, right in one)) for one in bins.values()]
    return sum(gaps) / len(said)


@given(_signs)
def test_a_confidence_is_a_probability(signs: Signs) -> None:
    assert 0.0 <= Calibration().probability(signs) <= 1.0


@given(_signs, st.floats(-1e6, 1e6), st.tuples(*[st.floats(-1e6, 1e6)] * 7))
def test_no_weights_break_it(signs: Signs, bias: float, weights: tuple[float, ...]) -> None:
    assert 0.0 <= Calibration(bias=bias, weights=weights).probability(signs) <= 1.0


@pytest.mark.parametrize(
    ("sign", "surer"), [("path", True), ("link", True), ("next_best", False), ("none", False), ("strange", False)]
)
@given(signs=_signs, one=_shares, other=_shares)
def test_each_sign_counts_in_its_direction(sign: str, surer: bool, signs: Signs, one: float, other: float) -> None:
    less, more = sorted([one, other])
    lower, higher = (Calibration().probability(replace(signs, **{sign: share})) for share in (less, more))

    assert lower <= higher if surer else lower >= higher


@pytest.mark.parametrize(
    "worse",
    [
        replace(SURE, path=0.5),
        replace(SURE, link=0.5),
        replace(SURE, next_best=0.5),
        replace(SURE, none=0.5),
        replace(SURE, strange=0.5),
    ],
)
def test_no_sign_is_ignored(worse: Signs) -> None:
    assert Calibration().probability(worse) < Calibration().probability(SURE)


def test_strangeness_is_the_share_of_unknown_words() -> None:
    known = frozenset({"capital", "of"})

    assert strangeness(["capital", "of"], known) == 0.0
    assert strangeness(["capital", "of", "the", "moon"], known) == 0.5
    assert strangeness(["moon"], known) == 1.0


def test_nothing_is_strange_where_no_words_are_known_or_none_are_left() -> None:
    assert strangeness(["moon"], frozenset()) == 0.0
    assert strangeness([], frozenset({"capital"})) == 0.0


async def test_a_fitted_confidence_holds_better_than_the_one_set_by_hand() -> None:
    fitted = await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1)

    # Other questions than those fitted on, of the same kind.
    before, after = [calibration_error(await judged(one, questions(seed=2))) for one in (Calibration(), fitted)]

    assert after < before / 2


async def test_what_is_fitted_still_says_sure_of_the_surest() -> None:
    fitted = await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1)

    confidences = [confidence for confidence, _ in await judged(fitted, questions(seed=2))]

    by_word = [confidences[start] for start in range(0, len(confidences), len(NAMES))]
    assert all(less < more for less, more in pairwise(by_word))


async def test_the_same_questions_give_the_same_calibration() -> None:
    one, other = [await fit_calibration(GRAPH, model(), questions(seed=1), synonyms={}, seed=1) for _ in range(2)]

    assert one == other != Calibration()


async def test_a_few_questions_change_nothing() -> None:
    assert await fit_calibration(GRAPH, model(), questions(seed=1)[:19], synonyms={}, seed=1) == Calibration()


async def test_questions_about_topics_that_the_graph_lacks_do_not_count() -> None:
    elsewhere = [record.model_copy(update={"topic": "Atlantis"}) for record in questions(seed=1)]

    found = await fit_calibration(GRAPH, model(), [*questions(seed=1)[:19], *elsewhere], synonyms={}, seed=1)

    assert found == Calibration()


async def test_without_questions_of_people_more_is_answered() -> None:
    found = await fit_calibration(GRAPH, model(), [], synonyms={}, seed=1)

    assert found == Calibration(threshold=found.threshold)
    assert found.threshold < Calibration().threshold


async def test_a_graph_may_lack_the_last_step_of_a_path() -> None:
    without = _GraphWithoutStep(GRAPH, ("capital",))
    ((bearer,),) = await without.entities_named(["Badoria"])
    first, later = await without.steps_after([(bearer.entity, ()), (bearer.entity, ("capital",))])
    assert first == {"population"}
    assert later == (await GRAPH.steps_after([(bearer.entity, ("capital",))]))[0]
