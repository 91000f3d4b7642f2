"""Commands of a chat, as the owner gives them and as a guest does."""

# start
import recollect

with recollect.open("home", overrides={"sessions.owner": ["telegram:42"]}) as memory:

    def say(key: str, text: str) -> None:
        """Print what a command is answered."""
        print(memory.respond(key, text).text)

    say("agent:main:main", "/remember I live in Rome")  # the owner, on no channel
    say("agent:main:main", "/remember I live in Oslo")
    say("telegram:7", "/remember I prefer tea")  # a guest, in a direct chat
    say("telegram:7", "/forget f2")
    say("telegram:7", "/facts")
    say("telegram:42", "/facts")  # the owner, by a named account
    say("telegram:42", "/contxt")
# end
