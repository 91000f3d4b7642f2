"""A program that finds the worker of a home and asks it."""

import json
from http.client import HTTPConnection
from pathlib import Path

import recollect
from recollect.server.worker.daemon import start, stop

home = Path("home").absolute()

with recollect.open(home) as memory:
    session = memory.sessions.create(title="Tea")
    memory.sessions.append(session.id, "user", "The kettle is in the blue box.")

start(home)
# start
worker = json.loads((home / "worker.json").read_text())
token = (home / "token").read_text().strip()

line = HTTPConnection(worker["host"], worker["port"])
line.request(
    "POST",
    "/api/memory/search",
    json.dumps({"query": "kettle", "limit": 3}),
    {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
)
result = json.loads(line.getresponse().read())
print(result["hits"][0]["snippet"])
# end
line.close()
print("stopped", stop(home) is not None)
