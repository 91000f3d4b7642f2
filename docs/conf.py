from __future__ import annotations

import tomllib
from pathlib import Path

_pyproject = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))

project = "recollect"
author = "The recollect authors"
project_copyright = "2026, The recollect authors"
release = _pyproject["project"]["version"]

extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "examples", "adr/template.md"]

html_theme = "furo"
html_title = "recollect"
html_static_path = ["_static"]
# The page is complete without any other server: no fonts, no scripts from elsewhere.
html_show_sphinx = False
copybutton_prompt_text = "$ "
