"""What a wrong argument is answered with, awaited or not."""

import tempfile

import recollect

with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    # start
    try:
        memory.sessions.messages("an id", limit="3")  # type: ignore[arg-type]
    except recollect.RecollectError as error:
        print(error.code, "-", error.message)
    try:
        memory.sessions.append("an id", "user", "tea", at="noon")  # type: ignore[arg-type]
    except recollect.RecollectError as error:
        print(error.message, "-", error.hint)
    # end
    print(memory.sessions.create(title="Tea. " * 20))
