import json

import pytest

from services.answerer.chat.front_end_tasks import task_reply, without_passages

HISTORY = "<chat_history>\nUSER: which films did ann lee direct?\nASSISTANT: Dusk\n</chat_history>"


def marked(key: str, value: str) -> str:
    return f'### Task:\nDo something with this.\n### Output:\nJSON format: {{ "{key}": {value} }}\n### Chat:\n{HISTORY}'


@pytest.mark.parametrize(
    ("key", "value", "reply"),
    [
        ("title", '"a short one"', {"title": "Which films did ann lee direct"}),
        ("tags", '["a", "b"]', {"tags": []}),
        ("follow_ups", '["a?"]', {"follow_ups": []}),
        ("queries", '["a"]', {"queries": []}),
        ("text", '"..."', {"text": ""}),
        ("prompt", '"..."', {"prompt": ""}),
    ],
)
def test_marked_tasks_get_the_json_that_they_ask_for(key: str, value: str, reply: object) -> None:
    said = task_reply([("user", marked(key, value))])
    assert said is not None
    assert json.loads(said) == reply


@pytest.mark.parametrize(
    "prompt",
    [
        'Please write a title of few words for the conversation.\n\n||>User:\n"which films did ann lee direct?"\n',
        "Summarize our conversation as a four word title.",
        "Based on the messages above, give this conversation a name of ten characters.",
    ],
)
def test_titles_in_plain_text(prompt: str) -> None:
    messages = [("user", "which films did ann lee direct?"), ("assistant", "Dusk"), ("user", prompt)]
    assert task_reply(messages) == "Which films did ann lee direct"


def test_instructions_may_be_in_a_system_message() -> None:
    assert (
        task_reply([("system", "Generate a title for the conversation."), ("user", "who wrote Dusk?")])
        == "Who wrote Dusk"
    )


def test_tools_are_not_called() -> None:
    assert task_reply([("system", "Available Tools: []"), ("user", "Query: who?")]) == '{"tool_calls": []}'


@pytest.mark.parametrize(
    "question",
    [
        "Which films did Ann Lee direct?",
        "What is the title of the film about the conversation?",
        "Give the name of the director of The Conversation.",
        "Who has the task of writing titles?",
        "List the titles of all films.",
    ],
)
def test_questions_are_for_the_graph(question: str) -> None:
    assert task_reply([("user", "Hi"), ("assistant", "Hello"), ("user", question)]) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "### Task:\nUse the passages.\n<context>\nDusk\n</context>\n\n<user_query>\nWho wrote Dusk?\n</user_query>\n",
        "### Task:\nAnswer with the passages.\n<context>\nDusk is a film.\n</context>\n\nWho wrote Dusk?",
    ],
)
def test_a_question_with_passages_is_a_question(prompt: str) -> None:
    assert task_reply([("user", prompt)]) is None
    assert without_passages(prompt) == "Who wrote Dusk?"
