from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.store import Entity, PathWalk
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_predictor import PredictedPath
from services.retriever.paths.sampling import CandidatePath, WalkedPath
from services.retriever.paths.scoring import oov_rate, rescale

FRANCE = Entity("France", "France")


def walked(score: float) -> WalkedPath:
    candidate = CandidatePath(LinkedTopic(FRANCE, None, 1.0), PredictedPath(("capital",), score), score)
    return WalkedPath(candidate, PathWalk(FRANCE, ("capital",), (), truncated=False))


@given(st.lists(st.floats(1e-6, 1.0), min_size=1).map(lambda scores: sorted(scores, reverse=True)), st.floats(0.0, 1.0))
def test_rescaled_scores_are_shares_of_1_in_the_same_order(scores: list[float], confidence: float) -> None:
    best, *others = [path.candidate.score for path in rescale([walked(score) for score in scores], confidence)]

    assert best == pytest.approx(confidence)
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise([best, *others]))
    assert best + sum(others) <= 1.0 + 1e-9


def test_no_candidates_are_rescaled_to_none() -> None:
    assert rescale([], 0.0) == []


def test_the_oov_rate_is_the_share_of_unknown_words() -> None:
    known = frozenset({"capital", "of"})

    assert oov_rate(["capital", "of"], known) == 0.0
    assert oov_rate(["capital", "of", "the", "moon"], known) == 0.5
    assert oov_rate(["moon"], known) == 1.0


@pytest.mark.parametrize(("words", "known"), [(["moon"], frozenset()), ([], frozenset({"capital"}))])
def test_the_oov_rate_is_0_without_known_words_or_without_words(words: list[str], known: frozenset[str]) -> None:
    assert oov_rate(words, known) == 0.0
