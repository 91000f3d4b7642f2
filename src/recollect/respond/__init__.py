"""The responder: a message comes in, the model answers with what the memory has of it."""
