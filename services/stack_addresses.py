"""Choose the addresses of the servers of one local stack, and check that they are free."""

import os
from collections.abc import Mapping

from services.llm.settings import DEFAULT_PORT, PORT_VARIABLE
from shared.errors import DependencyError, InvalidInputError
from shared.processes import port_is_free
from shared.settings import ServiceSettings

PORT_OFFSETS = {"answerer": 0, "retriever": 1, "rewriter": 2, "llm": 3}
"""The distance of each server's port from the base port, which is the answerer's."""
LLM = "llm"
SERVER_NAMES = {
    "answerer": "the answerer",
    "retriever": "the retriever",
    "rewriter": "the rewriter",
    LLM: "the embedded language model",
}
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not listened on


def with_addresses(
    settings: Mapping[str, ServiceSettings], host: str | None = None, base_port: int | None = None
) -> dict[str, ServiceSettings]:
    """Return the settings of the services with the answerer at `host` and `base_port`, and the others behind it.

    The other services listen where their own settings say, and otherwise on the ports after `base_port`.
    """
    placed = {}
    for name, given in settings.items():
        changes: dict[str, object] = {}
        if base_port is not None and (name == "answerer" or "port" not in given.model_fields_set):
            changes["port"] = base_port + PORT_OFFSETS[name]
        if host is not None and name == "answerer":
            changes["host"] = host
        placed[name] = given.model_copy(update=changes)
    return placed


def embedded_llm_port(base_port: int | None = None) -> int:
    """Return the port of the embedded language model; raise InvalidInputError if the environment has no valid one."""
    default = DEFAULT_PORT if base_port is None else base_port + PORT_OFFSETS[LLM]
    configured = os.environ.get(PORT_VARIABLE, str(default))
    if not configured.isdecimal() or not 1 <= int(configured) <= 65535:
        raise InvalidInputError(f"the environment variable {PORT_VARIABLE} must be a port number, not {configured!r}")
    return int(configured)


def port_variable(name: str) -> str:
    """Return the environment variable that sets the port of a server."""
    return PORT_VARIABLE if name == LLM else f"KGQA_{name.upper()}_PORT"


def listening_addresses(settings: Mapping[str, ServiceSettings], llm_port: int | None) -> dict[str, tuple[str, int]]:
    """Return the host and the port that each server listens on, by its name, in the order of `PORT_OFFSETS`."""
    addresses = {name: (given.host, given.port) for name, given in settings.items()}
    if llm_port:
        addresses[LLM] = ("127.0.0.1", llm_port)
    return dict(sorted(addresses.items(), key=lambda item: PORT_OFFSETS[item[0]]))


def check_ports(addresses: Mapping[str, tuple[str, int]]) -> None:
    """Raise DependencyError if a port is in use, and InvalidInputError if two servers have the same."""
    taken: dict[int, str] = {}
    for name, (host, port) in addresses.items():
        if port in taken:
            raise InvalidInputError(
                f"{SERVER_NAMES[taken[port]]} and {SERVER_NAMES[name]} both have port {port}; change "
                f"{port_variable(name)}, or --port"
            )
        taken[port] = name
        if not port_is_free(host, port):
            raise DependencyError(
                f"port {port} on {host}, for {SERVER_NAMES[name]}, is in use; stop the program that uses it (another "
                f"kgqa up? see kgqa status), or choose other ports with --port, or this one with {port_variable(name)}"
            )


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens on this address."""
    host = _EVERY_ADDRESS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
