"""Forty scripted projects of two sessions: what the second one needs from the first.

Written for the project. In the first session one line matters later, said or done between the
routine of `agent_work`; the second session begins with a task that goes wrong without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from benchmarks.datasets.agent_work import make_routine
from benchmarks.datasets.work_seen import SEEN
from benchmarks.datasets.work_unseen import UNSEEN

ROUTINE = 40
"""Other observations of the first session."""

Way = Literal["prompt", "answer", "commit", "change"]


class Script(msgspec.Struct, frozen=True):
    """A project: what happens in the first session, and what the second is about.

    Attributes:
        way: How the line comes: the user says it, the agent's last answer, a commit, an edit.
        says: The words, the message of the commit, or the path of the file.
        task: What the second session is asked to do.
    """

    way: Way
    says: str
    task: str


SCRIPTS = (
    Script("prompt", "We decided to use SQLite, not Postgres.", "Add the table of tags."),
    Script("prompt", "Let's use pnpm here, npm breaks the lock file.", "Install the linter."),
    Script("prompt", "Agreed: dates are stored in UTC.", "Add the column of due dates."),
    Script("prompt", "The plan is to drop Python 3.10 in May.", "Use a match statement."),
    Script("prompt", "We will keep the old endpoint until the app is out.", "Clean the routes."),
    Script("prompt", "Remember: never push to main directly.", "Publish the fix."),
    Script("prompt", "Always run the tests with --no-cov on this machine.", "Run the tests."),
    Script("prompt", "My name for the staging host is kestrel.", "Deploy to staging."),
    Script("prompt", "From now on write commit messages in English.", "Commit the change."),
    Script("prompt", "The deadline of the beta is the 3rd of July.", "Plan the next weeks."),
    Script("prompt", "Wir haben beschlossen, Tailwind zu entfernen.", "Style the footer."),
    Script("prompt", "Hemos decidido usar el puerto 8099.", "Start the server."),
    Script("prompt", "我们决定使用蓝色主题。", "Change the theme of the page."),
    Script("answer", "I decided to cache the tiles on disk, memory ran out.", "Speed up tiles."),
    Script("answer", "We settled on msgpack for the wire.", "Add a field to the message."),
    Script("answer", "Conclusion: the retry belongs in the client.", "Handle the timeouts."),
    Script("answer", "We chose optimistic locking for the cart.", "Two people edit a cart."),
    Script("answer", "Root cause: the worker forked after the pool was open.", "It hangs again."),
    Script(
        "answer", "Fixed: the parser dropped the last line without a newline.", "Parse the log."
    ),
    Script("answer", "The fix was to pin libvips to 8.14.", "Rebuild the image."),
    Script(
        "answer",
        "Architecture: we decided that the API layer never imports the ORM.",
        "Add a route.",
    ),
    Script("answer", "We agreed on one message bus between the services.", "Notify the shop."),
    Script(
        "answer", "Decision: the data model keeps prices as integers of cents.", "Add a discount."
    ),
    Script("answer", "Next step: migrate the last two callers of send_mail_old.", "Go on."),
    Script("answer", "Still pending: the Windows installer is not signed.", "What is left to do?"),
    Script("answer", "Blocked: waiting for the key of the weather API.", "Continue the import."),
    Script("commit", "Fix login loop when the cookie is from another subdomain", "Login loops."),
    Script("commit", "Fix off-by-one in the pager", "The last page is empty."),
    Script("commit", "Fix crash on an empty basket", "A crash report came in."),
    Script("commit", "Repair the upload of files above 2 GB", "Uploads fail for some."),
    Script("commit", "Hotfix: escape the search term", "Search for a quote fails."),
    Script("commit", "Fix regression of the dark theme", "The theme flickers."),
    Script("commit", "Bugfix: count leap days in the interest", "The interest is off."),
    Script("commit", "Fix wrong currency on the receipt", "A receipt shows dollars."),
    Script("change", "docs/adr/0007-event-sourcing.md", "Where are our decisions kept?"),
    Script("change", "docs/architecture.md", "Draw the new component."),
    Script("change", "rfcs/0012-plugins.md", "Write a plugin."),
    Script("change", "src/billing/proration.py", "Continue with the proration."),
    Script("change", "infra/terraform/dns.tf", "The domain does not resolve."),
    Script("change", "migrations/0042_split_names.sql", "Run the new migration."),
)


class ProjectSession(msgspec.Struct, frozen=True, kw_only=True):
    """The first session of a project, and what the second one needs of it.

    Attributes:
        project: Its folder.
        observations: What `Observations.record` is given, in order.
        needs: The words that must be in the block.
        task: What the second session is asked first.
    """

    project: str
    observations: tuple[dict[str, Any], ...]
    needs: str
    task: str


def project_sessions(seed: int) -> Iterator[ProjectSession]:
    """Yield the first session of every script; the same seed makes the same ones."""
    dice = random.Random(seed)  # noqa: S311  # the same for everybody
    for number, script in enumerate(SCRIPTS):
        half = (SEEN, UNSEEN)[number % 2]
        routine = make_routine(half, seed + number, ROUTINE)
        routine.insert(dice.randint(0, len(routine)), _arguments(script))
        yield ProjectSession(
            project=f"/home/dev/project-{number:02}",
            observations=tuple(routine),
            needs=script.says,
            task=script.task,
        )


def _arguments(script: Script) -> dict[str, Any]:
    match script.way:
        case "prompt":
            return {"event": "prompt", "input": script.says}
        case "answer":
            return {"event": "answer", "output": f"I have looked at it. {script.says}"}
        case "commit":
            command = f'git commit -am "{script.says}"'
            return {"tool_name": "Bash", "input": {"command": command}, "output": "1 file changed"}
        case "change":
            edited = {"file_path": script.says, "old_string": "a", "new_string": "b\nc"}
            return {"tool_name": "Edit", "input": edited, "output": "done"}
