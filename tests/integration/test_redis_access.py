"""Users, passwords and TLS of Redis: the start script that Compose and Kubernetes run, with the real client."""

import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio
import trustme
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from services.rewriter.cache.redis import RedisTextCache
from services.rewriter.settings import RewriterSettings
from shared.errors import DependencyError, RefusedError
from shared.processes import free_port
from shared.web.redis_counter import RedisCounter
from tests.support.waiting import HANGS_AFTER_S, wait_until
from tests.unit.services.rewriter.cache.contract import *

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "k8s/base/redis-start.sh"
PASSWORD = "p@ss/word:with#marks"

pytestmark = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="needs redis-server: apt-get install redis-server"
)


def wait_until_listening(port: int, process: "subprocess.Popen[bytes]") -> None:
    def is_listening() -> bool:
        assert process.poll() is None, "Redis did not start"
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    wait_until(is_listening, "Redis did not start")


class StartedRedis:
    """Run a Redis with the start script, on a free port."""

    def __init__(self, folder: Path, *arguments: str, password: str = PASSWORD) -> None:
        self.port = free_port()
        secret = folder / "password"
        secret.write_text(f"{password}\n", encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "REDIS_PASSWORD_FILE": str(secret)}
        arguments = arguments or ("--port", str(self.port))
        words = [word.replace("PORT", str(self.port)) for word in arguments]
        command = ["sh", str(SCRIPT), "--bind", "127.0.0.1", *words]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        wait_until_listening(self.port, self.process)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StartedRedis]:
    started = StartedRedis(tmp_path)
    yield started
    started.stop()


async def test_the_user_may_count_requests(server: StartedRedis) -> None:
    url = f"redis://127.0.0.1:{server.port}/0"
    counter = RedisCounter(url, variable="KGQA_ANSWERER_REDIS", timeout_s=HANGS_AFTER_S, user="kgqa", password=PASSWORD)
    assert [await counter.add("chatbot", 10) for _ in range(2)] == [1, 2]
    await counter.close()


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[int]:
    """Run a Redis whose user has all rights, and return its port."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--requirepass", PASSWORD, "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            wait_until_listening(port, process)
            yield port
        finally:
            process.kill()


def settings(url: str, monkeypatch: pytest.MonkeyPatch, **variables: str) -> RewriterSettings:
    monkeypatch.setenv("KGQA_REWRITER_REDIS_URL", url)
    monkeypatch.setenv("KGQA_REWRITER_REDIS_TIMEOUT_S", "2")
    for name, value in variables.items():
        monkeypatch.setenv(f"KGQA_REWRITER_REDIS_{name}", value)
    return RewriterSettings()


def cache_of(settings: RewriterSettings) -> RedisTextCache:
    cache = settings.text_cache()
    assert isinstance(cache, RedisTextCache)
    return cache


@pytest.fixture
async def cache(server: StartedRedis, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RedisTextCache]:
    """Open the cache as the rewriter does, so that the contract tests run with the rights of its user."""
    url = f"redis://127.0.0.1:{server.port}/0"
    opened = cache_of(settings(url, monkeypatch, USER="kgqa", PASSWORD=PASSWORD))
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "command",
    [
        ("FLUSHALL",),
        ("KEYS", "*"),
        ("CONFIG", "GET", "*"),
        ("EVAL", "return 1", "0"),
        ("ACL", "LIST"),
        ("SET", "other:key", "x"),
        ("MGET", "kgqa:text:a", "other:key"),
        ("DEL", "other:key"),
        ("PUBLISH", "channel", "x"),
    ],
    ids=" ".join,
)
async def test_the_user_may_do_nothing_else(server: StartedRedis, command: tuple[str, ...]) -> None:
    client: Any = redis.asyncio.Redis(port=server.port, username="kgqa", password=PASSWORD)
    with pytest.raises(NoPermissionError):
        await client.execute_command(*command)
    await client.aclose()


@pytest.mark.parametrize("user", ["default", "kgqa"])
@pytest.mark.parametrize("password", [None, "", "wrong"])
async def test_nobody_else_may_do_anything(server: StartedRedis, user: str, password: str | None) -> None:
    credentials: dict[str, Any] = {"username": user, "password": password} if password is not None else {}
    client = redis.asyncio.Redis(port=server.port, protocol=2, **credentials)
    with pytest.raises(AuthenticationError):
        await client.ping()
    await client.aclose()


async def test_a_wrong_password_is_refused_and_not_printed(
    server: StartedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"redis://127.0.0.1:{server.port}/0"
    opened = settings(url, monkeypatch, USER="kgqa", PASSWORD="tell-nobody")
    assert "tell-nobody" not in repr(opened)
    cache = cache_of(opened)
    with pytest.raises(RefusedError, match="KGQA_REWRITER_REDIS_PASSWORD") as refused:
        await cache.get_many(["a"])
    assert "tell-nobody" not in str(refused.value)
    await cache.close()


async def test_a_wrong_password_is_tried_once(open_server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(settings(f"redis://127.0.0.1:{open_server}/0", monkeypatch, PASSWORD="wrong"))
    with pytest.raises(RefusedError):
        await cache.get_many(["a"])
    await cache.close()
    async with redis.asyncio.Redis(port=open_server, password=PASSWORD) as client:
        of_this_test = 2  # to see whether it listens, and this one
        assert (await client.info("stats"))["total_connections_received"] == of_this_test + 1


async def test_user_and_password_of_the_url_count_first(server: StartedRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"redis://kgqa:p%40ss%2Fword%3Awith%23marks@127.0.0.1:{server.port}/0"
    cache = cache_of(settings(url, monkeypatch, USER="default", PASSWORD="wrong"))
    assert await cache.get_many(["a"]) == [None]
    await cache.close()


def test_the_password_is_neither_on_the_command_line_nor_in_the_environment(
    server: StartedRedis, tmp_path: Path
) -> None:
    process = Path(f"/proc/{server.process.pid}")
    for file in (process / "cmdline", process / "environ", tmp_path / "users.acl"):
        assert PASSWORD.encode() not in file.read_bytes()
    assert (tmp_path / "users.acl").stat().st_mode & 0o077 == 0


def test_the_probe_of_the_deployments_gets_an_answer(server: StartedRedis, tmp_path: Path) -> None:
    probe = ["redis-cli", "-s", str(tmp_path / "redis.sock"), "ping"]
    assert subprocess.run(probe, capture_output=True).returncode == 0
    server.stop()
    assert subprocess.run(probe, capture_output=True).returncode != 0


@pytest.mark.parametrize("password", ["", "  "])
def test_redis_does_not_start_without_a_password(tmp_path: Path, password: str) -> None:
    with pytest.raises(AssertionError, match="did not start"):
        StartedRedis(tmp_path, password=password).stop()


class Certificates:
    """Hold the files of a server certificate for localhost and of the authority that signed it."""

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        issued = authority.issue_cert("localhost")
        self.ca, self.certificate, self.key = folder / "ca.crt", folder / "tls.crt", folder / "tls.key"
        authority.cert_pem.write_to_path(self.ca)
        issued.private_key_pem.write_to_path(self.key)
        for part in issued.cert_chain_pems:
            part.write_to_path(self.certificate, append=True)


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


@pytest.fixture
def tls_server(tmp_path: Path, certificates: Certificates) -> Iterator[StartedRedis]:
    """Run a Redis with the arguments of k8s/components/redis-tls."""
    files = {"--tls-cert-file": certificates.certificate, "--tls-key-file": certificates.key}
    words = [word for option, file in files.items() for word in (option, str(file))]
    started = StartedRedis(tmp_path, "--port", "0", "--tls-port", "PORT", "--tls-auth-clients", "no", *words)
    yield started
    started.stop()


async def test_texts_are_kept_over_tls(
    tls_server: StartedRedis, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"rediss://localhost:{tls_server.port}/0?ssl_ca_certs={certificates.ca}"
    cache = cache_of(settings(url, monkeypatch, USER="kgqa", PASSWORD=PASSWORD))
    await cache.put_many({"a": "one"})
    assert await cache.get_many(["a"]) == ["one"]
    await cache.close()


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("redis://localhost:PORT/0", id="without TLS"),
        pytest.param("rediss://localhost:PORT/0", id="authority not trusted"),
        pytest.param("rediss://127.0.0.1:PORT/0?ssl_ca_certs=CA", id="certificate of another host"),
        pytest.param("rediss://localhost:PORT/0?ssl_ca_certs=/nowhere/ca.crt", id="authority's file missing"),
    ],
)
async def test_a_connection_that_is_not_secured_is_refused(
    tls_server: StartedRedis, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    url = url.replace("PORT", str(tls_server.port)).replace("CA", str(certificates.ca))
    cache = cache_of(settings(url, monkeypatch, USER="kgqa", PASSWORD=PASSWORD))
    with pytest.raises(DependencyError):
        await cache.get_many(["a"])
    await cache.close()


async def test_a_plain_client_learns_nothing_from_a_tls_port(tls_server: StartedRedis) -> None:
    client = redis.asyncio.Redis(port=tls_server.port, username="kgqa", password=PASSWORD)
    with pytest.raises((RedisError, OSError)):
        await client.ping()
    await client.aclose()
