import re

from hypothesis import given
from hypothesis import strategies as st

from contracts.answers import Answer, Evidence
from contracts.ask import AskRequest, AskResponse, CitedEvidence
from services.answerer.chat.citations import CitedText, cite, link_definitions
from services.answerer.chat.evidence_store import EvidenceStore
from services.answerer.pipeline import Asker
from shared.escaping import text_of_markdown
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france

PRINTED = st.characters(exclude_categories=["C", "Zl", "Zp"])


async def response(text: str, evidence: dict[str, list[int]]) -> AskResponse:
    asker = Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), ScriptedModel(["Paris"]))
    asked = await asker.ask(AskRequest(question="q"), "r")
    count = 1 + max((index for indexes in evidence.values() for index in indexes), default=-1)
    changed = {
        "answer": text,
        "answers": [Answer(value=name, score=1, evidence=indexes) for name, indexes in evidence.items()],
        "evidence": [Evidence(triples=[], text=f'"fact" {index}\n<b>') for index in range(count)],
    }
    return asked.model_copy(update=changed)


async def cited(text: str, evidence: dict[str, list[int]], first: int = 1) -> CitedText:
    kept = EvidenceStore()
    return cite(await response(text, evidence), "q", first, lambda item: f"http://h/evidence/{kept.add(item)}")


async def test_marks_follow_the_names_that_the_evidence_supports() -> None:
    assert (
        await cited("Oslo and Bergen are it.", {"Oslo": [0], "Bergen": [1]})
    ).text == "Oslo [1] and Bergen [2] are it."
    assert (await cited("Oslo and Bergen.", {"Oslo": [0], "Bergen": [0]})).text == "Oslo and Bergen [1]."
    assert (await cited("Oslo.", {"Oslo": [0]}, first=7)).text == "Oslo [7]."


async def test_an_answer_that_names_nothing_is_marked_at_its_end() -> None:
    assert (await cited("Yes.", {"true": [0, 1]})).text == "Yes [1] [2]."
    assert (await cited("I don't know.", {})).text == "I don't know."


async def test_a_text_whose_letters_have_other_forms_stays_as_it_is() -> None:
    assert (await cited("5 km² in Oslo", {"Oslo": [0]})).text == "5 km² in Oslo [1]"


async def test_links_are_markdown_in_which_a_title_cannot_end_early() -> None:
    found = await cited("Oslo", {"Oslo": [0]})
    [citation] = found.citations
    assert link_definitions(found.citations) == f'\n\n[1]: {citation.url} "&quot;fact&quot; 0 &lt;b>"'
    assert link_definitions(()) == ""


@given(st.text(PRINTED, max_size=60), st.lists(st.sampled_from(["Oslo", "Bergen", "Åre", "-11"]), unique=True))
async def test_offsets_point_to_the_marks_and_nothing_else_changes(text: str, names: list[str]) -> None:
    text = " ".join([text, *names])
    found = await cited(text, {name: [number] for number, name in enumerate(names)})
    plain = found.text
    for one in reversed(found.citations):
        assert found.text[one.start : one.end] == f"[{one.number}]"
        plain = plain[: one.start - 1] + plain[one.end :]
    assert re.sub(" +", " ", text_of_markdown(plain)) == re.sub(" +", " ", text)


def evidence(text: str) -> CitedEvidence:
    return CitedEvidence(question="q", answers=["a"], text=text, triples=[])


def test_evidence_is_found_until_newer_evidence_needs_the_room() -> None:
    kept = EvidenceStore(max_bytes=3 * len(evidence("1").model_dump_json()))
    ids = [kept.add(evidence(text)) for text in "1231"]
    assert ids[0] == ids[3]
    assert kept.get(ids[0]) == evidence("1")
    kept.add(evidence("4"))
    assert [is_kept(kept, id_) for id_ in ids[:3]] == [True, False, True]
    too_large = kept.add(evidence("x" * 9999))
    assert not is_kept(kept, too_large)


def is_kept(kept: EvidenceStore, id_: str) -> bool:
    try:
        kept.get(id_)
    except Exception as error:
        assert "ask the question again" in str(error)
        return False
    return True
