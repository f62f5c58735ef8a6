"""How schemathesis is run over a server's OpenAPI document."""

from tests.kgqa_up import LLM_KEY

# Not those of data that ought to be accepted or rejected: unknown headers are always accepted, as HTTP wants it, and
# whether a topic entity exists is more than a document can say.
_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,unsupported_method,allow_header_conformance"
)


def command(url: str, seconds: int, seed: int) -> list[str]:
    """Generate valid and invalid requests for `seconds`, following the document's links."""
    return [
        "schemathesis.cli", "run", f"{url}/openapi.json", "--max-time", str(seconds), "--mode", "all",
        "--phases", "examples,coverage,fuzzing,stateful", "--checks", _CHECKS,
        "--request-timeout", "120", "--seed", str(seed), "--no-shrink", "--suppress-health-check", "all",
        "--header", f"Authorization: Bearer {LLM_KEY}",
    ]  # fmt: skip
