"""Type, importance and trust of common moments, by tool, command and words."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.observations.classify import importance_of, spoken, trust_of, type_of
from recollect.observations.evidence import Evidence
from recollect.observations.summary import files_of


def _tool(name: str, input: Any = None, **more: Any) -> Evidence:  # as the field
    return Evidence(event="tool", tool_name=name, input=input, **more)


def _type(evidence: Evidence) -> str:
    return type_of(evidence, files_of(evidence))


@pytest.mark.parametrize(
    ("expected", "commands"),
    [
        (
            "bugfix",
            [
                "git commit -m 'Fix the PATH of cron'",
                "cd app && git -C app commit -m 'fixes #3'",
                "git -c user.name=x --no-pager commit -am 'hotfix'",
                "GIT_DIR=x sudo git commit -m 'Repaired the roof'",
                "cd a; git commit -m '修复登录'",
            ],
        ),
        (
            "git_operation",
            [
                *("git status", "git push origin main", "gh pr create", "git log -- fix.py"),
                *("(git rev-parse HEAD)", "git commit -m 'Add a prefix'", "jj new", "hg up"),
            ],
        ),
        (
            "research",
            ["curl -s https://example.com", "cd a && wget x", "sudo curl x", "ls | http GET x"],
        ),
        (
            "exploration",
            [
                *(
                    "cat a.py",
                    "cd src && grep -n x a.py",
                    "rg x",
                    "sed -n 1,5p a",
                    "  find . -name x",
                ),
                *("cd a; cd b && head a", "tail -f log", "jq . a.json"),
            ],
        ),
        ("routine", ["cd src", "pwd", "echo hi", "sleep 3", "mkdir -p a", "ls -la"]),
        (
            "tool_use",
            [
                *(
                    "make test",
                    "pytest -q",
                    "echo hi && make",
                    "gitk",
                    "catalogue",
                    "sed -i s/a/b/ c",
                ),
                *("./curl.sh", "legit status"),
            ],
        ),
    ],
)
def test_a_command_is_what_it_does(expected: str, commands: list[str]) -> None:
    """By its verb; of a chain what git, the web or the first look say."""
    for command in commands:
        for tool_input in ({"command": command}, {"cmd": command}, command):
            assert _type(_tool("Bash", tool_input)) == expected, tool_input


@pytest.mark.parametrize(
    ("tool", "input", "expected"),
    [
        ("Edit", {"file_path": "src/app.py"}, "code_change"),
        (" MultiEdit ", {"file_path": "src/app.py"}, "code_change"),
        ("apply_patch", {"input": "*** Update File: docs/adr/0001.md\n"}, "architecture"),
        ("Write", {"file_path": "docs/RFCs/7.md"}, "architecture"),
        ("Write", {"file_path": "Architecture.md"}, "architecture"),
        ("Write", {"file_path": "src/designer.py"}, "code_change"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, "exploration"),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.py"}, "code_change"),
        ("WebSearch", {"query": "fix"}, "research"),
        ("web_fetch", {"url": "https://example.com"}, "research"),
        ("TodoWrite", {}, "routine"),
        ("BashOutput", {}, "routine"),
        ("Read", {"file_path": "docs/adr/0001.md"}, "exploration"),
        ("Grep", {"pattern": "fix"}, "exploration"),
        ("mcp__tea__brew", {}, "tool_use"),
    ],
)
def test_a_tool_is_of_its_kind(tool: str, input: Any, expected: str) -> None:
    """Whatever case its name is written in."""
    assert _type(_tool(tool, input)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("We decided to use Redis for the queue.", "decision"),
        ("We decided to split the monolith into services.", "architecture"),
        ("Let's go with the plug-in interface for exporters.", "architecture"),
        ("The root cause was a missing index, now fixed.", "bugfix"),
        ("Das Problem ist behoben.", "bugfix"),
        ("Did you fix the login?", "tool_use"),
        ("The prefix is long.", "tool_use"),
        ("Good morning.", "tool_use"),
        ("", "tool_use"),
    ],
)
def test_words_are_what_they_say(words: str, expected: str) -> None:
    """A decision, one about the design, a repair; a question is neither."""
    for event in ("prompt", "answer", "subagent", "compaction"):
        fields = {"input": words} if event == "prompt" else {"output": words}
        assert _type(Evidence(event=event, **fields)) == expected, event  # type: ignore[arg-type]  # names of events
    assert _type(Evidence(event="manual", said=words)) == expected


def test_words_that_are_spoken_are_those_of_the_event() -> None:
    """Of a prompt what was asked; else the caller's own, what came back, what was given."""
    assert spoken(Evidence(event="prompt", input="asked", output="back")) == "asked"
    assert spoken(Evidence(event="answer", input="given", output="back")) == "back"
    assert spoken(Evidence(event="answer", input="given")) == "given"
    assert spoken(Evidence(event="answer", input="given", output="back", said="own")) == "own"
    assert spoken(Evidence(event="prompt", input={"a": 1}, output="back")) == "back"
    assert not spoken(Evidence(event="manual", input={"a": 1}))
    assert _type(Evidence(event="interrupted", output="We decided to use Redis.")) == "routine"


def test_importance_grows_with_the_kind_with_failure_and_with_what_must_last() -> None:
    """Decisions above repairs above changes above looks; a look at a repository is a trifle."""
    kinds = ["decision", "bugfix", "code_change", "git_operation", "tool_use", "exploration"]
    plain = Evidence(event="tool", tool_name="Bash", input={"command": "git push"})
    values = [importance_of(plain, kind) for kind in [*kinds, "routine"]]
    assert values == sorted(set(values), reverse=True) == [0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1]
    assert importance_of(plain, "architecture") == 0.8
    assert importance_of(plain, "research") == 0.4
    assert importance_of(plain, "a kind of my own") == 0.3
    look = Evidence(event="tool", tool_name="Bash", input={"command": "git status"})
    assert importance_of(look, "git_operation") == 0.2
    assert importance_of(look, "bugfix") == 0.7
    failed = Evidence(event="tool", tool_name="Bash", error="exit 1")
    assert importance_of(failed, "tool_use") == 0.45
    lasting = Evidence(event="prompt", input="Remember: always use pnpm.")
    assert importance_of(lasting, "decision") == 1.0
    assert importance_of(Evidence(event="tool", tool_name="x", said="Remember: pnpm."), "x") == 0.3


@pytest.mark.parametrize(
    ("evidence", "is_owners", "trust"),
    [
        (Evidence(event="prompt", input="a"), True, "owner"),
        (Evidence(event="prompt", input="a"), False, "group"),
        (Evidence(event="answer", output="a"), False, "agent"),
        (Evidence(event="manual", said="a"), True, "agent"),
        (Evidence(event="prompt", input="a", trust="imported"), True, "imported"),
        (_tool("WebFetch", {"url": "https://a"}), True, "web"),
        (_tool("Bash", {"command": "curl https://a"}), True, "web"),
        (_tool("Bash", {"command": "make test"}), True, "tool"),
        (_tool("Read", {"command": "curl https://a"}), True, "tool"),
    ],
)
def test_trust_is_whose_words_they_are(evidence: Evidence, is_owners: bool, trust: str) -> None:
    """The owner's, a group's, the agent's, a tool's, the web's; or as the caller says."""
    assert trust_of(evidence, is_owners=is_owners) == trust
