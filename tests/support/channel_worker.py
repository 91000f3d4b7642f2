"""A worker process whose model tells what it sees: to be killed by tests.

``python -m tests.support.channel_worker HOME SETTINGS``: the settings are JSON. The model answers
``re`` the marks of the messages that it is to answer, and ``saw`` all marks in its prompt; a mark
is a word such as ``w12x3``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from recollect.models.language.model import Prompt
from recollect.server.worker.home_worker import HomeWorker
from tests.support import chat_model
from tests.support.chat_model import Call, ChatModel

MARK = re.compile(r"\bw\d+x\d+\b")


def marks(text: str) -> list[str]:
    """Return the marks in a text, in order."""
    return MARK.findall(text)


def newest(prompt: Prompt) -> str:
    """Return what was said since the last answer."""
    texts: list[str] = []
    for message in reversed(prompt.messages):
        if message.role == "assistant":
            break
        texts.insert(0, message.text)
    return "\n".join(texts)


class TellTale(ChatModel):
    """Tells everything that it sees."""

    def stream(self, prompt: Prompt, on_piece, **more):  # type: ignore[no-untyped-def]
        """Answer."""

        def tell(call: Call) -> str:
            whole = "\n".join([prompt.system, *(each.text for each in prompt.messages)])
            seen = " ".join(dict.fromkeys(marks(whole)))
            text = f"re {' '.join(marks(newest(prompt)))} saw {seen}"
            half = len(text) // 2
            call.say(text[:half])
            call.cancellation.require_going()
            call.say(text[half:])
            return text

        self.steps = [tell]
        return super().stream(prompt, on_piece, **more)


def main() -> None:
    """Serve until killed."""
    home, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
    chat_model.install(pytest.MonkeyPatch(), TellTale())

    def tell(_: object) -> None:
        os.write(1, b"it answers\n")

    HomeWorker(home, settings).run(tell)


if __name__ == "__main__":
    main()
