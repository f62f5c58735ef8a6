import re

from question_sets.records import QuestionRecord
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from shared.text import normalise
from shared.triple import Triple
from training.answerer.examples import training_examples

FACTS = [
    Triple("France", "capital", "Paris"),
    Triple("France", "borders", "Spain"),
    Triple("France", "borders", "Italy"),
    Triple("Spain", "capital", "Madrid"),
    Triple("Italy", "capital", "Rome"),
    Triple("Spain", "currency", "Euro"),
]
QUESTIONS = [
    QuestionRecord(
        question="capitals of the neighbours?", topic="France", answers=("Madrid", "Rome"), path=("borders", "capital")
    ),
    QuestionRecord(question="who sings?", topic="France", answers=(), path=()),
]


def test_prompt_t2_is_the_papers() -> None:
    assert answer_prompt("It {is} Paris.", "Where?") == (
        "Below are the facts that might be relevant to answer the question: It {is} Paris. Question: Where? Answer:"
    )
    assert answer_prompt("", "{knowledge}?").endswith(" Question: {knowledge}? Answer:")


def test_same_seed_same_examples() -> None:
    assert training_examples(30, FACTS, QUESTIONS, 5) == training_examples(30, FACTS, QUESTIONS, 5)
    assert training_examples(30, FACTS, QUESTIONS, 5) != training_examples(30, FACTS, QUESTIONS, 6)


def test_every_answer_is_in_the_facts_or_not_known() -> None:
    examples = training_examples(300, FACTS, QUESTIONS, 1)
    unknown = [e for e in examples if e.completion == I_DO_NOT_KNOW]
    assert 0 < len(unknown) < 60
    for example in examples:
        if example.completion == I_DO_NOT_KNOW:
            continue
        facts = normalise(example.prompt.rsplit(" Question: ", 1)[0])
        names = example.completion.split(" and ")[0].split("; ")[0].split(", ")[0]
        assert normalise(names) in facts


def test_written_questions_are_answered_from_their_path() -> None:
    examples = [e for e in training_examples(300, FACTS, QUESTIONS, 2) if "capitals of the neighbours?" in e.prompt]
    answered = {e.completion for e in examples if e.completion != I_DO_NOT_KNOW}
    assert answered
    assert answered <= {"Madrid and Rome", "Rome and Madrid"}


def test_another_graphs_relations_are_not_asked_for_as_the_demos() -> None:
    facts = [Triple(f"Bistro {n}", "serves", f"Dish {n % 7}") for n in range(20)]
    facts += [Triple(f"Tool {n}", "written_in", f"Tongue {n % 5}") for n in range(20)]
    prompts = [e.prompt for e in training_examples(400, facts, []) if re.search(r"(Bistro|Tool) \d", e.prompt)]
    questions = [prompt.rsplit(" Question: ", 1)[1] for prompt in prompts]
    assert len(questions) > 100
    assert not [prompt for prompt in prompts if re.search(r"airport|cit(y|ies)|script", prompt)]
    assert any(re.search(r"serves? .*Dish \d|Bistro \d+ serve", question) for question in questions)


def test_examples_come_in_every_format() -> None:
    prompts = [e.prompt for e in training_examples(300, FACTS, QUESTIONS, 3)]
    assert any("(France, " in prompt for prompt in prompts)
    assert any("France:\n  " in prompt for prompt in prompts)
    assert any("The capital of Spain is Madrid." in prompt for prompt in prompts)
