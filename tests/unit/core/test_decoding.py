"""Types that several threads meet for the first time at once."""

from __future__ import annotations

import subprocess
import sys

ROUNDS = 60
PROGRAM = f"""
import sys, threading, types
import msgspec
from recollect.core.decoding import convert_value, decode_json, decode_msgpack

SOURCE = '''
from __future__ import annotations
import msgspec
class Leaf(msgspec.Struct, frozen=True): x: int = 0; y: str | None = None; z: list[int] = []
class Branch(msgspec.Struct, frozen=True): a: Leaf = Leaf(); b: list[Leaf] = []
class Tree(msgspec.Struct, frozen=True): kind: str; b: Branch = Branch(); d: Leaf = Leaf()
'''
CONTENT = b'{{"kind": "x", "b": {{"a": {{"x": 1}}}}, "d": {{"y": "q"}}}}'
PLAIN = msgspec.json.decode(CONTENT)
PACKED = msgspec.msgpack.encode(PLAIN)
sys.setswitchinterval(1e-5)
for number in range({ROUNDS}):
    made = types.ModuleType(f"made{{number}}")
    sys.modules[made.__name__] = made
    exec(SOURCE, made.__dict__)
    ways = {{
        "json": lambda: decode_json(CONTENT, made.Tree),
        "msgpack": lambda: decode_msgpack(PACKED, made.Tree),
        "convert": lambda: convert_value(PLAIN, made.Tree),
        "branch": lambda: decode_json(b'{{"a": {{}}}}', made.Branch),
    }}
    start = threading.Barrier(8)
    def read(way):
        start.wait()
        way()
    threads = [threading.Thread(target=read, args=[way]) for way in [*ways.values()] * 2]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert convert_value(PLAIN, made.Tree).b.a.x == 1
print("whole")
"""


def test_threads_that_meet_a_type_at_once_all_decode_into_it() -> None:
    """With msgspec alone the process ends, in each of six runs."""
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, timeout=120)
    assert (ended.returncode, ended.stdout.strip()) == (0, b"whole")
