"""Writes the vendored modules of the viewer: fetched with npm, imports made relative, digests kept.

``python scripts/vendor.py`` is run by hand when a version below is raised; the tests compare the
files with their digests.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
VENDOR = ROOT / "src" / "recollect" / "server" / "viewer" / "static" / "vendor"
PACKAGES = {
    "preact": "11.2.0",
    "htm": "3.1.1",
    "@preact/signals": "2.11.4",
    "@preact/signals-core": "1.14.5",
}
MODULES = {
    "preact.js": ("preact", "dist/preact.mjs"),
    "hooks.js": ("preact", "hooks/dist/hooks.mjs"),
    "htm.js": ("htm", "dist/htm.mjs"),
    "signals.js": ("@preact/signals", "dist/signals.mjs"),
    "signals-core.js": ("@preact/signals-core", "dist/signals-core.mjs"),
}
IMPORTS = {
    "preact": "./preact.js",
    "preact/hooks": "./hooks.js",
    "@preact/signals-core": "./signals-core.js",
}
"""A browser needs a path where a bundler takes a name, and an import map would be inline."""
_IMPORT = re.compile(r'(from ?)"([^"]+)"')
_SOURCE_MAP = re.compile(r"\s*//# sourceMappingURL=.*")


def main() -> None:
    """Write modules, licences and digests."""
    VENDOR.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        packages = {name: _unpacked(name, Path(folder)) for name in PACKAGES}
        for module, (name, path) in MODULES.items():
            text = (packages[name] / path).read_text("utf-8")
            (VENDOR / module).write_text(_with_paths(text), "utf-8")
        for name, package in packages.items():
            licence = VENDOR / f"LICENSE.{_file_name(name)}.txt"
            licence.write_bytes((package / "LICENSE").read_bytes())
    lines = [f"# {name} {version}\n" for name, version in PACKAGES.items()]
    lines += [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(VENDOR.iterdir())
        if path.name != "DIGESTS"
    ]
    (VENDOR / "DIGESTS").write_text("".join(lines), "utf-8")


def _unpacked(name: str, folder: Path) -> Path:
    target = folder / _file_name(name)
    target.mkdir()
    command = ["npm", "pack", "--silent", f"{name}@{PACKAGES[name]}"]
    subprocess.run(command, cwd=target, check=True, stdout=subprocess.DEVNULL)
    (packed,) = target.glob("*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(target, filter="data")
    return target / "package"


def _file_name(name: str) -> str:
    return name.removeprefix("@").replace("/", "-")


def _with_paths(text: str) -> str:
    text = _IMPORT.sub(lambda match: f'{match[1]}"{IMPORTS[match[2]]}"', text)
    return _SOURCE_MAP.sub("", text).rstrip() + "\n"


if __name__ == "__main__":
    main()
