"""A handoff between shifts: the day tries another way without touching the night's session."""

# start
import recollect
from recollect import RecollectError

with recollect.open("operations") as memory:
    sessions = memory.sessions
    night = sessions.create(title="Cold room, night shift")
    sessions.append(night.id, "assistant", "Restarted the compressor; 9 degrees and falling.")

    with sessions.hold(night.id, holder="night shift"):  # still working on it
        try:
            sessions.hold(night.id, holder="day shift")
        except RecollectError as refusal:
            print(refusal.code, "-", refusal.message)

        with sessions.hold(night.id, holder="day shift", on_busy="fork") as day:
            day.append("assistant", "Trying the spare compressor instead.")

    print(len(sessions.messages(night.id)), len(sessions.messages(day.session.id)))  # 1 2
    print(day.session.parent_id == night.id)  # True
# end
