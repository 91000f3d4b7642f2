"""Uses of the language model, as ``--json`` answers them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.use_preview import UsePreview


class UseList(msgspec.Struct, frozen=True, kw_only=True):
    """What each use of the language model would take."""

    uses: Sequence[UsePreview]
