import asyncio
import threading
from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from services.rewriter import pipeline
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.generation import MAX_TRIPLES_IN_TEXT
from services.rewriter.pipeline import Rewriter
from shared.contracts import EvidenceTriples, KnowledgeFormat, RewriteRequest
from shared.llm.client import LanguageModel
from shared.triple import Triple
from shared.verbalise.formats import render
from tests.fakes.llm import FailingModel, ScriptedModel


def facts(*triples: tuple[str, str, str]) -> EvidenceTriples:
    return EvidenceTriples(triples=[Triple(s, r, o) for s, r, o in triples])


CAPITAL = facts(("France", "capital", "Paris"))
BORDERS = facts(("France", "borders", "Spain"), ("France", "borders", "Italy"))
PARIS, NEIGHBOURS = "France has its capital in Paris.", "The neighbours of France are Spain and Italy."


def request(
    *items: EvidenceTriples, version: str = "1", format_: KnowledgeFormat = KnowledgeFormat.TEXT
) -> RewriteRequest:
    return RewriteRequest(evidence=list(items), format=format_, graph_version=version)


def says(prompt: str) -> str:
    return PARIS if "capital" in prompt else NEIGHBOURS


def rewriter(model: LanguageModel) -> Rewriter:
    return Rewriter(model, InMemoryTextCache())


async def test_one_call_an_item_texts_in_the_order_of_the_items() -> None:
    model = ScriptedModel(says)
    response = await rewriter(model).rewrite(request(BORDERS, CAPITAL))
    assert response.texts == [NEIGHBOURS, PARIS]
    assert (response.degraded, response.cached, len(model.prompts)) == ([], 0, 2)
    assert "(France, borders, Spain) (France, borders, Italy). The sentence is:" in model.prompts[0]


async def test_a_second_request_is_answered_from_the_cache() -> None:
    model = ScriptedModel([PARIS])
    service = rewriter(model)
    first = await service.rewrite(request(CAPITAL))
    second = await service.rewrite(request(CAPITAL))
    assert second.texts == first.texts
    assert (second.cached, len(model.prompts)) == (1, 1)


async def test_another_graph_version_or_model_does_not_share_the_cache() -> None:
    cache = InMemoryTextCache()
    first, other = ScriptedModel(says), ScriptedModel(says, name="other")
    await Rewriter(first, cache).rewrite(request(CAPITAL))
    await Rewriter(first, cache).rewrite(request(CAPITAL, version="2"))
    await Rewriter(other, cache).rewrite(request(CAPITAL))
    assert (len(first.prompts), len(other.prompts)) == (2, 1)


async def test_without_the_model_the_template_stands_in_and_nothing_is_cached() -> None:
    model = FailingModel()
    service = rewriter(model)
    for _ in range(2):
        response = await service.rewrite(request(CAPITAL, BORDERS))
        assert response.texts == ["The capital of France is Paris.", "France borders Spain and Italy."]
        assert (response.degraded, response.cached) == (["rewriter_model"], 0)
    assert model.calls == 4


async def test_an_unfaithful_text_is_tried_again_in_portions() -> None:
    model = ScriptedModel(["France borders Spain.", "France borders Spain.", "France borders Italy."])
    service = rewriter(model)
    for _ in range(2):
        response = await service.rewrite(request(BORDERS))
        assert response.texts == ["France borders Spain. France borders Italy."]
        assert response.degraded == []
    assert [prompt.count("borders") for prompt in model.prompts] == [2, 1, 1]


async def test_a_text_that_is_unfaithful_twice_is_replaced_from_then_on() -> None:
    model = ScriptedModel(["France borders Spain.", "France borders Spain.", "Mars borders Italy."])
    service = rewriter(model)
    for _ in range(2):
        response = await service.rewrite(request(BORDERS))
        assert response.texts == ["France borders Spain and Italy."]
        assert response.degraded == ["unfaithful_text"]


async def test_a_single_fact_is_not_asked_for_twice() -> None:
    model = ScriptedModel(["The capital of Paris is France."])
    response = await rewriter(model).rewrite(request(CAPITAL))
    assert response.texts == ["The capital of France is Paris."]
    assert response.degraded == ["unfaithful_text"]


async def test_of_a_long_list_the_text_names_some_and_counts_the_rest() -> None:
    cities = facts(*((f"City {letter}", "located_in", "Utopia") for letter in "ABCDEFGHIJKLMNOPQRST"))
    model = ScriptedModel(
        lambda prompt: ", ".join(f"City {x}" for x in "ABCDEFGHI") + " and City J are located in Utopia."
    )
    service = rewriter(model)
    for _ in range(2):
        (text,) = (await service.rewrite(request(cities))).texts
        assert text.endswith("City J are located in Utopia. And 10 more.")
    assert model.prompts[0].count("located_in") == MAX_TRIPLES_IN_TEXT
    assert len(model.prompts) == 1
    (by_template,) = (await rewriter(FailingModel()).rewrite(request(cities))).texts
    assert by_template == text


@pytest.mark.parametrize("format_", [KnowledgeFormat.TRIPLES, KnowledgeFormat.TEMPLATE, KnowledgeFormat.YAML])
async def test_other_formats_need_no_model(format_: KnowledgeFormat) -> None:
    model = FailingModel()
    response = await rewriter(model).rewrite(request(CAPITAL, format_=format_))
    assert "Paris" in response.texts[0]
    assert (response.degraded, model.calls) == ([], 0)


@pytest.mark.parametrize(("items", "in_loop"), [(1, True), (30, False)])
async def test_many_facts_do_not_hold_up_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, items: int, in_loop: bool
) -> None:
    threads: set[threading.Thread] = set()

    def observed(facts: Sequence[Triple], knowledge_format: KnowledgeFormat) -> str:
        threads.add(threading.current_thread())
        return render(facts, knowledge_format)

    monkeypatch.setattr(pipeline, "render", observed)
    facts = [Triple("France", "borders", f"Land {i}") for i in range(100)]
    request = RewriteRequest(evidence=[EvidenceTriples(triples=facts)] * items, format=KnowledgeFormat.TRIPLES)
    reply = await Rewriter(FailingModel(), InMemoryTextCache()).rewrite(request)
    assert len(reply.texts) == items
    assert (threads == {threading.current_thread()}) == in_loop


class SlowClaims(InMemoryTextCache):
    """Grant claims immediately, but report them to the caller later, as a slow shared cache does."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: set[str] = set()
        self.granted, self.heard = asyncio.Event(), asyncio.Event()

    async def claim(self, keys: Sequence[str]) -> list[bool]:
        won = [key not in self.claims for key in keys]
        self.claims.update(keys)
        self.granted.set()
        await self.heard.wait()
        return won

    async def release(self, key: str) -> None:
        await asyncio.sleep(0)
        self.claims.discard(key)


@pytest.mark.parametrize("steps", range(12))
@pytest.mark.parametrize("hears_first", [False, True])
async def test_a_cancelled_request_keeps_no_claim(steps: int, hears_first: bool) -> None:
    cache = SlowClaims()
    service = Rewriter(ScriptedModel(says, gate=asyncio.Event()), cache)
    asked = asyncio.create_task(service.rewrite(request(CAPITAL, BORDERS)))
    await cache.granted.wait()
    assert len(cache.claims) == 2
    if hears_first:
        cache.heard.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    asked.cancel()
    await asyncio.sleep(0)
    cache.heard.set()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert cache.claims == set()


async def test_no_evidence_no_text() -> None:
    assert (await rewriter(FailingModel()).rewrite(request())).texts == []


async def test_the_token_limit_grows_with_the_facts() -> None:
    model = ScriptedModel(says)
    await rewriter(model).rewrite(request(CAPITAL, BORDERS))
    assert 30 < model.max_tokens[0] < model.max_tokens[1] <= 400


@pytest.mark.parametrize("field", ["subject", "relation", "object"])
def test_a_fact_that_no_encoder_could_write_is_refused(field: str) -> None:
    fact = {"subject": "France", "relation": "capital", "object": "Paris", field: "\ud800"}

    with pytest.raises(ValidationError, match="valid string"):
        RewriteRequest.model_validate({"evidence": [{"triples": [fact]}]})
