"""The heap of the C library."""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names of `mallopt`."""
_LARGE = 4 * 1024 * 1024
_SLACK = 1024 * 1024


def return_large() -> bool:
    """Let the C library return large blocks to the system as soon as they are freed.

    For a long-running process: glibc keeps a freed block of up to 32 MB, and twice as much at the
    end of the heap of each thread, for the next one, which may come in an hour. Two bodies of 18 MB
    left 112 MB that way, which `give_back` does not free; with this call they leave 3.

    Returns:
        False where the C library is not glibc, which alone has this call.
    """
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    if tune is None:
        return False
    return bool(tune(_MMAP_THRESHOLD, _LARGE)) and bool(tune(_TRIM_THRESHOLD, _SLACK))


def give_back() -> bool:
    """Return free memory between used blocks to the system.

    Takes a few milliseconds. Memory freed at the end of the heap is returned automatically; a bulk
    of small objects leaves holes instead.

    Returns:
        False where the C library is not glibc, which alone has this call.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return False
    trim(ctypes.c_size_t(0))
    return True
