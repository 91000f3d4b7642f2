"""The responder over HTTP: chat, and what other programs post for channels."""
