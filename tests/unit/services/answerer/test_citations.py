import re

from hypothesis import given
from hypothesis import strategies as st

from contracts.answers import Answer
from contracts.ask import AskRequest, Citation
from services.answerer.citations import MAX_CITATIONS, find_citations, with_marks
from services.answerer.pipeline import Asker
from tests.fakes.llm import ScriptedModel
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france


def answers(evidence: dict[str, list[int]]) -> list[Answer]:
    return [Answer(value=name, score=1, evidence=indexes) for name, indexes in evidence.items()]


async def test_a_reply_cites_its_own_evidence_and_its_answer_stays_as_it_is() -> None:
    asker = Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), ScriptedModel(["The capital is Paris."]))
    reply = await asker.ask(AskRequest(question="What is the capital of France?"), "r")
    assert reply.answer == "The capital is Paris."
    assert reply.cited_answer == "The capital is Paris [1]."
    assert reply.citations == [Citation(evidence=0, at=20)]


async def test_a_reply_without_listed_evidence_has_no_marks() -> None:
    asker = Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), ScriptedModel(["The capital is Paris."]))
    reply = await asker.ask(AskRequest(question="What is the capital of France?", max_evidence=0), "r")
    assert (reply.cited_answer, reply.citations) == (reply.answer, [])


def test_numbers_count_the_evidence_of_the_reply_not_the_marks() -> None:
    found = find_citations("Bergen and Oslo.", answers({"Oslo": [0], "Bergen": [4]}), 5)
    assert found == [Citation(evidence=4, at=6), Citation(evidence=0, at=15)]


def test_evidence_of_answers_that_the_text_does_not_name_is_cited_before_the_full_stop() -> None:
    assert find_citations("Yes.", answers({"true": [0, 1]}), 2) == [
        Citation(evidence=0, at=3),
        Citation(evidence=1, at=3),
    ]
    assert find_citations("I don't know.", [], 0) == []


def test_citations_are_limited() -> None:
    named = {f"n{number}": [number] for number in range(MAX_CITATIONS + 5)}
    assert len(find_citations(" ".join(named), answers(named), len(named))) == MAX_CITATIONS


@given(st.text(max_size=60), st.lists(st.sampled_from(["Oslo", "Bergen", "Åre", "-11"]), unique=True))
def test_marks_change_nothing_else(text: str, names: list[str]) -> None:
    text = " ".join([text, *names])
    found = find_citations(text, answers({name: [number] for number, name in enumerate(names)}), len(names))
    marked, spans = with_marks(text, [(one.at, one.evidence + 1) for one in found])
    assert all(re.fullmatch(r"\[\d\]", marked[start:end]) for start, end in spans)
    for start, end in reversed(spans):
        marked = marked[: start - 1] + marked[end:]
    assert marked == text


def test_a_unit_belongs_to_its_number() -> None:
    text = "The weight of Tembo is 6150 kg."

    assert find_citations(text, answers({"6150": [0]}), 1) == [Citation(evidence=0, at=len(text) - 1)]
    assert find_citations("6150 of them.", answers({"6150": [0]}), 1) == [Citation(evidence=0, at=4)]
