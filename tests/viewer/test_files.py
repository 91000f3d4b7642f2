"""Files: notes with their chunks; what files were, and the way back, with conflicts and undo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import recollect
from tests.support.hostile_texts import HOSTILE
from tests.support.viewer_files import CART, FILE_VIEWS, NOTES, OWN, TITLE, fill_files
from tests.support.viewer_home import OVERRIDES
from tests.support.viewer_pages import TOKEN_KEY, Served, Viewer
from tests.support.viewer_views import SCREENS, WIDTHS, View, serious_findings, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

USABLE = """() => [...document.querySelectorAll("button, a, input, select, textarea")]
  .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled)
  .map((each) => each.outerHTML.slice(0, 120))"""
MINE = f"{OWN}a line of mine\n"
BEFORE = "first line\nsecond line\nthird line\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The tree that the agent changed."""
    return fill_files(tmp_path / "home", tmp_path)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A home with every text as a note, in a file, in its name and in a label."""
    home, root, notes = tmp_path / "home", tmp_path / "tree", tmp_path / "workspace" / "memory"
    root.mkdir()
    notes.mkdir(parents=True)
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(f"workspace: {{path: {notes.parent}}}\n")
    texts = [text.replace("\0", "␀") for text in HOSTILE]  # a file with NUL is no note
    names = [re.sub(r"[/\0]", "∕", text)[:50] for text in HOSTILE]
    for name, text in zip(names[::10], texts[::10], strict=True):
        (notes / f"{name}.md").write_text(f"{text[:9_000]}\n", "utf-8")
    (notes.parent / "MEMORY.md").write_text("\n\n".join(texts), "utf-8")
    with recollect.open(home, workspace=notes.parent, overrides=OVERRIDES) as memory:
        session = memory.sessions.create(title=HOSTILE[0])
        with memory.checkpoints.around(session.id, root, tool_name="Bash"):
            for name, text in zip(names[:60], HOSTILE[:60], strict=True):
                (root / f"{name} file").write_text(text, "utf-8")
        for text in texts[::20]:
            memory.checkpoints.take(session.id, root, [], text[:200])
        memory.sync()
    return home


@pytest.fixture
def files(browser: Browser, shop: Path) -> Iterator[Viewer]:
    """Pages over a worker that knows the tree."""
    worker = Served(shop.parent / "home")
    viewer = Viewer(browser, worker)
    try:
        yield viewer
        viewer.close()
    finally:
        worker.stop()


def _checkpoint(files: Viewer) -> tuple[Page, Locator]:
    page = files.open("#/files/checkpoints/c1")
    opened = page.get_by_role("complementary", name="Opened checkpoint")
    opened.get_by_text("cart.py").wait_for()
    return page, opened


TIDY = """() => {
  const outside = [...document.querySelectorAll(".row, .files-item, .files-block, .md > *")];
  return [
    document.documentElement.scrollWidth - innerWidth,
    document.documentElement.scrollHeight - innerHeight,
    outside.filter((each) => {
      const { left, right } = each.getBoundingClientRect();
      return left < 0 || right > innerWidth + 1;
    }).map((each) => each.textContent.slice(0, 80)),
    window.hostile === undefined,
  ];
}"""


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_texts_are_text(browser: Browser, hostile: Path, width: int) -> None:
    """As names, as Markdown, as diffs, as labels; nothing runs, nothing leaves its place."""
    worker = Served(hostile)
    viewer = Viewer(browser, worker)
    try:
        page = viewer.open("#/files", viewport={"width": width, "height": 800})
        page.locator(".files-row").first.wait_for()
        assert page.evaluate(TIDY) == [0, 0, [], True]
        for address, shows in (
            ("#/files/memory/MEMORY.md", ".files-block"),
            ("#/files/memory/MEMORY.md?as=source", ".lines-line"),
            ("#/files/checkpoints", ".files-row"),
            ("#/files/checkpoints/c1", ".files-item"),
        ):
            page.evaluate("address => location.hash = address", address)
            page.locator(shows).first.wait_for()
            for button in page.get_by_role(
                "button", name=re.compile("^(More, from|Diff of)")
            ).all():
                button.click()
            assert page.evaluate(TIDY) == [0, 0, [], True], address
        assert page.locator(".files-item").count() > 50
        page.keyboard.press("Escape")
        page.keyboard.press("m")
        for row in page.locator(".files-row").all():
            row.click()
            page.locator(".files-body").wait_for()
            assert page.evaluate(TIDY) == [0, 0, [], True]
            page.keyboard.press("Escape")
        viewer.close()
    finally:
        worker.stop()


@pytest.mark.parametrize("view", FILE_VIEWS, ids=str)
def test_axe_finds_nothing_serious(files: Viewer, view: View) -> None:
    """In both themes, wide and narrow; and all that can be used is reached by Tab."""
    for scheme, width in SCREENS:
        size = {"width": width, "height": 800}
        page = files.open(view.address, color_scheme=scheme, viewport=size)
        settled(page, view)
        assert serious_findings(page) == []
        usable = page.evaluate(USABLE)
        page.evaluate("document.activeElement?.blur()")
        reached = []
        for _ in range(len(usable) + 12):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
        assert [each for each in usable if each not in reached] == []


def _agree(page: Page, typed: str = "") -> None:
    dialog = page.get_by_role("dialog")
    if typed:
        assert dialog.get_by_role("button", name="Rewind").is_disabled()
        dialog.get_by_role("textbox").fill(typed)
    dialog.locator("footer button").last.click()
    dialog.wait_for(state="hidden")


def test_keys_alone_lead_to_a_file_and_its_lines(files: Viewer) -> None:
    """`g f`, down, Enter; the chunks stand where they begin, and a line has an address."""
    page = files.open("#/live")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.get_by_text("MEMORY.md").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    opened = page.get_by_role("complementary", name="Opened file")
    opened.get_by_role("heading", name="Decisions").wait_for()
    lines = len(NOTES.splitlines())
    assert re.search(rf"{lines} lines, \d+ chunks, \d+ tokens", opened.inner_text())
    mark = opened.get_by_role("link", name="lines 1–").first
    mark.click()
    page.wait_for_function("location.hash.includes('line=1&to=')")
    assert "Harbour" in opened.locator(".files-block.marked").first.inner_text()
    opened.get_by_role("link", name="Line 7", exact=True).click()
    page.reload()
    opened.locator(".files-block.marked").get_by_text("The queue is").wait_for()
    page.keyboard.press("Escape")
    opened.wait_for(state="hidden")


def test_markdown_is_nodes_and_never_markup(files: Viewer) -> None:
    """Each kind of block; only http(s) is a link, and it opens elsewhere."""
    page = files.open("#/files/memory/MEMORY.md")
    body = page.locator(".files-body")
    body.get_by_role("heading", name="ملاحظات").wait_for()
    assert body.get_by_role("cell", name="Mara").is_visible()
    assert "a fence keeps <b>markup</b> as it is" in body.locator(".md-code").inner_text()
    assert body.locator("strong", has_text="tides").is_visible()
    assert body.locator("ol > li", has_text="in tables").is_visible()
    assert body.locator("blockquote").inner_text().startswith("Low water")
    assert "<script>alert(1)</script>" in body.inner_text()
    links = body.locator(".md a").evaluate_all("all => all.map((a) => [a.href, a.rel, a.target])")
    away = ["noopener noreferrer", "_blank"]
    assert links == [
        ["https://tides.example/low?day=1", *away],
        ["https://tides.example/ar", *away],
    ]


def test_a_long_file_is_shown_in_part(files: Viewer) -> None:
    """The source scrolls to the line of its address, with some hundred lines in the page."""
    path = "#/files/memory/memory%2F2026-05-04.md"
    page = files.open(f"{path}?line=1500&as=source")
    page.locator(".lines-line.marked", has_text="Line 1497 of").wait_for()
    assert page.locator(".lines-line").count() < 250
    page.locator(".lines").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.get_by_text("Line 2999 of a long list").wait_for()


def test_a_conflict_is_resolved_by_path_and_the_rewind_is_undone(files: Viewer, shop: Path) -> None:
    """Keep one path, put the others back with a typed word; undo and redo from the list."""
    page, opened = _checkpoint(files)
    assert opened.locator(".lines-line.removed", has_text="return 3 * total").is_visible()
    rewind = opened.get_by_role("button", name="Rewind…")
    assert rewind.is_disabled()
    opened.get_by_label("What to do with notes.txt").select_option("keep")
    opened.get_by_text("Restore 1, delete 1.").wait_for()
    assert opened.get_by_text("recollect rewind c1 --keep").is_visible()
    rewind.click()
    _agree(page, "rewind")
    page.get_by_text("Rewound to c1").wait_for()
    assert (shop / "cart.py").read_text() == CART
    assert not (shop / "new.py").exists()
    assert (shop / "notes.txt").read_text() == MINE
    page.get_by_role("link", name="Rewinds").click()
    page.get_by_role("link", name="To c1").click()
    for name, says in (("Undo…", "Taken back"), ("Redo…", "Done again")):
        page.get_by_role("button", name=name).click()
        _agree(page)
        page.get_by_text(says).wait_for()
        assert (shop / "new.py").exists() == (name == "Undo…")
        page.get_by_role("button", name="Dismiss").last.click()


@pytest.mark.parametrize(
    ("choice", "content"), [("force", BEFORE), ("merge", f"{BEFORE}a line of mine\n")]
)
def test_force_and_merge(files: Viewer, shop: Path, choice: str, content: str) -> None:
    """What somebody else did is replaced, or what the session did is taken out of it."""
    page, opened = _checkpoint(files)
    for path in ("cart.py", "new.py"):
        opened.get_by_label(f"Put back {path}").uncheck()
    opened.get_by_label("What to do with notes.txt").select_option(choice)
    word = "Merge 1." if choice == "merge" else "Restore 1."
    opened.get_by_text(word).wait_for()
    opened.get_by_role("button", name="Rewind…").click()
    _agree(page, "rewind" if choice == "force" else "")
    page.get_by_text("Rewound to c1").wait_for()
    assert (shop / "notes.txt").read_text() == content
    assert (shop / "new.py").exists()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_timeout(50)
    opened.get_by_text("Merge 1.").or_(opened.get_by_text("Restore 1.")).wait_for()
    assert (shop / "notes.txt").read_text() == MINE


def test_messages_leave_alone_or_with_the_files(files: Viewer, shop: Path) -> None:
    """The plan names them; alone they leave the files as they are."""
    page, opened = _checkpoint(files)
    opened.get_by_role("button", name="Files and conversation").click()
    opened.get_by_label("What to do with notes.txt").select_option("keep")
    opened.get_by_text("message 2 out of the conversation").wait_for()
    opened.get_by_role("button", name="Conversation", exact=True).click()
    opened.get_by_text("Message 2 out of the conversation.").wait_for()
    assert opened.get_by_text("recollect rewind c1 --scope conversation").is_visible()
    opened.get_by_role("button", name="Rewind…").click()
    _agree(page, "rewind")
    page.get_by_text("Rewound to c1").wait_for()
    assert (shop / "new.py").exists()
    page.get_by_role("link", name="Rewinds").click()
    page.get_by_role("link", name="Message 2 out of").click()
    assert page.get_by_label("The messages, too").is_checked()


def test_keys_alone_rewind(files: Viewer, shop: Path) -> None:
    """From the list to the end: letters, Tab, Space, and the word."""
    (shop / "notes.txt").write_text(OWN)
    page = files.open("#/files")
    page.keyboard.press("c")
    page.get_by_text(TITLE).wait_for()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.get_by_text("Restore 2, delete 1.").wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == "Rewind…":
            break
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("textbox").focus()
    page.keyboard.type("rewind")
    page.keyboard.press("Enter")
    page.get_by_text("Rewound to c1").wait_for()
    assert (shop / "cart.py").read_text() == CART


def test_what_changed_meanwhile_is_planned_again(files: Viewer, shop: Path) -> None:
    """A plan that is out of date is refused by the worker, and another one is there."""
    files.expected = ["409"]
    page, opened = _checkpoint(files)
    opened.get_by_label("What to do with notes.txt").select_option("keep")
    opened.get_by_text("Restore 1, delete 1.").wait_for()
    (shop / "cart.py").write_text("mine\n")
    opened.get_by_role("button", name="Rewind…").click()
    _agree(page, "rewind")
    page.get_by_text("the plan is out of date").wait_for()
    opened.get_by_label("What to do with cart.py").wait_for()
    assert (shop / "cart.py").read_text() == "mine\n"


def test_a_token_that_may_only_plan_is_given_the_command(files: Viewer, shop: Path) -> None:
    """The refusal, and what the owner runs."""
    files.expected = ["403"]
    body = {"name": "planner", "rights": "write", "audience": "owner"}
    token = files.worker.call("POST", "/api/tokens", body)["text"]
    page, opened = _checkpoint(files)
    page.evaluate(f"sessionStorage.setItem('{TOKEN_KEY}', '{token}')")
    opened.get_by_label("What to do with notes.txt").select_option("keep")
    opened.get_by_text("Restore 1, delete 1.").wait_for()
    opened.get_by_role("button", name="Rewind…").click()
    _agree(page, "rewind")
    opened.get_by_text("This token may plan, and not put files back.").wait_for()
    assert opened.get_by_text("recollect rewind c1 --keep").is_visible()
    assert (shop / "new.py").exists()


def test_an_interrupted_rewind_is_named(files: Viewer) -> None:
    """With its paths, and the command that ends it."""
    page, opened = _checkpoint(files)
    opened.get_by_label("What to do with notes.txt").select_option("keep")
    opened.get_by_text("Restore 1, delete 1.").wait_for()
    opened.get_by_role("button", name="Rewind…").click()
    _agree(page, "rewind")
    page.get_by_text("Rewound to c1").wait_for()
    answer = files.worker.call("GET", "/api/rewinds")
    answer["rewinds"][0]["status"] = "interrupted"
    answer["rewinds"][0]["items"][0]["outcome"] = "unresolved"
    page.route("**/api/rewinds?*", lambda route: route.fulfill(json=answer))
    page.get_by_role("link", name="Rewinds").click()
    page.get_by_role("link", name="interrupted").click()
    opened = page.get_by_role("complementary", name="Opened rewind")
    opened.get_by_text("It was cut off, and 1 path changed since.").wait_for()
    assert opened.get_by_text("unresolved").is_visible()
    assert opened.get_by_text(re.compile("recollect rewind --resolve .* --keep")).is_visible()
