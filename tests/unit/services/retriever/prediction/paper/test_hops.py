import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.prediction.paper.hops import hop_number, hop_probabilities
from tests.unit.services.retriever.models import keyword_paper_model, random_paper_model


@given(question=st.text(), max_hops=st.integers(1, 4), seed=st.integers(0, 1000))
def test_the_hop_numbers_of_any_question_have_probabilities_that_sum_to_1(
    question: str, max_hops: int, seed: int
) -> None:
    probabilities = hop_probabilities(random_paper_model(("r",), max_hops, seed), question)

    assert probabilities.shape == (max_hops,)
    assert probabilities.min() >= 0.0
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-5)


def test_the_most_probable_hop_number_is_taken() -> None:
    model = keyword_paper_model(("r",), {"capital": (1, 5.0), "neighbours": (3, 9.0)}, {})

    numbers = [
        hop_number(hop_probabilities(model, question)) for question in ("capital of x", "capital of the neighbours")
    ]

    assert numbers == [1, 3]
    assert hop_number(np.array([0.2, 0.5, 0.3], np.float32)) == 2
