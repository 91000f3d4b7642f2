"""Type, importance and trust of common moments, by tool, command and words."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.observations.classify import importance_of, spoken, trust_of, type_of
from recollect.observations.moments.evidence import Evidence
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
                "git commit -am 'Hotfix: escape the search term'",
                "git add -A && git commit -m 'fix(login): set the domain' && git push",
                "git commit -m \"$(cat <<'EOF'\nlogin: Fix the redirect\n\nwhy\nEOF\n)\"",
            ],
        ),
        (
            "git_operation",
            [
                *("git push origin main", "gh pr create", "(git stash)", "git branch -d x"),
                *("git commit -m 'Add a prefix'", "jj new", "hg up", "pytest && git push"),
                *("git commit -m 'docs: how to fix a bug'", "git status && git add -A"),
            ],
        ),
        (
            "research",
            ["curl -s https://example.com", "cd a && wget x", "sudo curl x", "ls | http GET x"],
        ),
        (
            "exploration",
            [
                *("cd src && grep -n x a.py", "rg x", "sed -n 1,5p a", "  find . -name x"),
                *("cat a.py | grep x", "jq . a.json", "git log -- fix.py", "git diff | cat"),
                *("cd app && git show HEAD~1 | head", "gh pr view 3"),
            ],
        ),
        (
            "routine",
            [
                *("cd src", "pwd", "echo hi", "sleep 3", "mkdir -p a", "ls -la", "cat a.py"),
                *("git status", "git status --short && ls src", "git branch -a", "wc -l a.py"),
                *("cd a; cd b && head a", "tail -f log", "git stash list"),
            ],
        ),
        (
            "tool_use",
            [
                *(
                    "make test",
                    "pytest -q",
                    "echo hi && make",
                    "gitk",
                    "catalogue",
                ),
                *("rm -rf /tmp/x", "python - <<E\nprint(1)\nE", "npm install"),
                *("./curl.sh", "legit status", "git status && make", "cat a | python -"),
            ],
        ),
        (
            "code_change",
            [
                *("cat > a.py <<'EOF'\nfix\nEOF", "cat <<E | tee a b\nx\nE", "sed -i s/a/b/ c"),
                "git pull && cat > a.py <<EOF\nx\nEOF\npytest",
                *("mv a.py b.py", "cd a && rm -r old", "ruff format src", "npx prettier --write ."),
                "python - <<'EOF'\nPath('a').write_text('b')\nEOF",
            ],
        ),
        ("architecture", ["cat > docs/adr/7.md <<EOF\nx\nEOF"]),
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
        ("mcp__context7__get-library-docs", {}, "research"),
    ],
)
def test_a_tool_is_of_its_kind(tool: str, input: Any, expected: str) -> None:
    """Whatever case its name is written in."""
    assert _type(_tool(tool, input)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("We decided to use Redis for the queue.", "decision"),
        ("We decided to split the monolith into services.", "decision"),
        ("As agreed, the importer stays synchronous.", "decision"),
        (
            "The gateway talks to the ledger only, and the notifier listens to the queue.",
            "architecture",
        ),
        ("The root cause was a missing index, now fixed.", "bugfix"),
        ("Das Problem ist behoben.", "bugfix"),
        ("Scrap the websocket idea, polling is enough.", "decision"),
        ("The upload failed since the boundary was quoted. I strip it now.", "bugfix"),
        ("I have looked at it. Decision: prices are integers of cents.", "decision"),
        ("The fix was to pin libvips to 8.14.", "bugfix"),
        ("The fix was never merged.", None),
        ("I added error handling to the parser.", None),
        ("the promise resolved", None),
        ("PR approved and merged", None),
        ("decision tree classifier", None),
        ("All import paths resolved", None),
        ("Did you fix the login?", None),
        ("I'll fix the tests next.", None),
        ("Please fix the flaky test.", None),
        ("The prefix is long.", None),
        ("This will fix the problem once it is deployed.", None),
        ("The error is not fixed yet.", None),
        ("The handler calls the parser, which returns a list.", None),
        ("Good morning.", None),
        ("", None),
    ],
)
def test_words_are_what_they_say(words: str, expected: str | None) -> None:
    """A decision, one about the design, a repair; a question, a plan and a word in it are none."""
    plain = {"prompt": "prompt", "manual": "tool_use"}
    for event in ("prompt", "answer", "subagent", "compaction"):
        fields = {"input": words} if event == "prompt" else {"output": words}
        of = Evidence(event=event, **fields)  # type: ignore[arg-type]  # names of events
        assert _type(of) == (expected or plain.get(event, "answer")), event
    assert _type(Evidence(event="manual", said=words)) == (expected or "tool_use")


@pytest.mark.parametrize(
    "words",
    [
        "use Postgres instead of Redis",
        "don't mock the database",
        "from now on always use pnpm, never push to main",
        "Wir nehmen SQLite statt MongoDB.",
        "我们决定用 Postgres 代替 Redis",
    ],
)
def test_what_a_person_rules_is_a_decision(words: str) -> None:
    """Issue 23: by its form, whatever its words; it is as weighty where it is to last."""
    evidence = Evidence(event="prompt", input=words)
    assert _type(evidence) == "decision"
    assert importance_of(evidence, "decision") >= 0.8


def test_a_command_of_blank_lines_is_classified_in_time() -> None:
    """It took two minutes for 60,000 of them; half a million would never end."""
    evidence = _tool("Bash", {"command": " \n" * 500_000 + "curl https://example.org"})
    assert trust_of(evidence, is_owners=True) == "web"
    assert trust_of(_tool("Bash", {"command": "A=b\n" * 250_000}), is_owners=True) == "tool"


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
    """Decisions above repairs above changes above looks; words that say no more are between."""
    kinds = ["decision", "bugfix", "code_change", "git_operation", "tool_use", "exploration"]
    plain = Evidence(event="tool", tool_name="Bash", input={"command": "git push"})
    values = [importance_of(plain, kind) for kind in [*kinds, "routine"]]
    assert values == sorted(set(values), reverse=True) == [0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1]
    assert importance_of(plain, "architecture") == 0.8
    assert importance_of(plain, "research") == 0.4
    assert importance_of(plain, "a kind of my own") == 0.3
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


@pytest.mark.parametrize(
    ("words", "importance"),
    [
        *(("ok thanks", 0.1), ("谢谢", 0.1), ("Alles klar.", 0.1), ("?", 0.1)),
        *(("why does the promise resolve twice in useCart?", 0.3), ("帮我看一下昨天的日志", 0.3)),
        ("I prefer tabs over spaces.", 0.5),
    ],
)
def test_a_few_plain_words_matter_least(words: str, importance: float) -> None:
    """No later session needs them; a preference is wanted later."""
    evidence = Evidence(event="prompt", input=words)
    assert _type(evidence) == "prompt"
    assert importance_of(evidence, "prompt") == importance
