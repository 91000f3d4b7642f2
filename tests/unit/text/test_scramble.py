"""Random letters against names."""

from __future__ import annotations

import base64
import random

import pytest

from recollect.text.scramble import is_encoded, is_scrambled


@pytest.mark.parametrize("text", ["xaNibsZfMlDO", "q7RtW2yUpA9sDfG4", "4f2a9c0b1e8d7f6a"])
def test_random_letters_are_scrambled(text: str) -> None:
    """Case or digits change at every second character."""
    assert is_scrambled(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "aB3dE",
        "password",
        "AuthenticationTokenProvider",
        "CONSTANT_NAME",
        "src/app/ui/js/Main",
        "kebab-case-of-a-name",
    ],
)
def test_names_and_paths_are_not(text: str) -> None:
    """Neither is what is too short to tell."""
    assert not is_scrambled(text)


def test_lines_of_base64_are_encoded() -> None:
    """All but one in hundreds, in either alphabet."""
    data = random.Random(7).randbytes(57 * 1_000)
    lines = base64.encodebytes(data).decode().split()
    assert sum(map(is_encoded, lines)) >= 997
    assert is_encoded(base64.urlsafe_b64encode(data).decode())


@pytest.mark.parametrize(
    "text",
    [
        "aB3" * 19,
        "shouldReturnTrueWhenTheUserIsAnAdminAndTheProjectIsNotArchivedYet",
        "notes/2026/11/20/Meeting-with-Ann-about-the-Budget-and-the-Plan-v2",
        "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
        "A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90",
    ],
)
def test_long_names_paths_and_digests_are_not_encoded(text: str) -> None:
    """They are searched for; short runs never are."""
    assert not is_encoded(text)
