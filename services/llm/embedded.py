"""The embedded language model as a server of its own: `python -m services.llm`, or `embedded_server()`.

It asks for the key in `KGQA_EMBEDDED_LLM_API_KEY`. Importing this module is cheap: the web framework and llama.cpp are
loaded in the server's process only.
"""

import argparse
import logging
import os
import secrets
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.llm.model import adapter_files, base_model_file
from shared.errors import DependencyError, InvalidInputError, KGQAError
from shared.log_files import bound_output
from shared.outbound import probe
from shared.processes import end_well_on_sigterm, free_port, port_is_free, start_module, stop, stop_with_starter
from shared.settings import load_settings

DEFAULT_PORT = 8003
KEY_VARIABLE = "KGQA_EMBEDDED_LLM_API_KEY"
_LOG = logging.getLogger(__name__)
_EXPECTED_ADAPTERS = ("rewriter", "answerer")
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """Where a running server answers, and the key that it asks for."""

    url: str
    api_key: str = field(repr=False)


@contextmanager
def embedded_server(port: int | None = None, graph: str | None = None) -> Iterator[EmbeddedServer]:
    """Run the server in a process of its own on loopback, with a random key, and stop it in the end.

    `port`: by default a free one; `graph`: the one whose own adapters are served, where it has any. Raises
    DependencyError when it does not start. It also ends when this process does.
    """
    if port and not port_is_free("127.0.0.1", port):
        raise DependencyError(f"the embedded language model cannot listen on port {port}: it is in use")
    chosen = port or free_port()
    server = EmbeddedServer(f"http://127.0.0.1:{chosen}", random_key())
    arguments = ["--port", str(chosen), "--log-level", "WARNING", *(["--graph", graph] if graph else [])]
    environment = {**os.environ, KEY_VARIABLE: server.api_key}
    process = start_module("services.llm", *arguments, environment=environment)
    try:
        _wait_until_up(process, server.url)
        yield server
    finally:
        stop(process, _STOP_TIMEOUT_S)


def random_key() -> str:
    """A key for a server that is started now."""
    return secrets.token_urlsafe(32)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    options = _options(arguments)
    logging.basicConfig(level=options.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop_with_starter()
    bound_output()
    end_well_on_sigterm()
    try:
        key = _key()
    except InvalidInputError as error:
        raise SystemExit(f"the embedded language model cannot start: {error}") from error
    adapters = adapter_files(options.graph)
    for name in _EXPECTED_ADAPTERS:
        if name not in adapters:
            _LOG.warning("no adapter %s.gguf beside this module: the model %r is not served", name, name)
    # Loaded here and not above, so that a process that only starts the server does not pay for them.
    from services.llm.app import serve
    from services.llm.engine import EmbeddedModels

    try:
        models = EmbeddedModels(base_model_file(), adapters)
    except KGQAError as error:
        raise SystemExit(f"the embedded language model cannot start: {error}") from error
    _LOG.info("serving %s at http://%s:%d/v1", ", ".join(models.names), options.host, options.port)
    serve(models, key, options.host, options.port)


class EmbeddedSettings(BaseSettings):
    """Settings of the embedded server, from the environment or a mounted file: `KGQA_EMBEDDED_LLM_API_KEY`."""

    model_config = SettingsConfigDict(env_prefix="KGQA_EMBEDDED_LLM_", extra="ignore")

    api_key: SecretStr = SecretStr("")


def _key() -> str:
    """Read the key, without the line end that a mounted secret often has. Raises InvalidInputError."""
    key = load_settings(EmbeddedSettings).api_key.get_secret_value().strip()
    if not key:
        raise InvalidInputError(
            f"set {KEY_VARIABLE} to the key that its clients send, such as the output of `openssl rand -hex 32`"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidInputError(f"the key in {KEY_VARIABLE} has characters that no header can carry; set another")
    return key


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m services.llm", description="Serve the embedded language model over OpenAI's HTTP API."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port to listen on (default %(default)s)")
    parser.add_argument("--graph", help="serve the adapters that were trained for this graph, where there are any")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    return parser.parse_args(arguments)


def _wait_until_up(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DependencyError(f"the embedded language model server ended with {process.returncode}; see its output")
        if probe.get(f"{url}/healthz", timeout_s=1.0):
            return
        time.sleep(0.05)
    raise DependencyError(f"the embedded language model server at {url} did not start within {_START_TIMEOUT_S:.0f} s")
