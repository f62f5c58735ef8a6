"""Create the applications of servers, before they have routes, errors, and middleware."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI

from shared import __version__

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def application(title: str, description: str, lifespan: Lifespan) -> FastAPI:
    """Create an application of this version without FastAPI's own pages, which load scripts from other hosts."""
    return FastAPI(
        title=title,
        description=description,
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
