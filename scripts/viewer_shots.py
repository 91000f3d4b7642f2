"""Takes pictures of the views for the docs: light and dark, wide and narrow, of a real worker.

``make viewer-shots`` runs it; the home has the conversations of the benchmark data where they are.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

from tests.support.viewer_files import FILE_VIEWS, fill_files
from tests.support.viewer_home import fill, fill_conversations
from tests.support.viewer_knowledge import fill_knowledge
from tests.support.viewer_pages import Served, Viewer, browsing, chromium
from tests.support.viewer_sessions import tell
from tests.support.viewer_views import VIEWS, View, settled

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "viewer"
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 780}}
SCHEMES = ("light", "dark")


def main(names: list[str]) -> int:
    """Write the pictures of the views with these names, of all without; return the exit status."""
    program = chromium()
    if program is None:
        print("chromium is not installed: `apt install chromium fonts-noto-cjk`", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browsing(program) as browser:
        home = Path(folder) / "home"
        fill_conversations(home)
        tell(home, Path(folder) / "harbour")
        fill_knowledge(home)
        fill_files(home, Path(folder))
        fill(home)
        worker = Served(home)
        try:
            viewer = Viewer(browser, worker)
            for view in (*VIEWS, *FILE_VIEWS):
                if not names or view.name in names:
                    _take(viewer, view)
            viewer.close()
        finally:
            worker.stop()
    return 0


def _take(viewer: Viewer, view: View) -> None:
    for scheme, (size, viewport) in itertools.product(SCHEMES, SIZES.items()):
        page = viewer.open(view.address, color_scheme=scheme, viewport=viewport)
        settled(page, view)
        path = FOLDER / f"{view.name}-{scheme}-{size}.png"
        page.screenshot(path=path, animations="disabled")
        viewer.leave()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
