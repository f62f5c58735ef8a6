"""Serve agents on this machine over standard input and output: `kgqa mcp`."""

import asyncio
import os

from kgqa.console import API_KEY_VARIABLE
from kgqa.options import AnswererUrl
from kgqa.running import answerer_url

# Longer than the total time that the answerer waits for the other services and the QA model.
_TIMEOUT_S = 300.0


def mcp(url: AnswererUrl = None) -> None:
    """Serve tools that ask a running kgqa up to an agent, which starts this command. Over HTTP, agents use /mcp."""
    asyncio.run(_serve(answerer_url(url)))


async def _serve(url: str) -> None:
    # Imported here, so that the other commands do not have to load the protocol.
    from mcp.server.stdio import stdio_server

    from services.answerer.chat.evidence_store import EvidenceStore
    from services.answerer.mcp.knowledge import RemoteKnowledge
    from services.answerer.mcp.server import mcp_server

    knowledge = RemoteKnowledge(url, _TIMEOUT_S, os.environ.get(API_KEY_VARIABLE))
    server = mcp_server(knowledge, EvidenceStore())
    try:
        async with stdio_server() as (requests, replies):
            await server.run(requests, replies, server.create_initialization_options())
    finally:
        await knowledge.close()
