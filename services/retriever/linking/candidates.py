"""Which runs of words are looked up again after the exact names: as other spellings, short names and misspelt names.

Each try has a budget that does not depend on the script. Ordinary questions stay below it; of long ones the shortest
runs and the most telling words are tried.
"""

from collections.abc import Sequence

from services.retriever.linking.mention_scoring import Naming
from services.retriever.linking.mentions import Mention
from services.retriever.linking.name_variants import numbered_otherwise, variants, with_the
from services.retriever.linking.spans import Stretches
from shared.graph.name_matching import MAX_SHORT_WORDS

MAX_SHORT = 800
MAX_MISSPELT = 400
# Different ones, in words or characters of a script without blanks: to find what a word may be misspelt for costs far
# more than to look up a name.
MAX_MISSPELT_WORDS = 40


def otherwise_written(question: str, mentions: Sequence[Mention], outstanding: Sequence[Mention]) -> list[Mention]:
    """Other ways to write a name: of anything, or if some names stand out, of what holds one of those."""
    if outstanding:
        standing_out = Stretches(outstanding)
        mentions = [mention for mention in mentions if standing_out.lie_within(mention)]
    return variants(question, mentions)


def shortened(naming: Naming, mentions: Sequence[Mention], outstanding: Sequence[Mention]) -> list[Mention]:
    """What may be a surname or a title without its subtitle: nothing where a name of several words stands out."""
    if any(mention.words > 1 for mention in outstanding):
        return []
    short = [
        mention
        for mention in mentions
        if not mention.doubt and len(mention.name.split()) <= MAX_SHORT_WORDS and not naming.has_common_edge(mention)
    ][-MAX_SHORT:]
    return short + with_the([mention for mention in short if mention.words > 1])


def misspelt(
    question: str,
    naming: Naming,
    mentions: Sequence[Mention],
    explained: Sequence[Mention],
    outstanding: Sequence[Mention],
) -> list[Mention]:
    """What to look up with typing errors: words that no name explains, and runs of words unless a name stands out.

    Nearly every word is somebody's name, so that one ordinary word is a name tells little.
    """
    unexplained = Stretches(naming.unexplained(explained))
    tried = [
        mention
        for mention in mentions
        if not mention.doubt and (unexplained.overlap(mention) or (mention.words > 1 and not outstanding))
    ]
    left_out = Stretches(naming.least_telling(MAX_MISSPELT_WORDS))
    tried = [mention for mention in tried if not left_out.overlap(mention)][-MAX_MISSPELT:]
    tried += numbered_otherwise(question, tried)[-MAX_MISSPELT:]
    return tried + with_the([mention for mention in tried if naming.may_lack_its_article(mention)])
