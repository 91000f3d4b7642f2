"""What a build of the package runs first, also an editable one: it writes `aio/twins.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AsyncTwins(BuildHookInterface[Any]):
    """Writes the asynchronous twins, which git does not keep."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: D102
        runpy.run_path(str(Path(self.root, "scripts", "async_twins.py")), run_name="__main__")
