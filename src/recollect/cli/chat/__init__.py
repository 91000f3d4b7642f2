"""`recollect chat`: talk with a model that has the memory of this home; see docs/chat.md."""
