"""Serve the files of a page from memory."""

import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from shared.errors import NotFoundError

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
# Browsers ask each time whether a file has changed, so that no page mixes the files of two versions.
_REVALIDATE = "no-cache"


@dataclass(frozen=True, slots=True)
class _Asset:
    content: bytes
    media_type: str
    etag: str


class Assets:
    """Hold the files directly in a folder, which are read once; no other file can be requested."""

    def __init__(self, folder: Path) -> None:
        self._assets = {file.name: _read(file) for file in sorted(folder.iterdir()) if file.is_file()}

    def response(self, name: str, request: Request, policy: str | None = None) -> Response:
        """Return a file, or 304 if the browser has it; `policy` is the Content-Security-Policy of a page.

        Raises:
            NotFoundError: If the folder has no such file.
        """
        asset = self._assets.get(name)
        if asset is None:
            raise NotFoundError(f"this page has no file {name!r}")
        headers = {"ETag": asset.etag, "Cache-Control": _REVALIDATE}
        if policy is not None:
            headers["Content-Security-Policy"] = policy
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(asset.content, headers=headers, media_type=asset.media_type)


def _read(file: Path) -> _Asset:
    content = file.read_bytes()
    return _Asset(content, _TYPES[file.suffix], f'"{hashlib.sha256(content).hexdigest()[:32]}"')
