"""Projects: worktrees are one, clones are two until a person says otherwise."""

# start
from pathlib import Path

import recollect


def make_tree(name: str) -> Path:
    """Make what `git clone git@github.com:acme/shop.git NAME` leaves, as far as it matters."""
    git = Path(name).absolute() / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    return git.parent


shop, again = make_tree("shop"), make_tree("again")
(shop / "src").mkdir()

with recollect.open("my-memory") as memory:
    for folder in (shop, shop / "src", again):
        memory.sessions.create(project=str(folder))
    print(len(memory.sessions.list(project="shop")), "sessions in the shop and below")

    first, second = memory.projects.list()
    print(first.name, "looks like", *first.looks_like)
    memory.projects.merge("again", "shop")
    print(len(memory.sessions.list(project=str(again))), "after the merge")
    memory.projects.unmerge("again", "shop")
    print(len(memory.sessions.list(project=str(again))), "after it was undone")
# end
