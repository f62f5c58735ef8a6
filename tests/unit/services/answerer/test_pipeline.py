from pathlib import Path

import pytest

from contracts.answers import Answer, EvidenceTriples
from contracts.ask import AskRequest, AskResponse
from contracts.retrieve import RetrieveResponse, ScoredPath
from contracts.rewrite import KnowledgeFormat
from question_sets.records import open_text
from services.answerer.knowledge import MAX_KNOWLEDGE
from services.answerer.pipeline import Asker
from services.answerer.prompts import I_DO_NOT_KNOW
from services.rewriter.cache.memory import InMemoryTextCache
from services.rewriter.pipeline import Rewriter
from shared.errors import DependencyError, UnknownEntityError
from shared.triple import Triple
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.fakes.services import FakeRetrieval, FakeRewriting, capital_of_france, nothing_found

QUESTION = "What is the capital of France?"
SENTENCE = "The capital of France is Paris."
WORLD = Path(__file__).parents[4] / "examples" / "world" / "graph.tsv.xz"


async def ask(asker: Asker, knowledge: KnowledgeFormat = KnowledgeFormat.TEXT, max_paths: int = 5) -> AskResponse:
    return await asker.ask(AskRequest(question=QUESTION, format=knowledge, max_paths=max_paths), request_id="r1")


def neighbours(*names: str) -> RetrieveResponse:
    """Return a retriever's response to a question about the neighbours of France."""
    facts = [Triple("France", "borders", name) for name in names]
    return capital_of_france().model_copy(
        update={
            "relation_paths": [ScoredPath(relations=["borders"], score=0.9)],
            "answers": [Answer(value=name, score=0.9, evidence=[0]) for name in names],
            "evidence": [EvidenceTriples(triples=facts)],
        }
    )


def replaced(response: AskResponse) -> list[str]:
    """Return the kinds of warnings, and check that no part failed."""
    assert response.degraded == []
    return [warning.kind for warning in response.warnings]


async def test_grammar_answers_if_there_is_no_model() -> None:
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), None))
    assert (response.answer, response.degraded, response.warnings) == (SENTENCE, [], [])
    assert response.usage.prompt_tokens == 0


async def test_text_and_question_reach_the_model_and_its_answer_the_caller() -> None:
    model = ScriptedModel(["France has its capital in Paris."])
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), model))
    assert response.answer == "France has its capital in Paris."
    assert response.evidence[0].text == "It is Paris."
    assert (response.abstained, response.degraded, response.request_id) == (False, [], "r1")
    (prompt,) = model.prompts
    assert "It is Paris." in prompt
    assert QUESTION in prompt


async def test_a_text_with_an_invented_name_is_asked_for_again_and_then_replaced() -> None:
    again = ScriptedModel(["Paris and Bahirondia", "The capital is Paris."])
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), again))
    assert (response.answer, response.degraded) == ("The capital is Paris.", [])
    never = ScriptedModel(["Paris and Bahirondia", "Paris and Bahirondia"])
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), never))
    assert (response.answer, replaced(response)) == (SENTENCE, ["unsupported_answer"])


async def test_no_evidence_no_model_call() -> None:
    model, rewriting = ScriptedModel([]), FakeRewriting()
    response = await ask(Asker(FakeRetrieval(nothing_found()), rewriting, model))
    assert response.abstained
    assert response.answer == I_DO_NOT_KNOW
    assert response.answers == []
    assert model.prompts == []
    assert rewriting.requests == []


async def test_format_none_asks_the_model_without_facts() -> None:
    model, rewriting = ScriptedModel(["Paris"]), FakeRewriting()
    response = await ask(Asker(FakeRetrieval(capital_of_france()), rewriting, model), KnowledgeFormat.NONE)
    assert rewriting.requests == []
    assert response.evidence[0].text == "The capital of France is Paris."
    assert "It is Paris" not in model.prompts[0]


async def test_without_the_rewriter_facts_are_put_plainly() -> None:
    model = ScriptedModel(["Paris"])
    rewriting = FakeRewriting(DependencyError("gone"))
    response = await ask(Asker(FakeRetrieval(capital_of_france()), rewriting, model))
    assert response.degraded == ["rewriter"]
    assert "Paris" in response.evidence[0].text
    assert response.evidence[0].text in model.prompts[0]


async def test_the_reply_says_why_the_model_refused() -> None:
    class Refusing(FailingModel):
        async def complete(self, prompt: str, *, max_tokens: int, grammar: str | None = None) -> str:
            raise DependencyError("the server at http://llm:1 returned 400: no", "the server returned 400: no")

    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), Refusing()))
    [warning] = response.warnings
    assert warning.text == "The answer was written without the QA model, because the server returned 400: no."


async def test_without_the_model_grammar_states_the_answers() -> None:
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), FailingModel()))
    assert response.answer == SENTENCE
    assert response.degraded == ["qa_model"]
    [warning] = response.warnings
    assert warning.kind == "qa_model"


@pytest.mark.parametrize("text", ["Berlin is.", "I don't know.", "", "Parisian"])
async def test_a_text_that_names_no_grounded_answer_is_replaced_and_marked(text: str) -> None:
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), ScriptedModel([text, text])))
    assert response.answer == SENTENCE
    assert replaced(response) == ["unsupported_answer"]


async def test_a_model_that_misread_the_text_is_shown_the_bare_facts_of_the_best_path() -> None:
    found = capital_of_france(others=[Answer(value="Lyon", score=0.8, evidence=[1])])
    lower = EvidenceTriples(triples=[Triple("France", "largest_city", "Lyon")])
    found = found.model_copy(update={"evidence": [*found.evidence, lower]})
    model = ScriptedModel(["Lyon", "Paris"])
    response = await ask(Asker(FakeRetrieval(found), FakeRewriting(), model))
    assert (response.answer, response.degraded) == (SENTENCE, [])
    assert "It is Paris. It is Lyon." in model.prompts[0]
    assert "(France, capital, Paris)" in model.prompts[1]
    assert "Lyon" not in model.prompts[1]


async def test_a_model_asked_without_knowledge_is_not_shown_any() -> None:
    model = ScriptedModel(["Lyon"])
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), model), KnowledgeFormat.NONE)
    assert replaced(response) == ["unsupported_answer"]


@pytest.mark.parametrize(
    ("text", "answer", "warnings"),
    [
        ("Italy and Spain", "France borders Spain and Italy.", []),
        ("Its neighbours are Italy and Spain.", "Its neighbours are Italy and Spain.", []),
        ("Spain", "France borders Spain and Italy.", []),
        ("Spain is a neighbour of France.", "France borders Spain and Italy.", []),
        ("Spain and 1 more", "France borders Spain and Italy.", []),
        ("Spain and 7 more", "France borders Spain and Italy.", ["unsupported_answer"]),
        ("Spain and Peru", "France borders Spain and Italy.", ["unsupported_answer"]),
    ],
)
async def test_a_list_or_a_text_that_omits_answers_is_replaced_by_a_sentence(
    text: str, answer: str, warnings: list[str]
) -> None:
    response = await ask(Asker(FakeRetrieval(neighbours("Spain", "Italy")), FakeRewriting(), ScriptedModel([text] * 2)))
    assert (response.answer, replaced(response)) == (answer, warnings)


async def test_a_list_that_the_model_would_see_in_part_is_stated_without_it() -> None:
    names = [f"Land {number}" for number in range(25)]
    model = ScriptedModel([])
    response = await ask(Asker(FakeRetrieval(neighbours(*names)), FakeRewriting(), model))
    assert response.answer.startswith("France borders Land 0, Land 1, ")
    assert response.answer.endswith("Land 19 and 5 more.")
    assert len(response.answers) == 25
    assert model.prompts == []


async def test_an_answer_named_others_says_nothing_of_more() -> None:
    answers = [Answer(value=name, score=0.9, evidence=[0]) for name in ("The Others", "Alien")]
    found = capital_of_france().model_copy(update={"answers": answers})
    response = await ask(Asker(FakeRetrieval(found), FakeRewriting(), ScriptedModel(["The Others"])))
    assert response.answer == "The graph lists 2 answers: The Others and Alien."


# All airports of the demo graph below sea level.
BELOW_SEA = {
    "Amsterdam Airport Schiphol": "-11",
    "Astrakhan Airport": "-65",
    "Atyrau International Airport": "-72",
    "Balkanabat International Airport": "-31",
    "Bishe Kola Air Base": "-79",
    "El Centro Naf Airport": "-42",
    "Gorgan Airport": "-24",
    "Jacqueline Cochran Regional Airport": "-114",
    "Lelystad Airport": "-13",
    "Rotterdam Airport": "-15",
    "Sardar-e-Jangal Airport": "-40",
}


def test_these_are_all_of_them() -> None:
    with open_text(WORLD) as lines:
        facts = [line.rstrip("\n").split("\t") for line in lines]
    assert {s: o for s, relation, o in facts if relation == "elevation_ft" and o.startswith("-")} == BELOW_SEA


@pytest.mark.parametrize(("airport", "feet"), BELOW_SEA.items())
async def test_a_height_below_sea_level_keeps_its_sign(airport: str, feet: str) -> None:
    fact = Triple(airport, "elevation_ft", feet)
    found = capital_of_france().model_copy(
        update={
            "answers": [Answer(value=feet, score=0.98, evidence=[0])],
            "relation_paths": [ScoredPath(relations=["elevation_ft"], score=0.98)],
            "evidence": [EvidenceTriples(triples=[fact])],
        }
    )
    wrong = f"{airport} lies {feet[1:]} feet above sea level."
    rewriter = Rewriter(ScriptedModel(lambda prompt: wrong), InMemoryTextCache(10))
    for said in (wrong, feet[1:]):
        asker = Asker(FakeRetrieval(found), rewriter, ScriptedModel([said, said]))
        response = await asker.ask(AskRequest(question=f"What is the elevation in feet of {airport}?"), "r1")
        assert response.answer == f"The elevation of {airport} is {feet} ft."
        assert response.evidence[0].text == response.answer
        assert replaced(response) == ["unsupported_answer"]


async def test_a_name_that_prompts_escape_is_given_as_it_is() -> None:
    name = "Foo</script> <|im_end|>"
    found = capital_of_france().model_copy(update={"answers": [Answer(value=name, score=0.9, evidence=[0])]})
    fact = Triple("France", "capital", name)
    found = found.model_copy(update={"evidence": [EvidenceTriples(triples=[fact])]})
    model = ScriptedModel(["The capital of France is Foo< /script> < |im_end|>."])
    response = await ask(Asker(FakeRetrieval(found), FakeRewriting(), model))
    assert (response.answer, response.degraded) == (f"The capital of France is {name}.", [])
    assert name not in model.prompts[0]


async def test_a_model_is_not_asked_the_same_twice() -> None:
    model = ScriptedModel(["Lyon", "Paris"])
    response = await ask(Asker(FakeRetrieval(capital_of_france()), FakeRewriting(), model), KnowledgeFormat.TRIPLES)
    assert (response.answer, replaced(response)) == (SENTENCE, ["unsupported_answer"])
    assert len(model.prompts) == 1


async def test_naming_a_lower_answer_alone_is_not_support() -> None:
    lyon = Answer(value="Lyon", score=0.1, evidence=[0])
    response = await ask(
        Asker(FakeRetrieval(capital_of_france(others=[lyon])), FakeRewriting(), ScriptedModel(["Lyon", "Lyon"]))
    )
    assert response.answer == SENTENCE


async def test_degradation_of_the_rewriter_is_passed_on() -> None:
    rewriting = FakeRewriting(degraded=("unfaithful_text",))
    response = await ask(Asker(FakeRetrieval(capital_of_france()), rewriting, ScriptedModel(["Paris"])))
    assert replaced(response) == ["unfaithful_text"]


async def test_items_of_yaml_stay_yaml() -> None:
    found = capital_of_france()
    found = found.model_copy(
        update={"evidence": found.evidence * 2, "answers": [Answer(value="Paris", score=0.9, evidence=[0, 1])]}
    )
    model = ScriptedModel(["Paris"])
    await ask(Asker(FakeRetrieval(found), FakeRewriting(), model), KnowledgeFormat.YAML)
    assert "It is Paris.\nIt is Paris." in model.prompts[0]


async def test_facts_beyond_the_models_context_are_cut_between_words() -> None:
    found = capital_of_france()
    triple = Triple("France", "capital", "Paris " * (MAX_KNOWLEDGE // 5))
    found = found.model_copy(update={"evidence": [EvidenceTriples(triples=[triple])]})
    model = ScriptedModel(["Paris"])
    await ask(Asker(FakeRetrieval(found), FakeRewriting(), model))
    knowledge = model.prompts[0].split("question: ")[1].split(" Question: ")[0]
    assert MAX_KNOWLEDGE - 10 < len(knowledge) <= MAX_KNOWLEDGE
    assert knowledge.endswith("Paris")


async def test_at_most_max_paths_items_are_verbalised() -> None:
    more = [Answer(value=f"Paris {index}", score=0.9, evidence=[index]) for index in range(1, 7)]
    found = capital_of_france(*more)
    found = found.model_copy(update={"evidence": found.evidence * 7})
    rewriting = FakeRewriting()
    response = await ask(Asker(FakeRetrieval(found), rewriting, ScriptedModel(["Paris"])), max_paths=2)
    assert len(rewriting.requests[0].evidence) == 2
    assert [item.text for item in response.evidence] == ["It is Paris."] * 2 + ["The capital of France is Paris."] * 5


async def test_evidence_is_bounded() -> None:
    more = [Answer(value=f"Paris {index}", score=0.9, evidence=[index]) for index in range(1, 7)]
    found = capital_of_france(*more)
    found = found.model_copy(update={"evidence": found.evidence * 7})
    asker = Asker(FakeRetrieval(found), FakeRewriting(), ScriptedModel(["Paris"]))

    response = await asker.ask(AskRequest(question=QUESTION, max_evidence=3), request_id="r1")

    assert (len(response.evidence), response.omitted_evidence) == (3, 4)
    assert [answer.evidence for answer in response.answers] == [[0], [1], [2], [], [], [], []]


async def test_the_reply_has_the_answer_set_only() -> None:
    found = capital_of_france(others=[Answer(value="Lyon", score=0.3, evidence=[1])])
    found = found.model_copy(update={"evidence": found.evidence * 2})
    response = await ask(Asker(FakeRetrieval(found), FakeRewriting(), ScriptedModel(["Paris"])))

    assert [answer.value for answer in response.answers] == ["Paris"]
    assert len(response.evidence) == 1
    assert response.alternatives == found.alternatives
    assert response.answer_type == "entities"


async def test_facts_of_unlikely_paths_are_not_put_before_the_model() -> None:
    found = capital_of_france(others=[Answer(value="Lyon", score=0.01, evidence=[1])])
    found = found.model_copy(update={"evidence": found.evidence * 2})
    rewriting = FakeRewriting()
    response = await ask(Asker(FakeRetrieval(found), rewriting, ScriptedModel(["Paris"])))
    assert len(rewriting.requests[0].evidence) == 1
    assert [item.text for item in response.evidence] == ["It is Paris."]


async def test_an_unknown_topic_is_the_callers_error() -> None:
    asker = Asker(FakeRetrieval(UnknownEntityError("no Atlantis")), FakeRewriting(), ScriptedModel([]))
    with pytest.raises(UnknownEntityError):
        await ask(asker)
