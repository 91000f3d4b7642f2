"""A conversation is rewound: what was taken out is nowhere, and comes back on undo."""

# start
import recollect
from recollect import RecollectError

with recollect.open("rewound") as memory:
    sessions = memory.sessions
    chat = sessions.create(title="Storage")
    sessions.append_many(chat.id, [("user", "Which teas keep?"), ("assistant", "Pu-erh, if dry.")])
    sessions.append(chat.id, "user", "My cellar is at 90 percent humidity.")

    rewind = sessions.rewind(chat.id, to_seq=2)  # the last message that stays
    print(memory.search("humidity of the cellar", sources=["sessions"]).hits)
    sessions.undo_rewind(rewind.id)
    print(len(sessions.messages(chat.id)))

    rewind = sessions.rewind(chat.id, to_seq=2)
    sessions.append(chat.id, "user", "My cellar is dry.")  # the next seq: 4
    try:
        sessions.undo_rewind(rewind.id)
    except RecollectError as error:
        print(error.code, error.hint)
        branch = sessions.fork(chat.id, at_seq=rewind.to_seq)
        print(sessions.messages(branch.id)[-1].text)
# end
