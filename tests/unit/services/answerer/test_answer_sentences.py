from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.answers import Answer, AnswerType, Evidence, EvidenceTriples
from contracts.retrieve import RetrieveResponse, ScoredPath
from services.answerer.answer_sentences import path_sentence
from services.answerer.plan_answers import plan_answer
from shared.triple import Triple
from tests.fakes.services import capital_of_france

Fact = tuple[str, str, str]


def reached(
    relations: Sequence[str], names: Sequence[str], *items: Sequence[Fact], kind: str | None = None
) -> RetrieveResponse:
    """Return a response whose answers are supported by one item each, or all by the only one."""
    answers = [
        Answer(value=name, kind=kind, score=0.9, evidence=[min(place, len(items) - 1)])
        for place, name in enumerate(names)
    ]
    evidence = [EvidenceTriples(triples=[Triple(*fact) for fact in facts]) for facts in items]
    paths = [ScoredPath(relations=list(relations), score=0.9)]
    return capital_of_france().model_copy(update={"relation_paths": paths, "answers": answers, "evidence": evidence})


def planned(
    type_: AnswerType,
    values: Sequence[Any],
    *texts: str,
    kind: str | None = None,
    is_summary: bool = False,
    **more: Any,
) -> RetrieveResponse:
    evidence = [Evidence(triples=[], text=text, summary=text if is_summary else "") for text in texts]
    answers = [Answer(value=value, kind=kind, score=0.9, evidence=[]) for value in values]
    changes = {"answer_type": type_, "answers": answers, "plan_evidence": evidence, "relation_paths": [], **more}
    return capital_of_france().model_copy(update=changes)


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (reached(["capital"], ["Vienna"], [("Austria", "capital", "Vienna")]), "The capital of Austria is Vienna."),
        (
            reached(
                ["^capital", "currency"],
                ["Turkish Lira"],
                [("Turkey", "capital", "Ankara"), ("Turkey", "currency", "Turkish Lira")],
            ),
            "The currency of Turkey, whose capital is Ankara, is Turkish Lira.",
        ),
        (
            reached(
                ["borders", "capital"],
                ["Lima", "Quito"],
                [("Colombia", "borders", "Peru"), ("Peru", "capital", "Lima")],
                [("Colombia", "borders", "Ecuador"), ("Ecuador", "capital", "Quito")],
            ),
            "The capital of Peru is Lima, and that of Ecuador is Quito.",
        ),
        (
            reached(
                ["located_in", "currency"],
                ["Euro"],
                [("Ulm", "located_in", "Germany"), ("Germany", "currency", "Euro")],
            ),
            "Ulm is located in Germany, whose currency is Euro.",
        ),
        (
            reached(["borders"], ["United Kingdom"], [("Ireland", "borders", "United Kingdom")]),
            "Ireland borders the United Kingdom.",
        ),
        (
            reached(["^borders"], ["United Kingdom"], [("United Kingdom", "borders", "Ireland")]),
            "The United Kingdom borders Ireland.",
        ),
        (
            reached(["price_eur"], ["250"], [("Tern", "price_eur", "250")]),
            "The price of Tern is 250 EUR.",
        ),
        (
            reached(["rpts_to"], ["Bo"], [("Ann", "rpts_to", "Bo")]),
            "Ann reports to Bo.",
        ),
        (
            reached(["^directed_by"], ["Heat", "Ali"], [(x, "directed_by", "Ann Lee") for x in ("Heat", "Ali")]),
            "Heat and Ali were directed by Ann Lee.",
        ),
        (
            reached(["^member_of"], list("ABCD"), [(x, "member_of", "Arab League") for x in "ABCD"], kind="Country"),
            "4 countries are members of the Arab League: A, B, C and D.",
        ),
        (
            reached(["^currency"], list("ABCD"), [(x, "currency", "Euro") for x in "ABCD"], kind="Country"),
            "Euro is the currency of 4 countries: A, B, C and D.",
        ),
        (
            reached(["in_state"], ["Ohio"], [("Akron", "in_state", "Ohio")]),
            "Akron is in the state Ohio.",
        ),
        (
            reached(["population"], ["66987244"], [("France", "population", "66987244")]),
            "The population of France is 66,987,244.",
        ),
        (reached(["capital"], ["Vienna"], [("Austria", "anthem", "x")]), "The answer is Vienna."),
    ],
)
def test_a_sentence_states_the_answers_of_a_path(response: RetrieveResponse, sentence: str) -> None:
    assert path_sentence(response) == sentence


NAMES = st.lists(
    st.sampled_from(["INC-2003", "ann@example.org", "/a/B.c", "🚀 X", "القاهرة", "A, B", "x and y", "10115", "Who?"]),
    min_size=1,
    unique=True,
)


@given(
    NAMES,
    st.sampled_from(["capital", "^capital", "rpts_to", "^DIRECTED", "drives_on_side", "member_of", "^in_state", "won"]),
    st.sampled_from([None, "Person", "TimeZone"]),
)
def test_every_answer_is_copied(names: list[str], relation: str, kind: str | None) -> None:
    bare = relation.removeprefix("^")
    facts = [(name, bare, "Topic") if relation.startswith("^") else ("Topic", bare, name) for name in names]
    sentence = path_sentence(reached([relation], names, facts, kind=kind))
    assert all(name in sentence for name in names)
    assert "Topic" in sentence
    assert sentence[-1] in ".?!"


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        (planned(AnswerType.BOOLEAN, [True], "France borders Spain."), "Yes: France borders Spain."),
        (
            planned(AnswerType.BOOLEAN, [False], "No fact states that France borders Peru."),
            "No: no fact states that France borders Peru.",
        ),
        (planned(AnswerType.BOOLEAN, [True], "A.", "B."), "Yes."),
        (
            planned(AnswerType.NUMBER, [9], "9 countries border Peru: A and 8 more.", is_summary=True),
            "9 countries border Peru: A and 8 more.",
        ),
        (planned(AnswerType.NUMBER, [9]), "The answer is 9."),
        (
            planned(AnswerType.ENTITIES, ["China"], "China borders India. China uses the yuan.", kind="Country"),
            "The answer is China. China borders India. China uses the yuan.",
        ),
        (planned(AnswerType.ENTITIES, ["A", "B"], "x", kind="Country"), "The graph lists 2 countries: A and B."),
        (
            planned(
                AnswerType.ROWS,
                ["Europe", "Asia"],
                columns=["continent", "num_countries"],
                rows=[["Europe", 9], ["Asia", 7]],
            ),
            "The graph lists 2 continents: Europe (number countries: 9) and Asia (number countries: 7).",
        ),
    ],
)
def test_a_sentence_states_the_result_of_a_plan(response: RetrieveResponse, sentence: str) -> None:
    assert plan_answer(response) == sentence


@pytest.mark.parametrize(
    ("type_", "value", "fact", "text", "answer"),
    [
        (AnswerType.ENTITIES, "Ann", ("Heat", "director", "Ann"), "The director of Heat is Ann.", "="),
        (AnswerType.VALUES, "PT26M", ("Lap", "time", "PT26M"), "The time of Lap is 26 minutes.", "="),
        (
            AnswerType.ENTITIES,
            "Lap",
            ("Lap", "on stage", "Cliff"),
            "Lap: on stage Cliff.",
            "Lap is on the stage Cliff.",
        ),
        (AnswerType.ENTITIES, "Lap", ("Lap", "kind", "Race"), "The kind of Lap is race.", "The answer is Lap."),
        (AnswerType.NUMBER, 1988, ("Lap", "founded", "1988"), "Lap: founded 1988.", "Lap was founded in 1988."),
        (
            AnswerType.VALUES,
            "2027-03-01",
            ("Lap", "warranty_until", "2027-03-01"),
            "Lap: warranty until 2027-03-01.",
            "Lap has a warranty until 2027-03-01.",
        ),
        (AnswerType.VALUES, "P10D", ("Lap", "downtime", "P10D"), "The downtime of Lap is 10 days.", "="),
        (
            AnswerType.VALUES,
            "2019-01-01",
            ("Ann LED Core", "since", "2019-01-01"),
            "Ann led Core (since 2019-01-01).",
            "=",
        ),
        (AnswerType.NUMBER, 12, ("Lap", "length", "12"), "The length of Lap is 12.", "="),
        (AnswerType.NUMBER, 12, ("Lap", "length", "13"), "The length of Lap is 13.", "The answer is 12."),
    ],
)
def test_a_single_fact_is_the_answer(type_: AnswerType, value: Any, fact: Fact, text: str, answer: str) -> None:
    evidence = Evidence(triples=[Triple(*fact)], text=text)
    response = planned(type_, [value]).model_copy(update={"plan_evidence": [evidence]})
    assert plan_answer(response) == answer.replace("=", text)


def test_a_duration_of_the_graph_is_said_whatever_its_name() -> None:
    evidence = [Evidence(triples=[Triple("Lap", "took", "P7D")], text="Lap: took 7 days.")]
    changed = {"plan_evidence": evidence, "durations": ["took"]}
    assert "7 days" in plan_answer(planned(AnswerType.VALUES, ["P7D"]).model_copy(update=changed))


def test_the_runner_up_is_no_part_of_the_answer() -> None:
    facts = [Triple("Lap", "date", "2023-12-28"), Triple("Dash", "date", "2023-03-21")]
    text = "The date of Lap is 2023-12-28. The date of Dash is 2023-03-21. Next is Dash, with a date of 2023-03-21."
    evidence = [Evidence(triples=facts, text=text)]
    response = planned(AnswerType.VALUES, ["2023-12-28"]).model_copy(update={"plan_evidence": evidence})
    assert plan_answer(response) == "The date of Lap is 2023-12-28."


def test_no_gives_a_better_reason_than_a_count_of_zero() -> None:
    count, absence = "The number of cities is 0.", "No fact states that Toronto is the capital of Canada."
    evidence = Evidence(triples=[], text=f"{count} {absence}", summary=count)
    response = planned(AnswerType.BOOLEAN, [False]).model_copy(update={"plan_evidence": [evidence]})
    assert plan_answer(response) == "No: no fact states that Toronto is the capital of Canada."


def test_a_name_with_an_article_keeps_its_case_after_yes() -> None:
    evidence = Evidence(triples=[Triple("The Hague", "located_in", "Netherlands")], text="The Hague is in Netherlands.")
    response = planned(AnswerType.BOOLEAN, [True]).model_copy(update={"plan_evidence": [evidence]})
    assert plan_answer(response) == "Yes: The Hague is in Netherlands."


def test_of_many_rows_some_are_listed() -> None:
    rows = [[f"Land {number}", number] for number in range(30)]
    found = planned(AnswerType.ROWS, [row[0] for row in rows], columns=["country", "count"], rows=rows)
    assert plan_answer(found).endswith("Land 9 (count: 9) and 20 more.")
