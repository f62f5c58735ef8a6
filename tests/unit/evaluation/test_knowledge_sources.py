from collections.abc import Sequence
from pathlib import Path

import pytest

from contracts.answers import Evidence
from contracts.base import Strategy
from evaluation.formats import ComparedFormat, FormatPipeline
from evaluation.knowledge_sources import Knowledge, NoKnowledge, RankedTriples, ReasoningPaths, StrategyEvidence
from evaluation.options import EvaluationOptions
from language.question import Question
from question_sets.records import QuestionRecord
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.linking.word_surprisal import WordSurprisal
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import KGQAError, TooManyPathsError, UnknownEntityError
from shared.triple import Triple
from tests.fakes.graph import InMemoryGraph
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import FakeRetrieval, capital_of_france, nothing_found

CAPITAL = Triple("France", "capital", "Paris")
ASKED = QuestionRecord(question="What is the capital of France?", topic="France", answers=("Paris",))
OPTIONS = EvaluationOptions("g", Path("r"), Path("q"))
GRAPH = InMemoryGraph([("France", "capital", "Paris"), ("France", "borders", "Spain")])


def reasoning_paths(retrieval: FakeRetrieval, form: ComparedFormat) -> ReasoningPaths:
    model = ScriptedModel(lambda _: "The capital of France is Paris.")
    pipeline = FormatPipeline(retrieval, Rewriter(model, InMemoryTextCache(0)), model, model, OPTIONS)
    return ReasoningPaths(pipeline, form)


async def names_of_topics(question: Question, topics: Sequence[LinkedTopic]) -> list[Triple]:
    return [Triple(topic.entity.name, "is asked in", question.text) for topic in topics]


async def test_no_knowledge_is_empty() -> None:
    assert await NoKnowledge().find(ASKED) == Knowledge()


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (ComparedFormat.TRIPLES, "(France, capital, Paris)"),
        (ComparedFormat.YAML, "France:\n  capital: [Paris]"),
        (ComparedFormat.TEMPLATE, "The capital of France is Paris."),
        (ComparedFormat.TEXT, "The capital of France is Paris."),
    ],
)
async def test_reasoning_paths_are_verbalised_in_each_format(form: ComparedFormat, text: str) -> None:
    found = await reasoning_paths(FakeRetrieval(capital_of_france()), form).find(ASKED)
    assert found == Knowledge(text, (CAPITAL,))


@pytest.mark.parametrize("error", [UnknownEntityError("no such entity"), TooManyPathsError("too many")])
async def test_a_topic_without_paths_leaves_the_model_without_knowledge(error: KGQAError) -> None:
    assert await reasoning_paths(FakeRetrieval(error), ComparedFormat.TRIPLES).find(ASKED) == Knowledge()
    assert await StrategyEvidence(FakeRetrieval(error), Strategy.DENSE, OPTIONS).find(ASKED) == Knowledge()


async def test_ranked_triples_are_about_the_given_topic_or_the_linked_one() -> None:
    source = RankedTriples(EntityLinker(GRAPH, WordSurprisal()), names_of_topics)
    given = QuestionRecord(question="what about France?", topic="Spain", answers=("x",))
    assert (await source.find(given)).text == "(Spain, is asked in, what about France?)"
    linked = QuestionRecord(question="what about France?", answers=("x",))
    assert (await source.find(linked)).text == "(France, is asked in, what about France?)"


async def test_an_unknown_topic_has_no_triples() -> None:
    source = RankedTriples(EntityLinker(GRAPH, WordSurprisal()), names_of_topics)
    assert await source.find(QuestionRecord(question="capital of Mars", topic="Mars", answers=("x",))) == Knowledge()


async def test_evidence_of_a_strategy_is_shown_whatever_its_confidence() -> None:
    retrieval = FakeRetrieval(capital_of_france())
    found = await StrategyEvidence(retrieval, Strategy.DENSE, OPTIONS).find(ASKED)
    assert found == Knowledge("(France, capital, Paris)", (CAPITAL,))
    [request] = retrieval.requests
    assert (request.strategy, request.min_confidence, request.topic_entity) == (Strategy.DENSE, 0.0, "France")


async def test_evidence_of_a_plan_is_shown_as_its_sentences() -> None:
    said = Evidence(triples=[CAPITAL], text="The capital of France is Paris.")
    by_plan = nothing_found().model_copy(update={"plan_evidence": [said]})
    found = await StrategyEvidence(FakeRetrieval(by_plan), Strategy.CYPHER, OPTIONS).find(ASKED)
    assert found == Knowledge("The capital of France is Paris.", (CAPITAL,))
