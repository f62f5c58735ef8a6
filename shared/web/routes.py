"""Find the routes of an app that a request is for."""

from collections.abc import Iterable, Iterator

from starlette.routing import BaseRoute, Match
from starlette.types import Scope


def route_of(scope: Scope) -> str:
    """Return the route's path template, even if a middleware rejected the request before routing."""
    if "route" not in scope and "app" in scope:
        return next((_path(route) for route in _matching(scope["app"].routes, scope)), "unmatched")
    return _path(scope.get("route"))


def allowed_methods(scope: Scope) -> list[str]:
    """Return the methods of all routes with the path of a request; Starlette knows only those of the first one."""
    methods: set[str] = set()
    for route in _matching(scope["app"].routes, scope):
        methods |= getattr(route, "methods", None) or set()
    return sorted(methods)


def _path(route: BaseRoute | None) -> str:
    return str(getattr(route, "path", "unmatched"))


def _matching(routes: Iterable[BaseRoute], scope: Scope) -> Iterator[BaseRoute]:
    """Yield the routes whose path matches, also those of included routers, which FastAPI keeps whole."""
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from _matching(included.routes, scope)
        elif route.matches(scope)[0] is not Match.NONE:
            yield route
