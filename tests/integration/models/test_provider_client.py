"""The HTTP client of providers: files, deadlines, the breaker, what leaves the machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import ProviderRejected, ProviderUnavailable, StoreError
from recollect.models.http.client import Call, FileUpload, ProviderClient
from recollect.models.http.retry import RetryPolicy
from tests.support import provider_faults as faults
from tests.support.provider_formats import Received, Response, json_response
from tests.support.provider_server import ProviderServer, Turn
from tests.support.scripted_time import ScriptedTime

ONCE = RetryPolicy(tries=1)
CONTENT = b"line one\nline two\n" * 9_000


class Files:
    """A service that takes and gives files."""

    def answer(self, received: Received) -> Response | None:
        """Answer paths under ``/files``."""
        if received.path == "/files/content":
            return Response(body=CONTENT, headers={"content-type": "application/octet-stream"})
        if received.path == "/files/state":
            return json_response({"state": "done", "error": {"code": "some_failed"}})
        return json_response({"id": "file-1"}) if received.path == "/files" else None


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A server with files."""
    with ProviderServer(services=[Files()]) as running:
        yield running


@pytest.fixture
def time() -> ScriptedTime:
    """Time that waits for nothing."""
    return ScriptedTime()


@pytest.fixture
def client(server: ProviderServer, time: ScriptedTime) -> Iterator[ProviderClient]:
    """A client with a key, and a small cap."""
    made = ProviderClient(
        "openai",
        server.origin,
        {"authorization": "Bearer secret"},
        retry_clock=time.retry_clock(),
        max_answer_bytes=100_000,
    )
    yield made
    made.close()


def _decoded(body: bytes) -> object:
    return msgspec.json.decode(body)


def test_a_file_is_uploaded_as_a_form(
    server: ProviderServer, client: ProviderClient, tmp_path: Path
) -> None:
    """Streamed, whole again at the second try, with its fields."""
    file = tmp_path / "batch.jsonl"
    file.write_bytes(CONTENT)
    server.script(faults.status(503))
    upload = FileUpload(file=file, fields={"purpose": "batch"})
    assert client.ask(Call(method="POST", path="files", upload=upload), _decoded) == {
        "id": "file-1"
    }
    for one in server.received:
        assert one.headers["content-type"].startswith("multipart/form-data; boundary=")
        assert CONTENT in one.body
        assert b'name="purpose"\r\n\r\nbatch' in one.body
        assert b'filename="batch.jsonl"' in one.body


def test_a_file_that_is_not_there_is_a_clear_error(client: ProviderClient, tmp_path: Path) -> None:
    """Nobody is asked."""
    with pytest.raises(StoreError):
        client.ask(
            Call(method="POST", path="files", upload=FileUpload(file=tmp_path / "none")), _decoded
        )


def test_a_download_goes_to_the_disk(
    server: ProviderServer, client: ProviderClient, tmp_path: Path
) -> None:
    """Beyond the cap of answers, readable by its owner alone, anew after a break."""
    target = tmp_path / "result.jsonl"
    server.script(faults.cut_off)
    assert client.download("files/content", target) == len(CONTENT)
    assert target.read_bytes() == CONTENT
    assert target.stat().st_mode & 0o777 == 0o600
    assert len(server.received) == 2


def test_a_download_has_a_cap_of_its_own(client: ProviderClient, tmp_path: Path) -> None:
    """A full disk is worse than no file."""
    with pytest.raises(ProviderUnavailable, match="more than an answer can have"):
        client.download("files/content", tmp_path / "result", ONCE, max_bytes=1_000)


def test_a_refused_download_writes_nothing(
    server: ProviderServer, client: ProviderClient, tmp_path: Path
) -> None:
    """The error page is not the file."""
    server.script(faults.status(404))
    with pytest.raises(ProviderRejected):
        client.download("files/content", tmp_path / "result")
    assert not (tmp_path / "result").exists()


def test_a_download_into_nowhere_is_a_clear_error(client: ProviderClient, tmp_path: Path) -> None:
    """An error of the store, not of the provider."""
    with pytest.raises(StoreError):
        client.download("files/content", tmp_path / "no" / "folder")


def test_the_state_of_something_may_tell_of_errors(client: ProviderClient) -> None:
    """A batch that failed is an answer; without that it would be a refusal."""
    state = client.ask(Call(path="files/state", tells_errors=True), bytes)
    assert b"some_failed" in state
    with pytest.raises(ProviderUnavailable):
        client.ask(Call(path="files/state"), _decoded, ONCE)


def test_a_key_goes_to_its_own_address_alone(
    server: ProviderServer, client: ProviderClient
) -> None:
    """An address in an answer may lead elsewhere."""
    with ProviderServer(services=[Files()]) as other:
        client.ask(Call(path=f"{other.origin}/files"), _decoded)
        client.ask(Call(path=f"{server.origin}/files"), _decoded)
        assert "authorization" not in other.received[0].headers
        assert server.received[0].headers["authorization"] == "Bearer secret"


def test_a_redirect_is_not_followed(server: ProviderServer, client: ProviderClient) -> None:
    """It would carry texts to an address that nobody chose."""

    def redirect(turn: Turn) -> None:
        turn.send(Response(status=307, headers={"location": f"{server.origin}/files"}))

    server.script(redirect)
    with pytest.raises(ProviderRejected) as caught:
        client.ask(Call(path="moved"), _decoded)
    assert "redirects" in caught.value.hint
    assert len(server.received) == 1


def test_an_answer_beyond_the_cap_is_broken_off(
    server: ProviderServer, client: ProviderClient
) -> None:
    """Of an error, a part is enough."""
    server.script(faults.endless)
    with pytest.raises(ProviderUnavailable, match="more than an answer can have"):
        client.ask(Call(path="files"), _decoded, ONCE)
    long = Response(status=400, body=b" " * 2_000_000)
    server.script(lambda turn: turn.send(long))
    with pytest.raises(ProviderRejected):
        client.ask(Call(path="files"), _decoded, ONCE)


def test_nobody_at_the_address_is_a_clear_error(time: ScriptedTime) -> None:
    """Three tries, jittered waits between them."""
    with ProviderServer() as gone:
        origin = gone.origin
    client = ProviderClient("openai", origin, {}, retry_clock=time.retry_clock())
    with pytest.raises(ProviderUnavailable, match="openai cannot be reached"):
        client.ask(Call(path="files"), _decoded)
    assert time.waits == [0.25, 0.5]
    client.close()


@pytest.mark.parametrize(
    ("retry_after", "waits"),
    [("7", [7.0]), ("Tue, 14 Nov 2023 22:13:50 GMT", [30.0]), ("0", [2.5]), ("61", [])],
)
def test_retry_after_is_honoured(
    server: ProviderServer,
    client: ProviderClient,
    time: ScriptedTime,
    retry_after: str,
    waits: list[float],
) -> None:
    """In both spellings; beyond a minute it is for a later sync."""
    server.script(faults.limited(retry_after))
    if waits:
        client.ask(Call(path="files"), _decoded)
    else:
        with pytest.raises(ProviderUnavailable) as caught:
            client.ask(Call(path="files"), _decoded)
        assert caught.value.facts["retry_after_s"] == 61.0
    assert time.waits == waits


def test_being_busy_gets_five_tries(
    server: ProviderServer, client: ProviderClient, time: ScriptedTime
) -> None:
    """With longer waits; and it opens no breaker, for the provider is well."""
    server.always(faults.limited())
    for _ in range(2):
        with pytest.raises(ProviderUnavailable, match="too many requests"):
            client.ask(Call(path="files"), _decoded)
    assert len(server.received) == 10
    assert time.waits[:4] == [2.5, 5.0, 10.0, 20.0]


def test_a_provider_that_keeps_failing_is_left_alone(
    server: ProviderServer, client: ProviderClient, time: ScriptedTime
) -> None:
    """After five failures nobody is asked, until one call may probe."""
    server.always(faults.status(500))
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            client.ask(Call(path="files"), _decoded)
    assert len(server.received) == 5
    with pytest.raises(ProviderUnavailable, match="left alone") as caught:
        client.ask(Call(path="files"), _decoded)
    assert caught.value.facts["retry_after_s"] == 30.0
    server.always(None)
    time.pause(30.0)
    assert client.ask(Call(path="files"), _decoded) == {"id": "file-1"}


def test_a_closed_client_asks_nobody(client: ProviderClient) -> None:
    """And says so."""
    client.close()
    with pytest.raises(ProviderUnavailable, match="is closed"):
        client.ask(Call(path="files"), _decoded)


def test_closing_ends_a_wait(server: ProviderServer) -> None:
    """Nobody has to wait a minute for a memory to close."""
    server.always(faults.limited("60"))
    client = ProviderClient("openai", server.origin, {})
    failed: list[str] = []

    def ask() -> None:
        try:
            client.ask(Call(path="files"), _decoded)
        except ProviderUnavailable as error:
            failed.append(error.message)

    asking = threading.Thread(target=ask)
    asking.start()
    _until(lambda: bool(server.received))
    client.close()
    asking.join(10)
    assert not asking.is_alive()
    assert failed


def test_an_encrypted_address_is_checked(server: ProviderServer, time: ScriptedTime) -> None:
    """Against the authorities that are known; what speaks in clear there is nobody to talk to."""
    address = server.origin.replace("http:", "https:")
    with (
        closing(ProviderClient("openai", address, {}, retry_clock=time.retry_clock())) as client,
        pytest.raises(ProviderUnavailable),
    ):
        client.ask(Call(path="files"), _decoded, ONCE)
    assert server.received == []


def test_nothing_is_imported_before_it_is_needed() -> None:
    """A start without a remote provider loads no HTTP client."""
    code = (
        "import sys, recollect, recollect.models.registry, recollect.models.embedding.providers\n"
        "sys.exit('httpx' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _until(condition: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(1_000):
        if condition():
            return
        waited.wait(0.01)
    raise AssertionError("it did not happen in ten seconds")
