"""Create the applications of servers, before they have routes, errors, and middleware."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from fastapi import Depends, FastAPI

from shared import __version__
from shared.web.json_body import require_encodable_body

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def application(title: str, description: str, lifespan: Lifespan) -> FastAPI:
    """Create an application of this version, whose routes receive only JSON that can be written again.

    FastAPI's own pages are left out, because they load scripts from other hosts.
    """
    return FastAPI(
        title=title,
        description=description,
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(require_encodable_body)],
    )
