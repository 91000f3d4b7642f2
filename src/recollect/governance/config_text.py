"""``config.yaml`` as a file: changed in one step, or copied without its secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from recollect.core.settings import list_options
from recollect.core.settings.config_file import first_config
from recollect.core.settings.sources import FILE_NAME, loader_for
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, write_file
from recollect.text.secret_redactor import SecretRedactor


def rewrite_config(home: Path, change: Callable[[str], str]) -> tuple[str, str]:
    """Replace the settings of a home, and return the text before and after.

    Nothing is written where nothing changes; a missing file begins with its explanations.

    Args:
        home: The folder of the memory.
        change: Returns the text afterwards.

    Raises:
        StoreError: the file cannot be read or written.
    """
    path = home / FILE_NAME
    with os_errors(path):
        earlier = path.read_text("utf-8-sig") if path.exists() else ""
    after = change(earlier or first_config())
    if after != earlier:
        private_folder(home)
        write_file(path, after.encode())
    return earlier, after


def without_keys(text: str, redactor: SecretRedactor | None) -> str:
    """Return settings without secrets; unchanged where there are none.

    Whole lines are removed. Where that would change another setting, all comments are removed too.

    Args:
        text: Of a config.yaml that can be read.
        redactor: Finds keys in other settings and in comments.
    """
    hidden = {option.key.rpartition(".")[2] for option in list_options() if option.secret}

    def is_sound(line: str) -> bool:
        bare = line.replace("<private>", "")  # our own explanations name the block
        return redactor is None or redactor.text(bare) == bare

    root = loader_for(text).get_single_node()
    dropped = set(_lines_of(root, hidden))
    lines = [
        line
        for number, line in enumerate(text.splitlines(keepends=True))
        if number not in dropped and (is_sound(line) or not line.lstrip().startswith("#"))
    ]
    public = _left(loader_for(text).get_single_data(), hidden)
    if all(map(is_sound, lines)) and _says("".join(lines), public, hidden):
        return "".join(lines)
    rewritten = yaml.safe_dump(public, sort_keys=False, allow_unicode=True)
    return rewritten if redactor is None else redactor.text(rewritten)


def _says(text: str, expected: Any, hidden: set[str]) -> bool:
    try:
        return bool(_left(loader_for(text).get_single_data(), hidden) == expected)
    except yaml.YAMLError:
        return False


def _lines_of(node: yaml.Node | None, hidden: set[str]) -> Iterator[int]:
    """Yield the numbers, from 0, of the lines that hold a secret and its key."""
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        if key.value in hidden and value.value and not value.tag.endswith(":null"):
            last = value.end_mark.line + (value.end_mark.column > 0)
            yield from range(key.start_mark.line, max(last, key.start_mark.line + 1))
        else:
            yield from _lines_of(value, hidden)


def _left(value: Any, hidden: set[str]) -> Any:
    """Return settings without secrets, and without sections that are empty."""
    if not isinstance(value, dict):
        return value
    inner = {
        key: _left(each, hidden)
        for key, each in value.items()
        if not (key in hidden and each not in (None, "", []))
    }
    return {key: each for key, each in inner.items() if each not in (None, {})}
