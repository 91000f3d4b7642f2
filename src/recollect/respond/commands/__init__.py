"""The commands of a chat: ``/new``, ``/remember`` and the others; see docs/chat.md."""
