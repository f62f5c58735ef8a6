"""Instances of `kgqa up` choose their ports."""

import socket
from collections.abc import Iterator

import pytest

from services.answerer.settings import AnswererSettings
from services.llm.settings import PORT_VARIABLE
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from services.stack_addresses import check_ports, embedded_llm_port, listening_addresses, url_of, with_addresses
from shared.errors import DependencyError, InvalidInputError
from shared.settings import ServiceSettings, load_settings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANSWERER", "RETRIEVER", "REWRITER", "EMBEDDED_LLM"):
        monkeypatch.delenv(f"KGQA_{name}_PORT", raising=False)


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def _settings() -> dict[str, ServiceSettings]:
    return {
        "retriever": load_settings(RetrieverSettings),
        "rewriter": load_settings(RewriterSettings),
        "answerer": load_settings(AnswererSettings),
    }


def _ports(host: str | None, base_port: int | None) -> dict[str, tuple[str, int]]:
    return listening_addresses(with_addresses(_settings(), host, base_port), embedded_llm_port(base_port))


def test_the_other_ports_follow_the_base_port() -> None:
    assert list(_ports(None, 9000).items()) == [
        ("answerer", ("127.0.0.1", 9000)),
        ("retriever", ("127.0.0.1", 9001)),
        ("rewriter", ("127.0.0.1", 9002)),
        ("llm", ("127.0.0.1", 9003)),
    ]
    assert [port for _, port in _ports(None, None).values()] == [8000, 8001, 8002, 8003]


def test_a_port_of_the_environment_stays_and_the_base_port_is_the_answerers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_PORT", "7000")
    monkeypatch.setenv("KGQA_REWRITER_PORT", "7002")
    monkeypatch.setenv(PORT_VARIABLE, "7003")
    assert [port for _, port in _ports(None, 9000).values()] == [9000, 9001, 7002, 7003]


def test_only_the_answerer_listens_elsewhere() -> None:
    assert {name: host for name, (host, _) in _ports("0.0.0.0", 9000).items()} == {
        "answerer": "0.0.0.0",
        "retriever": "127.0.0.1",
        "rewriter": "127.0.0.1",
        "llm": "127.0.0.1",
    }


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:1"),
        ("::", "http://[::1]:1"),
        ("::1", "http://[::1]:1"),
        ("10.1.2.3", "http://10.1.2.3:1"),
    ],
)
def test_a_server_on_every_address_is_reached_on_loopback(host: str, url: str) -> None:
    assert url_of(host, 1) == url


def test_a_used_port_is_explained(used_port: int) -> None:
    with pytest.raises(DependencyError, match=rf"port {used_port} .*the rewriter.*KGQA_REWRITER_PORT"):
        check_ports({"rewriter": ("127.0.0.1", used_port)})


def test_two_servers_cannot_have_one_port() -> None:
    with pytest.raises(InvalidInputError, match=r"the answerer and the embedded .* both have port 9.*EMBEDDED_LLM"):
        check_ports({"answerer": ("127.0.0.1", 9), "llm": ("127.0.0.1", 9)})
