"""Settings of the worker, and of the hooks that report to it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class ServerSettings(Struct, frozen=True, kw_only=True):
    """Where `recollect serve` listens."""

    host: Annotated[
        str,
        Meta(min_length=1, max_length=255),
        "Address to listen on. Any other than 127.0.0.1, ::1 or localhost lets other machines "
        "connect, with a token over unencrypted HTTP.",
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(ge=1024, le=65_535, extra={"unit": "TCP port"}),
        "Port to listen on. Where it is set and taken, that is an error; unset, a free one is "
        "taken instead, and worker.json tells which.",
    ] = 37_778
    hosts: Annotated[
        tuple[str, ...],
        Meta(max_length=50),
        "More names or addresses by which programs may call it, without a port. Needed where host "
        "is 0.0.0.0 or ::, for any other name is refused.",
    ] = ()
    socket: Annotated[
        str | None,
        "Unix socket to listen on as well, for programs of this user only. A relative path lies "
        "in the home. Unset: none.",
    ] = None
    allow_shared_folder: Annotated[
        bool,
        "Serve a home on a network or synchronized folder. Databases there can be damaged: such "
        "folders lose locks, and copy files while they are written.",
    ] = False


class WorkerSettings(Struct, frozen=True, kw_only=True):
    """How the worker comes to run."""

    autostart: Annotated[
        bool,
        "Start the worker in the background when a command or a hook finds none; where one could "
        "not start, not again for ten minutes. `recollect init AGENT` sets it. false: only "
        "`recollect serve` starts it.",
    ] = False


class HookSettings(Struct, frozen=True, kw_only=True):
    """What the hooks of agent programs do, see `recollect init`."""

    deadline_ms: Annotated[
        int,
        Meta(ge=20, le=30_000, extra={"unit": "ms"}),
        "How long an agent waits for the worker at most; then it goes on and the event is spooled. "
        "`recollect init` writes it into the commands of the hooks.",
    ] = 300
    spool_events: Annotated[
        int,
        Meta(ge=1, le=1_000_000, extra={"unit": "events"}),
        "Events that wait for a worker at most; of more the oldest are lost.",
    ] = 10_000
    spool_bytes: Annotated[
        int,
        Meta(ge=1_000, le=100_000_000_000, extra={"unit": "bytes"}),
        "Size of all of them at most.",
    ] = 64_000_000
