"""No message shows the password in a URL, even if the URL is mistyped."""

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from graph.neo4j.connection import Connection
from graph.neo4j.settings import Neo4jSettings
from services.answerer.settings import AnswererSettings
from services.rewriter.cache.redis import RedisTextCache
from services.rewriter.settings import RewriterSettings
from shared.errors import InvalidInputError, KGQAError
from shared.llm.client import OpenAIClient
from shared.outbound.http import ServiceClient, reason
from shared.outbound.urls import parse_http_url, redact_url
from shared.settings import load_settings

SECRET = "s3cret"
# Characters that have a meaning in URLs or confuse parsers.
_ODD = st.text(st.sampled_from("@:/?#[]%\\ ab1.\u2100\u00fc\n\t"), max_size=4)
PASSWORDS = st.builds("{}{}{}".format, _ODD, st.just(SECRET), _ODD)
SCHEMES = st.sampled_from(["http", "https", "bolt", "neo4j+s", "redis", "rediss", "htp", ""])
FORMS = st.sampled_from(
    [
        "{scheme}://user:{password}@host:8000/v1",
        "{scheme}://user:{password}@host:port",
        "{scheme}//user:{password}@host:7687",
        "{scheme}:user:{password}@host:7687",
        "{scheme}:/user:{password}@host:7687",
        "{scheme}:///user:{password}@host",
        "{scheme}://:{password}@:6379/0",
        "{scheme}://{password}@host",
        "{scheme}://user:{password}@[::1",
        "{scheme}://user:{password}@host:99999999",
        "{scheme}://user:{password}@host:99999",
        "{scheme}://{scheme}://user:{password}@host:8000",
        "{scheme}://user:12/{password}@host",
        "{scheme}://user:{password}%40host:8000",
        "user:{password}@host",
        " {scheme}://user:{password}@ho st",
    ]
)
URLS = st.one_of(
    st.builds(lambda form, scheme, password: form.format(scheme=scheme, password=password), FORMS, SCHEMES, PASSWORDS),
    # A password with @ or / would make these valid URLs with another host or path.
    st.builds(lambda scheme, odd: f"{scheme}://user:{odd}{SECRET}", SCHEMES, st.text(st.sampled_from(":?#% a.-"))),
)


def _all_messages(error: BaseException) -> str:
    """Return the messages that a traceback of the error would show."""
    said, at = [], error
    while at is not None:
        said.append(str(at))
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)  # type: ignore[assignment]
    return "\n".join(said)


@given(URLS)
def test_no_message_shows_the_password(url: str) -> None:
    assert SECRET not in redact_url(url)
    openers = (
        lambda: parse_http_url(url, "a service"),
        lambda: ServiceClient("answerer", url, 1),
        lambda: OpenAIClient(url, "m"),
        lambda: RedisTextCache(url, ttl_s=1, timeout_s=1, claim_s=1),
        lambda: Connection(Neo4jSettings(url=url, password=SecretStr("p"))),
    )
    for opener in openers:
        try:
            opener()
        except KGQAError as error:
            assert SECRET not in _all_messages(error)


@pytest.mark.parametrize(
    "variable",
    [
        "KGQA_ANSWERER_LLM_URL",
        "KGQA_ANSWERER_RETRIEVER_URL",
        "KGQA_REWRITER_LLM_URL",
        "KGQA_REWRITER_REDIS_URL",
    ],
)
def test_a_malformed_url_is_reported_by_its_variable(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, f"http://user:{SECRET}@host:port")
    with pytest.raises(InvalidInputError, match=variable) as refused:
        load_settings(RewriterSettings if "REWRITER" in variable else AnswererSettings)
    assert SECRET not in _all_messages(refused.value)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("http://user:s3cret@host:8000/v1", "http://host:8000/v1"),
        ("https://api.example.org/openai/v1?key=s3cret", "https://api.example.org/openai/v1"),
        ("redis://:s3cret@cache:6379/0", "redis://cache:6379/0"),
        ("bolt://[::1]:7687", "bolt://[::1]:7687"),
        ("http://münchen.example", "http://münchen.example"),
    ],
)
def test_shows_a_valid_url_without_its_secrets(url: str, safe: str) -> None:
    assert redact_url(url) == safe


@pytest.mark.parametrize("port", [0, 65535])
def test_a_port_is_at_most_65535(port: int) -> None:
    assert parse_http_url(f"http://host:{port}", "a server").port == port
    for beyond in (65536, 99999):
        with pytest.raises(InvalidInputError, match="expected one like"):
            parse_http_url(f"http://user:{SECRET}@host:{beyond}", "a server")


def test_errors_of_the_http_client_do_not_show_the_url() -> None:
    assert reason(aiohttp.InvalidURL(f"http://user:{SECRET}@host:99999/ask")) == "InvalidURL"
    assert reason(aiohttp.InvalidUrlClientError(f"http://user:{SECRET}@host")) == "InvalidUrlClientError"


@pytest.mark.parametrize("url", ["http:/neo4j:{}@host:7687", "bolt:neo4j:{}@host", "bolt://neo4j:{}@host:7687"])
def test_an_invalid_neo4j_url_reports_the_expected_form(url: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        Neo4jSettings(url=url.format(SECRET)).checked_url()
    said = _all_messages(refused.value)
    assert SECRET not in said
    for expected in ("KGQA_NEO4J_URL", "bolt://host:7687", "neo4j://host:7687", "user", "KGQA_NEO4J_PASSWORD"):
        assert expected in said


def test_rejects_a_neo4j_url_without_a_colon() -> None:
    with pytest.raises(InvalidInputError, match="KGQA_NEO4J_URL") as refused:
        Neo4jSettings(url=f"bolt//neo4j:{SECRET}@h:7687").checked_url()
    assert SECRET not in _all_messages(refused.value)


def test_rejects_a_redis_url_without_a_host() -> None:
    with pytest.raises(InvalidInputError, match="KGQA_REWRITER_REDIS_URL"):
        RedisTextCache(f"redis://:{SECRET}#1@cache:6379/0", ttl_s=1, timeout_s=1, claim_s=1)
