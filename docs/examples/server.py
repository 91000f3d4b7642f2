"""Ask a worker over HTTP, with nothing but the standard library."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import recollect

with TemporaryDirectory() as home:
    recollect.open(home).close()
    command = [sys.executable, "-m", "recollect", "--home", home]
    subprocess.run([*command, "serve", "--daemon"], check=True, capture_output=True)  # noqa: S603

    # start
    port = json.loads((Path(home) / "worker.json").read_text(encoding="utf-8"))["port"]
    token = (Path(home) / "token").read_text(encoding="utf-8").strip()

    def ask(path: str, fields: dict[str, str] | None = None, **headers: str) -> object:
        """GET without fields, POST with them; return what is answered, errors too."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}",
            data=None if fields is None else json.dumps(fields).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            | headers,
        )
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    noted = {"session_key": "tea", "tool_name": "Edit", "input": "kettle.py", "output": "saved"}
    ask("/api/observations", noted)
    print(ask("/api/stats"))
    print(ask("/api/stats", Origin="http://evil.example"))
    print(ask("/api/search", {"query": "tea", "colour": "green"}))
    # end

    subprocess.run([*command, "serve", "stop"], check=True, capture_output=True)  # noqa: S603
