"""Serve a fake language model that does nothing but wait: `python -m tests.support.stub_model PORT MS QUESTIONS`.

It uses almost no CPU. It verbalises facts as templates do, and knows the gold answers of a question file, so that its
texts pass the services' checks.
"""

import argparse
import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from question_sets.records import read_questions
from services.answerer.prompts import answer_prompt
from services.rewriter.prompts import rewrite_prompt
from shared.triple import Triple
from texts.verbalise.template import as_sentences, join_names

_FACT = re.compile(r"\(([^(),]+), ([^(),]+), ([^(),]+)\)")
_REWRITE_START = rewrite_prompt("\0").split("\0")[0]
_QUESTION_START, _QUESTION_END = answer_prompt("\0", "\1").split("\0")[1].split("\1")
_MODELS = {"data": [{"id": name} for name in ("rewriter", "answerer")]}


def stub(seconds: float, answers: dict[str, str]) -> ASGIApp:
    """Return an OpenAI-compatible app whose streams have a word at a time.

    A completion takes `seconds` on average, and up to half of that more or less, because clients that wait for
    completions of equal times would ask in step.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await Request(scope, receive).body()
        if scope["method"] == "GET":
            await JSONResponse(_MODELS)(scope, receive, send)
            return
        request = json.loads(body)
        text = _complete(request["messages"][0]["content"], answers)
        taken = seconds * random.uniform(0.5, 1.5)
        if request.get("stream"):
            await StreamingResponse(_words(text, taken), media_type="text/event-stream")(scope, receive, send)
            return
        await asyncio.sleep(taken)
        await JSONResponse({"choices": [{"message": {"content": text}}]})(scope, receive, send)

    return app


async def _words(text: str, seconds: float) -> AsyncIterator[str]:
    words = re.findall(r"\S+\s*", text)
    for word in words:
        await asyncio.sleep(seconds / len(words))
        yield f"data: {json.dumps({'choices': [{'delta': {'content': word}}]})}\n\n"
    yield f"data: {json.dumps({'choices': [{'delta': {}, 'finish_reason': 'stop'}]})}\n\ndata: [DONE]\n\n"


def _complete(prompt: str, answers: dict[str, str]) -> str:
    if prompt.startswith(_REWRITE_START):
        found = _FACT.findall(prompt)
        return as_sentences([Triple(s, r, o) for s, r, o in found])
    question = prompt.rpartition(_QUESTION_START)[2].removesuffix(_QUESTION_END)
    return answers.get(question, "")


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("milliseconds", type=float)
    parser.add_argument("questions", type=Path)
    arguments = parser.parse_args()
    answers = {record.question: join_names(record.answers) for record in read_questions(arguments.questions)}
    app = stub(arguments.milliseconds / 1000, answers)
    uvicorn.run(app, host="127.0.0.1", port=arguments.port, access_log=False, log_level="warning", lifespan="off")


if __name__ == "__main__":
    main()
