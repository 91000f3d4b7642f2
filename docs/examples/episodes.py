"""Episodes, what is recalled of them, and what an agent works on."""

# start
import tempfile

import recollect

with (
    tempfile.TemporaryDirectory() as home,
    recollect.open(home, overrides={"embedding.provider": "none"}) as memory,
):
    session = memory.sessions.create(project="/boat")
    memory.sessions.append_many(
        session.id,
        [
            ("user", "The hose of the boat leaks again, this is so annoying."),
            ("assistant", "The clamp is rusty."),
            ("user", "We decided to buy a steel clamp."),
            ("assistant", "Fixed: the hose is tight. Shall I order a spare clamp?"),
        ],
    )
    (episode,) = memory.episodes.create(session.id)
    print(episode.decisions, episode.tone)
    print(episode.outcome, episode.open_ends)

    for found in memory.episodes.search(None, "which clamp did we buy"):
        print(f"e{found.episode.number}", found.episode.topics[:2])

    memory.facts.remember(None, "I sail a boat with a green hull.")
    print(memory.recall(None, "the boat").formatted)

    memory.sessions.set_state(session.id, "Mend the boat", ["Find the leak", "Order a clamp"])
    memory.sessions.end(session.id)
    print(memory.context.about("/boat").text)
# end
