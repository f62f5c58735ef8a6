"""Recognise what chat front ends ask of a model besides the user's questions, such as a title for the conversation.

Open WebUI marks these prompts with `### Task:`, and LibreChat and others write them out. None of them is a question
about the graph.
"""

import json
import re
from collections.abc import Mapping, Sequence

from language.english.english import english
from language.marks import Mark

_MAX_TITLE_WORDS = 8
_MAX_TITLE_CHARACTERS = 60
_DEFAULT_TITLE = "Conversation"

_TASK = re.compile(r"\s*#{1,4} *task\b", re.IGNORECASE)
_TOOLS = re.compile(r"\s*available tools\s*:", re.IGNORECASE)
# The first turn of a conversation that a prompt quotes: `USER: ...` (Open WebUI), `||>User:\n"..."` (LibreChat).
_QUOTED_QUESTION = re.compile(
    r"^(?:\|\|>)?[ \t]*(?:user|human)[ \t]*:\s*\"?(?P<question>[^\n\"]+)", re.IGNORECASE | re.MULTILINE
)
_PASSAGES = re.compile(r"<context>.*</context>", re.DOTALL)
_USER_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)

# The key of the JSON object that a task prompt asks for, with the reply that suggests nothing.
_EMPTY_REPLIES: Mapping[str, object] = {"tags": [], "follow_ups": [], "queries": [], "text": "", "prompt": ""}


def task_reply(messages: Sequence[tuple[str, str]]) -> str | None:
    """Return the reply to a front end's own prompt, or None if the last message is for the graph.

    Args:
        messages: The role and the text of each message.
    """
    instructions = "\n".join(text for role, text in messages if role == "system")
    if _TOOLS.match(instructions):
        return json.dumps({"tool_calls": []})
    prompt = messages[-1][1]
    if _TASK.match(prompt):
        return None if _PASSAGES.search(prompt) else _marked_task(prompt)
    is_title = any(map(_wants_title, (prompt, instructions)))
    return _title(messages) if is_title else None


def without_passages(text: str) -> str:
    """Return the user's question from a prompt into which a front end put passages of documents."""
    if not _PASSAGES.search(text):
        return text
    if marked := _USER_QUERY.search(text):
        return marked[1]
    return _PASSAGES.split(text)[-1].strip()


def _marked_task(prompt: str) -> str:
    instructions, _, _ = prompt.partition("<chat_history>")
    if re.search(r"\"title\"\s*:", instructions):
        return json.dumps({"title": _title([("user", prompt)])}, ensure_ascii=False)
    for key, nothing in _EMPTY_REPLIES.items():
        if re.search(rf"\"{key}\"", instructions):
            return json.dumps({key: nothing})
    return _title([("user", prompt)]) if re.search(r"\btitle\b", instructions) else ""


def _title(messages: Sequence[tuple[str, str]]) -> str:
    """Return the first question of the conversation, shortened to a title."""
    questions = [text for role, text in messages if role == "user" and not _is_instruction(text)]
    quoted = _QUOTED_QUESTION.search(messages[-1][1])
    question = quoted["question"] if quoted else next(iter(questions), "")
    words = question.strip(" \t\"'?!.…").split()[:_MAX_TITLE_WORDS]
    title = " ".join(words)[:_MAX_TITLE_CHARACTERS].strip()
    return f"{title[0].upper()}{title[1:]}" if title else _DEFAULT_TITLE


def _is_instruction(text: str) -> bool:
    return bool(_TASK.match(text)) or _wants_title(text)


def _wants_title(text: str) -> bool:
    prompt = english(text)
    return prompt.says(Mark.WANTS_TITLE) and prompt.says(Mark.CONVERSATION)
