"""Determines whether a folder is on a network, or synchronized with other machines.

SQLite's write-ahead log needs shared memory and reliable locks: a network has neither. A program
that synchronizes copies the files of a database one by one, while they change.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path

NETWORKS = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "gfs2"),
        *("glusterfs", "lustre", "beegfs", "ocfs2", "pvfs2", "webdav", "davfs", "afpfs", "coda"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph"),
        *("fuse.davfs2", "fuse.curlftpfs", "fuse.juicefs", "fuse.goofys", "fuse.google-drive"),
    }
)
"""Types of file systems shared with other machines; 9p: Windows folders in WSL."""
_NAMES = re.compile(
    r"dropbox( \(.+\))?|onedrive( - .+)?|google ?drive(-.+)?|icloud ?drive|mobile documents"
    r"|cloudstorage|nextcloud|owncloud|mega|megasync|pclouddrive|pcloud drive|box sync|seafile"
    r"|tresorit|syncthing|yandex\.disk",
    re.IGNORECASE,
)
"""Names of folders of programs that synchronize."""
_MARKS = (".dropbox", ".dropbox.cache", ".stfolder", ".owncloudsync.log", ".seafile-data")
"""Files that those programs create in them."""
_LOCAL = 0x1000
_MAC_FLAGS, _MAC_TYPE, _MAC_BYTES = 64, 72, 4_096
_OCTAL = re.compile(r"\\([0-7]{3})")


def shared_by(folder: Path, mounts: str | None = None) -> str | None:
    """Return in words how a folder is shared with other machines; None if it is not known to be.

    Args:
        folder: Need not exist.
        mounts: As ``/proc/self/mountinfo``; that of the system if not given.
    """
    path = folder.resolve()
    kind = _mac_network(path) if sys.platform == "darwin" else _network(path, mounts)
    if kind is not None:
        return f"a network folder ({kind})"
    for part in (path, *path.parents):
        if _NAMES.fullmatch(part.name):
            return f"a folder that is synchronized ({part.name})"
        if any((part / mark).exists() for mark in _MARKS):
            return f"a folder that is synchronized ({part.name})"
    return None


def _network(path: Path, mounts: str | None) -> str | None:
    """Return the name of the network file system that holds a path; None if it is local."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text("utf-8", errors="surrogateescape")
        except OSError:
            return None
    best, system = "", None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), fields[4])
        is_above = point == "/" or path == Path(point) or Path(point) in path.parents
        if is_above and len(point) >= len(best):  # of two mounts on one point the last one counts
            best, system = point, after.split(" ")[0]
    return system if system in NETWORKS else None


def _mac_network(path: Path) -> str | None:
    library = ctypes.CDLL(None)
    statfs = getattr(library, "statfs$INODE64", None) or library.statfs
    there = next(part for part in (path, *path.parents) if part.exists())
    answer = ctypes.create_string_buffer(_MAC_BYTES)
    if statfs(os.fsencode(there), answer) != 0:
        return None
    flags = int.from_bytes(answer.raw[_MAC_FLAGS : _MAC_FLAGS + 4], sys.byteorder)
    name = answer.raw[_MAC_TYPE : _MAC_TYPE + 16].partition(b"\0")[0].decode(errors="replace")
    return None if flags & _LOCAL else name
