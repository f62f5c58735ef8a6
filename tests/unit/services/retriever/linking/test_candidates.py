from hypothesis import given
from hypothesis import strategies as st

from language.mentions import Mention
from services.retriever.linking.candidates import SpanIndex

mentions = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda at: Mention(at[0], sum(at), "", 1))


@given(st.lists(mentions, max_size=8), mentions)
def test_a_mention_is_compared_with_every_span(others: list[Mention], mention: Mention) -> None:
    spans = SpanIndex(others)

    assert spans.overlaps(mention) == any(other.start < mention.end and mention.start < other.end for other in others)
    assert spans.any_within(mention) == any(
        mention.start <= other.start and other.end <= mention.end for other in others
    )
