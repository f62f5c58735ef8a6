"""Build the command that runs schemathesis on a server's OpenAPI document."""

from tests.support.command_line import LLM_KEY

# The checks for rejected and accepted data are left out: HTTP requires servers to accept unknown headers, and an
# OpenAPI document cannot express whether a topic entity exists.
_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,unsupported_method,allow_header_conformance"
)


def schemathesis_command(url: str, seconds: int, seed: int) -> list[str]:
    """Return the command that sends valid and invalid requests for `seconds`, and follows the document's links."""
    return [
        "schemathesis.cli", "run", f"{url}/openapi.json", "--max-time", str(seconds), "--mode", "all",
        "--phases", "examples,coverage,fuzzing,stateful", "--checks", _CHECKS,
        "--request-timeout", "120", "--seed", str(seed), "--no-shrink", "--suppress-health-check", "all",
        "--header", f"Authorization: Bearer {LLM_KEY}",
    ]  # fmt: skip
