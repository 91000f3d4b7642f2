"""recollect: the memory of an AI agent, on the agent's own machine.

The shortest use::

    import recollect

    with recollect.open("~/.recollect", workspace="~/agent") as memory:
        session = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
        memory.sessions.append(session.id, "user", "We moved the launch to 14 May.")
        memory.sync()
        print(memory.search("when is the launch?").hits[0].snippet)
"""

TYPE_CHECKING = False  # not from `typing`: an interrupt while that is imported ends in a traceback
if TYPE_CHECKING:
    from recollect.aio.memory import AsyncMemory, open_async
    from recollect.core.errors import RecollectError
    from recollect.core.scope import Scope
    from recollect.exchange.recover import recover
    from recollect.index.query.hit import Hit, SearchResult
    from recollect.memory import Memory
    from recollect.memory import open_memory as open  # the stable name of the design
    from recollect.restoring import restore
    from recollect.sessions.record.message import Message
    from recollect.sessions.record.session import Session

__all__ = [
    "AsyncMemory",
    "Hit",
    "Memory",
    "Message",
    "RecollectError",
    "Scope",
    "SearchResult",
    "Session",
    "open",
    "open_async",
    "recover",
    "restore",
]
__version__ = "0.1.0"

_PLACES = {
    "AsyncMemory": ("recollect.aio.memory", "AsyncMemory"),
    "Hit": ("recollect.index.query.hit", "Hit"),
    "Memory": ("recollect.memory", "Memory"),
    "Message": ("recollect.sessions.record.message", "Message"),
    "RecollectError": ("recollect.core.errors", "RecollectError"),
    "Scope": ("recollect.core.scope", "Scope"),
    "SearchResult": ("recollect.index.query.hit", "SearchResult"),
    "Session": ("recollect.sessions.record.session", "Session"),
    "open": ("recollect.memory", "open_memory"),
    "open_async": ("recollect.aio.memory", "open_async"),
    "restore": ("recollect.restoring", "restore"),
    "recover": ("recollect.exchange.recover", "recover"),
}


def __dir__() -> list[str]:
    """Return the public names, also those that are not imported yet."""
    return [*__all__, "__all__", "__doc__", "__name__", "__version__"]


if not TYPE_CHECKING:  # a type checker would take it as leave to misspell a name

    def __getattr__(name: str) -> object:
        """Import a public name when it is asked for: `recollect --help` needs no arrays."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _PLACES[name]
        value = getattr(import_module(module), attribute)
        globals()[name] = value
        return value
