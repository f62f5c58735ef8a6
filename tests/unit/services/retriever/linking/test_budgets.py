"""Test that the look-ups for a question of 1,000 characters are limited, for every script."""

from collections.abc import Sequence

import pytest

from graph.name_matching import is_correctable
from graph.store import NameMatch
from language.english.english import english
from language.english.mentions import MAX_MENTIONS, MAX_WORDS, mentions_in, word_spans
from services.retriever.linking.candidates import MAX_MISSPELLED, MAX_MISSPELLED_WORDS, MAX_SHORT_NAMES
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.name_variants import MAX_VARIANTS, name_variants
from services.retriever.linking.word_surprisal import WordSurprisal
from shared.text import MAX_NAME_CHARACTERS
from tests.fakes.graph import InMemoryGraph
from tests.hostile.long_questions import hostile_questions

NAMES = [f"{first} {second}" for first in ("Nova", "Rio", "New") for second in ("Alba", "Verde", "Mare", "Ii")]
NAMES += ["Spain", "France", "Peru", "Ülm", "Łódź", "A", "Q", "北京", "東京タワー", "서울", "กรุงเทพ", "दिल्ली", "7"]
QUESTIONS = hostile_questions(NAMES * 8)


class CountingGraph(InMemoryGraph):
    """Count the names looked up, in total and in the largest call."""

    def __init__(self) -> None:
        super().__init__([(name, "in", "Earth") for name in NAMES])
        self.looked_up = {"named": 0, "short": 0, "like": 0}
        self.calls: list[str] = []
        self.words: set[str] = set()
        self.largest_call = 0

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        self._count("named", names)
        # The base class compares each name with the whole graph, so only known names are passed on.
        known = {name.casefold() for name in NAMES}
        found = await super().entities_named([name for name in names if name in known])
        matches = iter(found)
        return [next(matches) if name in known else [] for name in names]

    async def entities_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        self._count("short", names)
        return [[] for _ in names]

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        self._count("like", names)
        self.words.update(word for name in names for word in name.split() if is_correctable(word))
        return [[] for _ in names]

    def _count(self, kind: str, names: Sequence[str]) -> None:
        self.calls.append(kind)
        self.looked_up[kind] += len(names)
        self.largest_call = max(self.largest_call, len(names))


async def test_a_sentence_is_looked_up_once_in_each_way() -> None:
    graph = CountingGraph()

    await EntityLinker(graph, WordSurprisal()).link(english("Which of the Bordring Countries is larger than Frnace 2?"))

    assert graph.calls == ["named", "named", "short", "like"]


@pytest.mark.parametrize("kind", QUESTIONS)
async def test_no_question_causes_more_lookups_than_the_budgets_allow(kind: str) -> None:
    graph = CountingGraph()

    await EntityLinker(graph, WordSurprisal()).link(english(QUESTIONS[kind]))

    assert graph.looked_up["named"] <= MAX_MENTIONS + MAX_VARIANTS
    assert graph.looked_up["short"] <= 2 * MAX_SHORT_NAMES
    assert graph.looked_up["like"] <= 4 * MAX_MISSPELLED
    assert graph.largest_call <= 500


@pytest.mark.parametrize("kind", ["three letter words", "misspelt names of one word", "random latin", "cyrillic"])
async def test_no_question_has_more_words_corrected_than_the_budget_allows(kind: str) -> None:
    graph = CountingGraph()

    await EntityLinker(graph, WordSurprisal()).link(english(QUESTIONS[kind]))

    assert 0 < len({word for word in graph.words if not WordSurprisal().is_common(word)}) <= MAX_MISSPELLED_WORDS


@pytest.mark.parametrize("kind", QUESTIONS)
def test_mentions_and_variants_of_any_question_are_few(kind: str) -> None:
    question = QUESTIONS[kind]
    mentions = mentions_in(question)

    assert len(word_spans(question)) <= MAX_WORDS
    assert len(mentions) <= MAX_MENTIONS
    assert len(name_variants(english(question), mentions)) <= MAX_VARIANTS
    assert all(len(mention.name) <= MAX_NAME_CHARACTERS for mention in mentions)


def test_a_name_is_found_at_either_end_of_a_long_text_without_spaces() -> None:
    middle = "".join(chr(0x4E00 + place % 5000) for place in range(900))

    for question in ("北京の人口は" + middle, middle + "北京の人口は"):
        assert "北京" in {mention.name for mention in mentions_in(question)}


def test_no_mention_spans_the_words_that_are_left_out() -> None:
    question = " ".join(f"w{place}" for place in range(250))

    assert all(mention.end - mention.start <= 5 * mention.words for mention in mentions_in(question))


def test_all_spans_of_a_long_sentence_are_mentions() -> None:
    question = " ".join(f"name{place}" for place in range(60))
    longest = {mention.name for mention in mentions_in(question) if mention.words == 15}

    assert " ".join(f"name{place}" for place in range(45, 60)) in longest


async def test_the_most_surprising_words_of_a_long_question_are_corrected() -> None:
    vocabulary = {"the": 1996} | {f"word{letter}{other}": 2000 for letter in "abcdefgh" for other in "abcdefgh"}
    graph = CountingGraph()

    await EntityLinker(graph, WordSurprisal((), vocabulary)).link(english(" ".join([*list(vocabulary), "frnce"])))

    assert "frnce" in graph.words
