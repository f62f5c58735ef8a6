import asyncio
import threading
from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from contracts.answers import EvidenceTriples
from contracts.rewrite import KnowledgeFormat, RewriteRequest
from services.rewriter import pipeline
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.llm.client import LanguageModel
from shared.triple import Triple
from tests.fakes.llm import FailingModel, ScriptedModel
from texts.verbalise.formats import render


def facts(*triples: tuple[str, str, str]) -> EvidenceTriples:
    return EvidenceTriples(triples=[Triple(s, r, o) for s, r, o in triples])


CAPITAL = facts(("France", "capital", "Paris"))
BORDERS = facts(("France", "bordered", "Spain"), ("France", "bordered", "Italy"))
BOTH = facts(("France", "capital", "Paris"), ("France", "bordered", "Spain"), ("France", "bordered", "Italy"))
FLUENT = "Paris is the capital of France, which borders Spain and Italy."
GRAMMAR = "The capital of France is Paris. France: bordered Spain and Italy."


def request(
    *items: EvidenceTriples, version: str = "1", format_: KnowledgeFormat = KnowledgeFormat.TEXT
) -> RewriteRequest:
    return RewriteRequest(evidence=list(items), format=format_, graph_version=version)


def rewriter(model: LanguageModel) -> Rewriter:
    return Rewriter(model, InMemoryTextCache())


async def test_all_items_take_one_call_and_each_has_a_text_of_its_own() -> None:
    model = ScriptedModel([FLUENT])
    response = await rewriter(model).rewrite(request(CAPITAL, BORDERS))
    assert response.text == FLUENT
    assert response.texts == ["The capital of France is Paris.", "France: bordered Spain and Italy."]
    assert (response.degraded, response.cached) == ([], 0)
    [prompt] = model.prompts
    assert "(France, capital, Paris) (France, bordered, Spain) (France, bordered, Italy). The sentence is:" in prompt


async def test_the_text_of_the_only_item_is_the_text_of_all() -> None:
    response = await rewriter(ScriptedModel([FLUENT])).rewrite(request(BOTH))
    assert (response.texts, response.text) == ([FLUENT], FLUENT)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (CAPITAL, "The capital of France is Paris."),
        (BORDERS, "France: bordered Spain and Italy."),
        (
            facts(("Kern", "elevation_ft", "13123"), ("Kern", "opening_date", "1996-08-01")),
            "The elevation of Kern is 13,123 ft, and the opening date is 1996-08-01.",
        ),
    ],
)
async def test_single_facts_lists_and_numbers_are_said_without_the_model(item: EvidenceTriples, text: str) -> None:
    response = await rewriter(ScriptedModel([])).rewrite(request(item))
    assert (response.texts, response.text, response.degraded) == ([text], text, [])


async def test_a_second_request_is_answered_from_the_cache() -> None:
    model = ScriptedModel([FLUENT])
    service = rewriter(model)
    first = await service.rewrite(request(BOTH))
    second = await service.rewrite(request(BOTH))
    assert second.text == first.text
    assert (second.cached, len(model.prompts)) == (1, 1)


async def test_another_graph_version_or_model_does_not_share_the_cache() -> None:
    cache = InMemoryTextCache()
    first, other = ScriptedModel([FLUENT] * 2), ScriptedModel([FLUENT], name="other")
    await Rewriter(first, cache).rewrite(request(BOTH))
    await Rewriter(first, cache).rewrite(request(BOTH, version="2"))
    await Rewriter(other, cache).rewrite(request(BOTH))
    assert (len(first.prompts), len(other.prompts)) == (2, 1)


async def test_without_the_model_grammar_stands_in_and_nothing_is_cached() -> None:
    model = FailingModel()
    service = rewriter(model)
    for _ in range(2):
        response = await service.rewrite(request(CAPITAL, BORDERS))
        assert response.text == GRAMMAR
        assert (response.degraded, response.cached) == (["rewriter_model"], 0)
    assert model.calls == 2


@pytest.mark.parametrize(
    "unfaithful",
    [
        "France has its capital in Paris and borders Spain.",
        "France has its capital in Paris and borders Spain and Mars.",
        "France has its capital in Pariss and borders Spain and Italy.",
        "",
    ],
)
async def test_grammar_replaces_a_text_that_omits_alters_or_invents_a_name_from_then_on(unfaithful: str) -> None:
    model = ScriptedModel([unfaithful])
    service = rewriter(model)
    for _ in range(2):
        response = await service.rewrite(request(BOTH))
        assert (response.texts, response.text) == ([GRAMMAR], GRAMMAR)
        assert (response.degraded, response.by_template) == (["unfaithful_text"], 1)


async def test_names_are_copied_where_the_model_spells_them_differently() -> None:
    incident = facts(
        ("INC-2003", "reported_by", "Ann.Lee@example.org"),
        ("INC-2003", "logs", "/var/log/Kern.log"),
        ("INC-2003", "audits", "🚀 Launch"),
    )
    model = ScriptedModel(
        ["Inc-2003 was reported by ann.lee@example.org, it logs var/log/kern.log, and it audits launch."]
    )
    response = await rewriter(model).rewrite(request(incident))
    assert response.text == (
        "INC-2003 was reported by Ann.Lee@example.org, it logs /var/log/Kern.log, and it audits 🚀 Launch."
    )
    assert response.degraded == []


async def test_of_a_long_list_the_text_names_some_and_counts_the_rest() -> None:
    cities = facts(*((f"City {letter}", "located_in", "Utopia") for letter in "ABCDEFGHIJKLMNOPQRST"))
    response = await rewriter(ScriptedModel([])).rewrite(request(cities))
    assert response.text.endswith("City I, City J and 10 more are located in Utopia.")


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
    facts = [Triple("France", "bordered", f"Land {i}") for i in range(100)]
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
    service = Rewriter(ScriptedModel([FLUENT], gate=asyncio.Event()), cache)
    asked = asyncio.create_task(service.rewrite(request(CAPITAL, BORDERS)))
    await cache.granted.wait()
    assert len(cache.claims) == 1
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
    model = ScriptedModel([FLUENT] * 2)
    more = facts(*((fact.subject, fact.relation, fact.object) for fact in BOTH.triples), ("France", "won", "Euro"))
    await rewriter(model).rewrite(request(BOTH))
    await rewriter(model).rewrite(request(more))
    assert 30 < model.max_tokens[0] < model.max_tokens[1] <= 400


@pytest.mark.parametrize("field", ["subject", "relation", "object"])
def test_a_fact_that_no_encoder_could_write_is_refused(field: str) -> None:
    fact = {"subject": "France", "relation": "capital", "object": "Paris", field: "\ud800"}

    with pytest.raises(ValidationError, match="valid string"):
        RewriteRequest.model_validate({"evidence": [{"triples": [fact]}]})
