"""Contradictions: hits that say the opposite name each other."""

import tempfile

import recollect

SAID = (
    "I just downloaded Zotero, to manage my references.",
    "I've never used citation software like Zotero, where do I start?",
    "The API rate limit is 100 requests per minute.",
    "The API rate limit is 250 requests per minute.",
)

with tempfile.TemporaryDirectory() as home, recollect.open(home) as memory:
    for text in SAID:
        memory.sessions.append(memory.sessions.create().id, "user", text)
    memory.sync()
    for question in ("Have I ever used Zotero?", "What is the API rate limit?"):
        for hit in memory.search(question, 2, mode="lexical").hits:
            print(hit.contradicts, hit.snippet)
