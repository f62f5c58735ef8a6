"""The embedded language model as a server of its own: `python -m shared.llm.embedded`, or `embedded_server()`.

Importing this module is cheap: the web framework and llama.cpp are loaded in the server's process only.
"""

import argparse
import logging
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from shared.errors import DependencyError, KGQAError
from shared.llm.embedded_model import adapter_files, base_model_file
from shared.output import bound_output
from shared.processes import end_well_on_sigterm, free_port, port_is_free, start_module, stop, stop_with_starter

DEFAULT_PORT = 8003
_LOG = logging.getLogger(__name__)
_EXPECTED_ADAPTERS = ("rewriter", "answerer")
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 5.0


@contextmanager
def embedded_server(port: int | None = None, graph: str | None = None) -> Iterator[str]:
    """Run the server in a process of its own on loopback; gives its base URL, and stops it in the end.

    `port`: by default a free one; `graph`: the one whose own adapters are served, where it has any. Raises
    DependencyError when it does not start. It also ends when this process does.
    """
    if port and not port_is_free("127.0.0.1", port):
        raise DependencyError(f"the embedded language model cannot listen on port {port}: it is in use")
    chosen = port or free_port()
    url = f"http://127.0.0.1:{chosen}"
    arguments = ["--port", str(chosen), "--log-level", "WARNING", *(["--graph", graph] if graph else [])]
    process = start_module("shared.llm.embedded", *arguments, environment=os.environ)
    try:
        _wait_until_up(process, url)
        yield url
    finally:
        stop(process, _STOP_TIMEOUT_S)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    options = _options(arguments)
    logging.basicConfig(level=options.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop_with_starter()
    bound_output()
    end_well_on_sigterm()
    adapters = adapter_files(options.graph)
    for name in _EXPECTED_ADAPTERS:
        if name not in adapters:
            _LOG.warning("no adapter %s.gguf beside this module: the model %r is not served", name, name)
    # Loaded here and not above, so that a process that only starts the server does not pay for them.
    from shared.llm.embedded_app import serve
    from shared.llm.embedded_engine import EmbeddedModels

    try:
        models = EmbeddedModels(base_model_file(), adapters)
    except KGQAError as error:
        raise SystemExit(f"the embedded language model cannot start: {error}") from error
    _LOG.info("serving %s at http://%s:%d/v1", ", ".join(models.names), options.host, options.port)
    serve(models, options.host, options.port)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m shared.llm.embedded", description="Serve the embedded language model over OpenAI's HTTP API."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port to listen on (default %(default)s)")
    parser.add_argument("--graph", help="serve the adapters that were trained for this graph, where there are any")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    return parser.parse_args(arguments)


def _wait_until_up(process: "subprocess.Popen[bytes]", url: str) -> None:
    # A proxy set in the environment must not be asked for this machine's own server.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DependencyError(f"the embedded language model server ended with {process.returncode}; see its output")
        try:
            with opener.open(f"{url}/healthz", timeout=1.0):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise DependencyError(f"the embedded language model server at {url} did not start within {_START_TIMEOUT_S:.0f} s")


if __name__ == "__main__":
    main()
