"""recollect: the memory of an AI agent, on the agent's own machine.

    import recollect

    with recollect.open("~/.recollect", workspace="~/agent") as memory:
        session = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
        memory.sessions.append(session.id, "user", "We moved the launch to 14 May.")
        memory.sync()
        print(memory.search("when is the launch?").hits[0].snippet)
"""

from recollect.core.errors import RecollectError
from recollect.core.scope import Scope
from recollect.index.hit import Hit, SearchResult
from recollect.memory import Memory
from recollect.memory import open_memory as open  # noqa: A004  # the stable name of the design
from recollect.sessions.message import Message
from recollect.sessions.session import Session

__all__ = ["Hit", "Memory", "Message", "RecollectError", "Scope", "SearchResult", "Session", "open"]
__version__ = "0.1.0"
