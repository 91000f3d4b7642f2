"""The heap of the C library."""

from __future__ import annotations

import ctypes


def give_back() -> bool:
    """Give the memory that lies free between what is used back to the system.

    Takes a few milliseconds. What is freed at the end of the heap goes back by itself; a bulk of
    small objects leaves holes instead.

    Returns:
        False where the C library has no such call: it is glibc's.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return False
    trim(ctypes.c_size_t(0))
    return True
