"""The status of a home: of its memory, and of what is beside it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from recollect.checkpoints.checkpoints import CheckpointState
from recollect.hook.spool import Spool, SpoolState
from recollect.memory import Memory
from recollect.recall.probe import Probe
from recollect.recall.status import Status
from recollect.server.worker.daemon import WorkerState, look_at


class ShownStatus(Status, frozen=True, kw_only=True):
    """A status, and what is beside the memory.

    Attributes:
        spool: What of hooks waits.
        worker: How the worker is doing.
        checkpoints: Whether what agent programs change is kept, and how much is.
        embedding_probe: What the embedder said, where it was asked.
        vector_probe: Whether the vector store could be reached, where it was asked.
    """

    spool: SpoolState
    worker: WorkerState
    checkpoints: CheckpointState
    embedding_probe: Probe | UnsetType = UNSET
    vector_probe: bool | UnsetType = UNSET


def status_of(memory: Memory, *, probe: bool = False) -> ShownStatus:
    """Return the status of the home of a memory.

    Args:
        memory: Of the whole home.
        probe: Also ask the embedder and the vector store, which may cost a request.

    Raises:
        StoreError: the home cannot be read.
    """
    return ShownStatus(
        **asdict(memory.status()),
        spool=Spool(memory.home).state(),
        worker=look_at(memory.home),
        checkpoints=memory.checkpoints.state(),
        embedding_probe=memory.probe_embedding() if probe else UNSET,
        vector_probe=memory.probe_vectors() if probe else UNSET,
    )
