"""The life of what is known: extracted, known, replaced, recalled, summarised, pruned, faded."""

# start
import recollect
from recollect.core.clock import SystemClock

DAY_MS = 86_400_000


class Later(SystemClock):
    """A clock that can be put forward."""

    days = 0

    def now_ms(self) -> int:
        """Return the time, so many days later."""
        return super().now_ms() + self.days * DAY_MS


clock = Later()
settings = {"knowledge.decay": "seed", "sessions.retention.days": 30}
with recollect.open("life", overrides=settings, clock=clock) as memory:
    # MSG -> EXTRACT -> DEDUP -> STORE -> INDEX
    chat = memory.sessions.open("agent:main:telegram:direct:7")
    memory.sessions.append_many(
        chat.id,
        [
            ("user", "I live in Leeds. I prefer green tea."),
            ("assistant", "Noted."),
            ("user", "I live in Bristol now."),
            ("user", "I prefer green tea."),
        ],
    )
    memory.sync()
    known = memory.facts.list("telegram:7")
    print(sorted((fact.text, fact.kind) for fact in known))
    print([fact.text for fact in memory.facts.list(status="replaced")])
    entry = known[-1]
    print(entry.kind, 1 <= entry.importance <= 10, entry.confidence, entry.access_count)

    # QUERY -> RETRIEVE -> RANK -> INJECT
    memory.facts.remember("telegram:7", "The kettle is in the blue box", importance=3)
    recalled = memory.recall("telegram:7", "where is the kettle", limit=5, for_session=chat.id)
    print(recalled.formatted)
    print([round(each.relevance, 2) <= 1 for each in recalled.facts], recalled.episodes)

    # IDLE -> EPISODE -> ARCHIVE; PRUNE leaves the episode
    memory.sessions.end(chat.id)
    clock.days = 31
    print(memory.prune().sessions)
    (past,) = memory.recall("telegram:7", "Bristol").episodes
    print("Bristol" in past.episode.summary, past.episode.message_count)

    # DECAY: what is not asked for is archived; a home is not, and what is archived comes back
    clock.days = 400
    print([fact.text for fact in memory.facts.fade(dry_run=True)])
    memory.facts.fade()
    for faded in memory.facts.list(status="archived"):
        print(memory.facts.restore(f"f{faded.number}").status)
# end
