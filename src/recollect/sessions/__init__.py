"""Sessions: keys, transcripts, their readable mirrors, and the import of foreign transcripts.

`Sessions` is the use-case class, `Session`, `Message` and the content blocks are its values. This
room knows the store and the redactor; it does not know the index, which learns of a message
through the outbox.
"""
