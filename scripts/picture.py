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
FOREIGN = re.compile(r"\s*(@font-face \{.*?\}|<!--.*?-->)", re.DOTALL)
DRAWN_QUESTIONS = (0, 2)
"""The picture must fit on one screen, so the second question is left out."""


def main() -> None:
    """Run the demo twice, because the second run shows no progress bars, and draw it."""
    with tempfile.TemporaryDirectory() as home:
        _demo(Path(home))
        output = _demo(Path(home))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(_excerpt(output)))
    svg = console.export_svg(title="make demo", theme=MONOKAI, unique_id="demo")
    PICTURE.write_text(FOREIGN.sub("", svg), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


def _excerpt(output: str) -> str:
    head, *answers = re.split(r"\n(?=\S*\? )", output)
    answers[-1] = answers[-1].partition("Next")[0]
    return "\n".join([head, *(answers[number] for number in DRAWN_QUESTIONS)]).rstrip()


def _demo(home: Path) -> str:
    command = [
        "env",
        "FORCE_COLOR=1",
        f"COLUMNS={COLUMNS}",
        str(Path(sys.executable).parent / "recollect"),
    ]
    completed = subprocess.run(
        [*command, "--home", str(home), "demo"], capture_output=True, encoding="utf-8", check=True
    )
    return completed.stdout


if __name__ == "__main__":
    main()
