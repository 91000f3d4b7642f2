"""Draws docs/_static/demo.svg, the picture of the README, from what `recollect demo` really prints.

The fonts that rich would fetch from elsewhere are left out: a picture must show without a network.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "_static" / "demo.svg"
COLUMNS = 108
SHOWN_HOME = "~/.cache/recollect/demo"
"""Stands in the picture for the folder of this run."""

FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def main() -> None:
    """Run the demo twice, because the second run shows no progress bars, and draw it."""
    with tempfile.TemporaryDirectory() as home:
        _demo(Path(home))
        shown = _demo(Path(home))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown.rstrip()))
    drawn = console.export_svg(title="make demo", theme=MONOKAI, unique_id="demo")
    PICTURE.write_text(FONT_FACE.sub("", drawn), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


def _demo(home: Path) -> str:
    command = [
        "env",
        "FORCE_COLOR=1",
        f"COLUMNS={COLUMNS}",
        str(Path(sys.executable).parent / "recollect"),
    ]
    done = subprocess.run(
        [*command, "--home", str(home), "demo"], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.replace(str(home), SHOWN_HOME)


if __name__ == "__main__":
    main()
