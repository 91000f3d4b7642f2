"""Settings of checkpoints: which files are kept before an agent changes them, and how much."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class CheckpointSettings(Struct, frozen=True, kw_only=True):
    """What files were before an agent program changed them; `recollect rewind` puts them back."""

    enabled: Annotated[
        bool,
        "Keep what files were before an agent program changes them. Contents are kept as they are, "
        "secrets included, in the folder checkpoints/ of the home, and nowhere else.",
    ] = False
    roots: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Folders in which an agent program's changes are kept and may be taken back; none by "
        "default. Programs cannot add to them.",
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "Files of which only the name is listed, as capture.skip_paths has them: node_modules/*, "
        "*.pem, ~/private/*.",
    ] = ()
    tools: Annotated[
        tuple[str, ...],
        Meta(max_length=1_000),
        "More tools that change files. NAME: a tool that may change anything below a root, as a "
        "shell does. NAME:FIELD: one that changes the file in this field of its input.",
    ] = ()
    file_bytes: Annotated[
        int,
        Meta(ge=1, le=1_073_741_824, extra={"unit": "bytes"}),
        "Size of a file up to which it is kept; a larger one is only listed.",
    ] = 8_388_608
    root_bytes: Annotated[
        int,
        Meta(ge=1, le=1_099_511_627_776, extra={"unit": "bytes"}),
        "What is kept in all; beyond it, files are only listed.",
    ] = 2_147_483_648
    agents_may_apply: Annotated[
        bool,
        "Programs with a token, and agents, may put files back. false: they may only plan it.",
    ] = False
