"""Attack the servers from one process: `python -m tests.support.attackers SECONDS URL...`.

The URLs are those of the answerer, the retriever, the rewriter, and the embedded language model, whose key is in
`KGQA_EMBEDDED_LLM_API_KEY`. Prints the number of attacks by kind as JSON.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence

import aiohttp
import httpx

CHARACTERS = 1000
# Seven such clients made the answerer unready before linking had a time budget.
_CJK_CLIENTS = 7
_STALLED = 64
_SILENT = 64
_CJK = (0x4E00, 0x9FFF)

Attack = Callable[[Sequence[str], float, Counter[str]], Awaitable[None]]


async def attack(urls: Sequence[str], seconds: float) -> Counter[str]:
    """Run all attacks at once for `seconds`, and return the number of attacks by kind."""
    # Real attackers use other machines; their CPU time must not slow the servers here.
    os.nice(10)
    made: Counter[str] = Counter()
    until = time.monotonic() + seconds
    attacks: list[Attack] = [endless_headers, stalled_bodies, silence, resets, abandoned_completions, abandoned_texts]
    attacks += [cjk_questions] * _CJK_CLIENTS
    await asyncio.gather(*(one(urls, until, made) for one in attacks))
    return made


async def endless_headers(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Send a header value of 30 MB to one server after another."""
    while time.monotonic() < until:
        for url in urls:
            with contextlib.suppress(OSError):
                _, writer = await _connected(url)
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
                for _ in range(480):
                    writer.write(b"a" * 65_536)
                    await writer.drain()
                writer.close()
            made["endless headers"] += 1
            await asyncio.sleep(0.1)


async def stalled_bodies(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Hold many requests open after sending one byte of each body."""
    head = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    begun = {url: (head % route).encode() for url, route in zip(urls, ROUTES, strict=True)}
    await _hold(begun, _STALLED, "stalled bodies", until, made)


async def silence(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Hold many connections open without sending anything."""
    await _hold(dict.fromkeys(urls, b""), _SILENT, "silent connections", until, made)


async def _hold(begun: Mapping[str, bytes], most: int, name: str, until: float, made: Counter[str]) -> None:
    """Open connections to each URL, send only the given start of a request, and keep the last `most` of them open."""
    held: list[asyncio.StreamWriter] = []
    while time.monotonic() < until:
        for url, sent in begun.items():
            with contextlib.suppress(OSError):
                _, writer = await _connected(url)
                writer.write(sent)
                held.append(writer)
            made[name] += 1
        for writer in held[:-most]:
            writer.transport.abort()
        held = held[-most:]
        await asyncio.sleep(0.02)


async def resets(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Reset connections in the middle of a request."""
    while time.monotonic() < until:
        for url in urls:
            with contextlib.suppress(OSError):
                _, writer = await _connected(url)
                writer.write(b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Le")
                await writer.drain()
                raw: socket.socket = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            made["resets"] += 1
        await asyncio.sleep(0.02)


async def cjk_questions(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Ask questions of random Chinese characters at the maximum length, one after another."""
    chosen = random.Random(made.total())
    async with aiohttp.ClientSession() as session:
        while time.monotonic() < until:
            question = "".join(chr(chosen.randint(*_CJK)) for _ in range(CHARACTERS))
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with session.post(f"{urls[0]}/ask", json={"question": question}) as reply:
                    made[f"CJK questions answered {reply.status}"] += 1
                    await reply.read()


async def abandoned_completions(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Request long completions from the language model, and disconnect."""
    key = os.environ["KGQA_EMBEDDED_LLM_API_KEY"]
    for model in itertools.cycle(("smollm2", "answerer")):
        body = {
            "model": model,
            "messages": [{"role": "user", "content": "Tell a long story. " * 50}],
            "max_tokens": 300,
        }
        await _ask_and_leave(f"{urls[3]}{ROUTES[3]}", body, {"Authorization": f"Bearer {key}"}, made)
        if time.monotonic() >= until:
            return


async def abandoned_texts(urls: Sequence[str], until: float, made: Counter[str]) -> None:
    """Request texts of many facts from the rewriter, and disconnect."""
    number = 0
    while time.monotonic() < until:
        number += 1
        facts = [{"subject": f"Place {number}", "relation": "borders", "object": f"Land {i}"} for i in range(10)]
        body = {"evidence": [{"triples": facts}] * 3, "format": "text", "graph_version": "0"}
        await _ask_and_leave(f"{urls[2]}{ROUTES[2]}", body, {}, made)


async def _ask_and_leave(url: str, body: object, headers: dict[str, str], made: Counter[str]) -> None:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.5), headers=headers) as session:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with session.post(url, json=body) as reply:
                await reply.read()
    made["abandoned model requests"] += 1
    await asyncio.sleep(1.5)


ROUTES = ("/ask", "/retrieve", "/rewrite", "/v1/chat/completions")


async def _connected(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = httpx.URL(url)
    return await asyncio.open_connection(parts.host, parts.port)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(attack(sys.argv[2:], float(sys.argv[1])))))
