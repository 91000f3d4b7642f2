"""Examples: every snippet of the documentation runs, and prints what its page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"

SAYS = {
    "agents_share.py": "agent:codex:main ['The staging host is called kestrel.']\n"
    "agent:codex:telegram:direct:7 []\n[('blog', 'The staging host of the blog is called wren.'), "
    "('shop', 'The staging host is called kestrel.')]\n",
    "async_first_steps.py": "No tins: they let the damp in.\n1 SessionCreated",
    "async_many.py": "True trays: 20\ngarden",
    "agent_loop.py": "It is written down.\nRedis.\n",
    "annotations.py": "MEMORY.md#L3",
    "backup.py": "what was there: /",
    "capture.py": "0 messages, 1 transcript left unread\n1 message after the pause\nFalse ['off']",
    "chat.py": "Remembered: f2 I live in Oslo\nNo longer: f1 I live in Rome\n"
    "Remembered: f3 I prefer tea\nThe fact does not exist: give the number that it was remembered "
    "with, or all of its words.\n"
    "/facts is the owner's. You can use /help, /new, /reset, /remember, /forget.\n"
    "- f2 I live in Oslo\nThe command /contxt does not exist. Did you mean /context?\n",
    "checkpoints.py": "cart.py restore clean\nnotes.txt delete conflict\n"
    "rewind_conflict ('notes.txt',)\ntotal = 0\ntotal = 1\n",
    "chunks.py": "lines 1 to",
    "context.py": "True 0 [1, 3, 2]\n{'kind': 0.5, 'importance': 0.2, 'recency': 0.3}\n[4]\n"
    "resume True",
    "contradictions.py": "('m1',) I've never used citation software like Zotero, where do I"
    " start?\n"
    "('m2',) I just downloaded Zotero, to manage my references.\n"
    "('m3',) The API rate limit is 250 requests per minute.\n"
    "('m4',) The API rate limit is 100 requests per minute.\n",
    "conversation.py": "3 user That is the one.",
    "episodes.py": "Fixed: the hose is tight. ('Shall I order a spare clamp?',)\n"
    "e1 ('hose', 'clamp')\n"
    "## What I Know About You\n- I sail a boat with a green hull.\n\n## Recent Conversations\n",
    "events.py": "called: 2 1\n",
    "erase_people.py": "1 2 1\n['I did not.']\n[]\n",
    "erase.py": "True\n2 2 ()\nTrue [] []\n",
    "exchange.py": "2 messages, 1 observation\n"
    "{'message': 2, 'observation': 1, 'session': 1}\n{} 4 known\n"
    "['Which teas keep?', 'Pu-erh, if it is dry.']",
    "facts.py": "new f1 preference owner\nknown\n['Has a dog named Max']\n"
    "[('Has a dog named Max', True)]\nfacts fact:f1 ('preference', None)\n"
    "I prefer dark mode\n0 current\n"
    "['new', 'corrected', 'restored', 'forgotten', 'restored']\nreplaced [3]\ncurrent\n"
    "review [4]\nowner\n",
    "export.py": "2 messages in claude-code\nTea ['Which teas keep?', 'Pu-erh, if it is dry.']",
    "asking.py": "when is Clara's piano lesson? -> Clara has her piano lesson on Tuesdays.\n"
    "when is Clara's piano lesson nowadays? -> Clara's new teacher gives the piano lesson on"
    " Fridays.\nwhat did you say about my shin? -> Skip the intervals, and ice the shin.\n"
    "Was hast du zu meinem shin gesagt? -> Skip the intervals, and ice the shin.\n",
    "lists.py": "0.06 Ana The hamster fell ill on Sunday.\n0.04 Ana My goldfish has a new tank.\n"
    "0.00 Ana Pets cost money, too.\n",
    "letters.py": "sorensen -> Sørensen ships the lamps.\nthor -> Þór pays on Fridays.\n",
    "many_programs.py": "Ann: 2 Bob: 1\nworker 2 0\n",
    "projects.py": "2 sessions in the shop and below\nshop looks like again\n3 after the merge\n1 ",
    "responder.py": "typing ''\npiece 'It hangs behind '\npiece 'the door.'\n"
    "block 'It hangs behind the door.'\nreply ''\n"
    "answered It hangs behind the door. 2\n"
    "['said', 'said', 'episodes']\nsilent\n",
    "recover.py": "records_lost\n1 would come back\n1 1 0\nLanterns 1",
    "retention.py": "60 messages would go\n60 1640 True\nDay 30?",
    "short_numbers.py": "1 2\nPu-erh, if it is dry.\nTea\nWhich teas keep?\n",
    "language_model.py": "blue. openai:some-model\nNora wants blue 7",
    "sections.py": "[(3, '#1', 'Redis for the queue')]\n['MEMORY.md:3']\nwritten (1,) ()\n",
    "scrub.py": "{'messages': 1}\n{'pattern': 1} True\nThe badge is [redacted:p",
    "memory_lifecycle.py": "[('I live in Bristol now', 'personal'), ('I prefer green tea', "
    "'preference')]\n['I live in Leeds']\npreference True 0.7 1\n"
    "## What I Know About You\n- The kettle is in the blue box\n[True] ()\n1\nTrue 4\n"
    "['I prefer green tea', 'The kettle is in the blue box']\ncurrent\ncurrent\n",
    "mcp_client.py": "[('m1', 'sessions', 'owner'), ('#1', 'observations', 'agent')]\n[]\n",
    "personal_numbers.py": "Paid with [redacted:card:",
    "redaction.py": "the event id must not hold a secret",
    "first_steps.py": "Mira: No tins: they let the damp in.",
    "reading.py": "line 300 of 300\nnot_found",
    "observations.py": "#9 decision 1.0: We decided to use Redis for the queue. (owner)\n"
    "observation:#1 [1] ('#99',) True\nPATH of cron fixed\n('#1',) 8\n",
    "observed_types.py": "decision: Use Postgres instead of Redis for the queue.\n"
    "prompt: Should we use Postgres instead of Redis?\nanswer: PR approved and merged.\n"
    "code_change: Edit src/pot.py\nbugfix: git commit, push: Fix the cold pot\n"
    "tool_use: Tests: pytest -q (2 failed, 40 passed)\nroutine: Bash: git status && ls\n",
    "wrong_arguments.py": "invalid_input - limit must be a whole number or None\n"
    "at must be a whole number, a datetime or None - pass a whole number, a datetime or None; it "
    "was of the type str\nSession(id='",
    "tokens.py": "['The bot counts the harvest.']\nnot_found\ndenied\ndenied\n"
    "[('token.add', None), ('right.admin', 'bot'), ('token.revoke', None)]",
    "three_steps.py": "['m1', '#1', '#2', '#3', '#4', 'm2'] True\n"
    "['#4', 'm2', '#1'] ('#99',)\nRaised the idle timeout of redis to an hour True\nTrue\n",
    "multilingual.py": "The landlord puts the rent up in July.\n"
    "Der Zahnarzt zieht den Weisheitszahn am Montag.\n",
    "own_model.py": "The kitten slept in the garden.",
    "own_server.py": "hybrid",
    "preview.py": "read 1, embed 0 with None: 0.0 USD",
    "server.py": "{'sessions': 1, 'messages': 0, 'observations': 1, 'episodes': 0, 'facts': 0}\n"
    "{'error': {'code': 'foreign_origin', ",
    "since_until.py": "['The gasket is ordered.']\n['The gasket came.']\n",
    "sessions_end.py": "- changed: kettle.py\nTrue True",
    "sessions_groups.py": "agent:main:slack:group:C1 []\ngroup True False read_only\nTrue False\n",
    "sessions_handoff.py": "conflict - another program is using the session\n1 2\nTrue",
    "sessions_manager.py": "Good morning']\nTrue archived\nTrue\n2\ncompacted",
    "identities.py": "2\n1\n[('discord:7', 'code'), ('signal:7', 'resolved')]\n",
    "sessions_people.py": "My tea is Sencha.', 'Noted: My tea is Sencha.']",
    "sessions_rewind.py": "[]\n3\nrewind_conflict fork it at 3: the fork shows what was taken out",
    "sessions_policy.py": "balanced ['Draft a policy for opened tins.', 'Opened tins are taken",
    "sessions_queue.py": "True",
    "sessions_research.py": "65 % keeps it alive.', 'And at 70 %?']",
    "sessions_store.py": "Delivery Harvest\n['Delivery'] True",
    "sessions_stream.py": "Pu-erh and white tea, if it is dry.",
    "sessions_support.py": "-> kettle K2, bought in May\nactive K2 had a bad seal.",
    "streamed_answer.py": "The quilt is blue.",
    "webhook.py": "",
    "worker.py": "The kettle is in the blue box.\nstopped True",
    "sessions_window.py": "True True True\nThere are 64 tins on it.\n121",
}
"""A text that the output of each snippet holds."""


UNDER_BOTH = ("first_steps.py", "server.py", "tokens.py")
"""The quickstart, and what begins sessions under plain names: these run whosesoever those are."""


def test_every_example_is_tested() -> None:
    """A snippet that is not in the table would rot."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize(
    ("name", "plain_keys"),
    [*((name, "person") for name in sorted(SAYS)), *((name, "owner") for name in UNDER_BOTH)],
)
def test_an_example_runs_and_says_what_it_should(
    name: str, plain_keys: str, tmp_path: Path
) -> None:
    """Snippets are included into the pages from these files, so they cannot differ."""
    assert SAYS[name] in _said(EXAMPLES / name, plain_keys, tmp_path)


@pytest.mark.parametrize("plain_keys", ["person", "owner"])
def test_the_program_of_the_readme_runs_as_it_is(plain_keys: str, tmp_path: Path) -> None:
    """It is what most people try first."""
    (program,) = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"))
    written = tmp_path / "program.py"
    written.write_text(program, "utf-8")
    assert "No tins: they let the damp in." in _said(written, plain_keys, tmp_path)


def _said(program: Path, plain_keys: str, folder: Path) -> str:
    """Return what a program prints in a process and a home of its own."""
    environ = {
        "HOME": str(folder),
        "RECOLLECT_EMBEDDING__PROVIDER": "none",
        "RECOLLECT_HOME": str(folder / "home"),
        "RECOLLECT_SESSIONS__PLAIN_KEYS": plain_keys,
        "PYTHONPATH": str(ROOT),  # the stand-ins of providers are in tests.support
    }
    command = [sys.executable, str(program)]
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
