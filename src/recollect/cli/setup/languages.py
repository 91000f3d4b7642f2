"""Which languages are spoken, and what reads them: `init` asks, and offers the model for them."""

from __future__ import annotations

import re
from pathlib import Path

import typer

from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings, locale_languages
from recollect.models.languages import MULTILINGUAL

ENGLISH = "en"
ENGLISH_MB, MULTILINGUAL_MB = 80, 31
"""What is downloaded, once; see docs/models.md."""
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,4})?")


def spoken(text: str | None, *, is_asked: bool) -> list[str]:
    """Return the languages that are spoken: as given, else as a person answers, else the locale's.

    Args:
        text: Codes such as ``en,de,zh``; None where none were given.
        is_asked: Whether a person can answer.

    Raises:
        InvalidInput: one of them is not a code.
    """
    if text is None and is_asked:
        usual = ",".join(locale_languages() or (ENGLISH,))
        question = "Which languages do you and your agents write? Codes such as en,de,zh"
        text = typer.prompt(question, default=usual, err=True)
    if text is None:
        return list(locale_languages())
    codes = [code for code in re.split(r"[,\s]+", text.strip().lower()) if code]
    if not codes or not all(map(_CODE.fullmatch, codes)):
        raise InvalidInput("the languages must be codes", hint="give such as en,de,zh")
    return list(dict.fromkeys(codes))


def model_steps(home: Path, languages: list[str], embedder: str | None) -> list[tuple[str, str]]:
    """Return the commands that get a model which reads the languages, with what it costs."""
    from recollect.models.local import sentence_encoder

    if load_settings(home).settings.embedding.provider == MULTILINGUAL:
        return []
    readable = [
        code for code in languages if code != ENGLISH and code in sentence_encoder.LANGUAGES
    ]
    if not readable:
        install = ("recollect models install", f"search by meaning too, {ENGLISH_MB} MB, once")
        return [install] if embedder is None else []
    cost = f"search by meaning in {', '.join(readable)} too, {MULTILINGUAL_MB} MB, once"
    use = (f"recollect config set embedding.provider {MULTILINGUAL}", "then use it")
    if sentence_encoder.package_version() is not None:
        return [(use[0], f"search by meaning in {', '.join(readable)} too; it is installed")]
    return [("pip install 'recollect[multilingual]'", cost), use]
