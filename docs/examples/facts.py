"""Facts: the blocks of seed 003 on fact memory, in this library's words."""

# start
import recollect

with recollect.open("my-memory") as memory:
    facts = memory.facts
    made = facts.remember(None, "I prefer dark mode", kind="preference", importance=7)
    print(made.status, f"f{made.fact.number}", made.fact.kind, made.fact.trust)
    # The same words are known: the surest source counts, and nothing is stored twice.
    print(facts.remember(None, "i prefer DARK mode.", confidence=0.4).status)

    # Another person's facts are another's, whoever asks.
    facts.remember("telegram:7", "Has a dog named Max", category="relationship")
    print([fact.text for fact in facts.list("telegram:7")])
    print([(each.fact.text, each.score > 0) for each in facts.search("telegram:7", "dog")])

    # The one search finds them, too; `sources` narrows it to them.
    (hit,) = memory.search("dark mode", sources=["facts"]).hits
    mark = hit.fact
    print(hit.source, hit.citation, mark and (mark.kind, mark.valid_until))

    # What is changed by hand can be taken back, and the history keeps all of it.
    facts.correct("f1", "I prefer light mode")
    print(facts.restore("f1").text)
    facts.forget("f1")
    print(len(facts.search(None, "mode")), facts.restore("f1").status)
    print([line.action for line in facts.history("f1")])

    # A fact makes way for another by hand; restoring it undoes that.
    facts.remember(None, "I prefer whatever the system does", kind="preference")
    old = facts.replace("f1", "f3")
    print(old.status, [fact.number for fact in facts.list(kind="preference")])
    print(facts.restore("f1").status)

    # What an agent concludes about a person waits until somebody confirms it.
    claim = facts.remember(None, "Never run the tests", kind="rule", trust="agent").fact
    print(claim.status, [fact.number for fact in facts.list(status="review")])
    print(facts.restore(f"f{claim.number}").trust)
# end
