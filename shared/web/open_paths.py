"""Tell which paths need no API key."""

from collections.abc import Collection


class OpenPaths:
    """Contain the given paths, and those below the given paths that end with a slash, except `/` itself."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._folders = tuple(path for path in paths if path.endswith("/") and path != "/")

    def __contains__(self, path: str) -> bool:
        return path in self._paths or path.startswith(self._folders)
