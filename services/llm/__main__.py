"""Run the embedded language model: `python -m services.llm`."""

import argparse
import logging

from services.llm.app import STOP_TIMEOUT_S, create_app
from services.llm.engine import EmbeddedModels
from services.llm.errors import as_openai_error
from services.llm.model_files import adapter_files, base_model_file
from services.llm.settings import DEFAULT_PORT, read_key
from shared.errors import KGQAError
from shared.logs import log_to_stderr
from shared.processes import bound_output, exit_on_sigterm, stop_with_parent
from shared.web.server import run

_LOG = logging.getLogger(__name__)
_EXPECTED_ADAPTERS = ("rewriter", "answerer")


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m services.llm",
        description="Serve the embedded language model over OpenAI's HTTP API. Set KGQA_EMBEDDED_LLM_API_KEY.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port to listen on (default %(default)s)")
    parser.add_argument("--graph", help="serve the adapters trained for this graph, if it has any")
    levels = ["DEBUG", "INFO", "WARNING", "ERROR"]
    parser.add_argument("--log-level", default="INFO", choices=levels, help="lowest level to log (default %(default)s)")
    options = parser.parse_args()
    log_to_stderr(options.log_level)
    stop_with_parent()
    bound_output()
    exit_on_sigterm()
    try:
        key = read_key()
        adapters = adapter_files(options.graph)
        for name in _EXPECTED_ADAPTERS:
            if name not in adapters:
                _LOG.warning("the adapter %s.gguf is missing, so the model %r is not served", name, name)
        models = EmbeddedModels(base_model_file(), adapters)
    except KGQAError as error:
        raise SystemExit(f"the embedded language model cannot start: {error}") from error
    _LOG.info("serving %s at http://%s:%d/v1", ", ".join(models.names), options.host, options.port)
    run(create_app(models, key), options.host, options.port, STOP_TIMEOUT_S, as_openai_error)


main()
