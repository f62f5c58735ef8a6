from hypothesis import given
from hypothesis import strategies as st

from services.retriever.linking.mentions import Mention
from services.retriever.linking.spans import Stretches

mentions = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda at: Mention(at[0], sum(at), "", 1))


@given(st.lists(mentions, max_size=8), mentions)
def test_a_mention_is_compared_with_every_stretch(some: list[Mention], one: Mention) -> None:
    stretches = Stretches(some)

    assert stretches.overlap(one) == any(other.start < one.end and one.start < other.end for other in some)
    assert stretches.lie_within(one) == any(one.start <= other.start and other.end <= one.end for other in some)
