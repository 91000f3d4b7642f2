"""Which model is to answer: what is installed is offered once, and set where somebody agrees."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import ModelMissing
from recollect.core.settings.environment import KEY_VARIABLES, program_path, provider_key

if TYPE_CHECKING:  # for a name only
    from pathlib import Path

    from recollect.core.settings import LanguageSettings

USE = "respond"
"""The use of a model that chats are."""
LOCAL = {"Ollama": "http://127.0.0.1:11434/v1", "LM Studio": "http://127.0.0.1:1234/v1"}
"""Where servers of models on this machine listen, unless told otherwise."""
_PROBE_S = 0.5
"""How long a server on this machine may take to list its models."""
_MOST_BYTES = 1 << 20
_REMOTE = ("anthropic", "openai")


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A model that can be asked.

    Attributes:
        label: How it is offered.
        settings: The settings that choose it, by their keys.
    """

    label: str
    settings: dict[str, str]


def is_ready(language: LanguageSettings) -> bool:
    """Return whether the settings let a model answer messages."""
    return language.provider != "none" and USE in language.uses


def offers(language: LanguageSettings) -> list[Offer]:
    """Return the models that can be asked here: those of the settings, else what is installed.

    Keys of the environment are looked for by name, and neither shown nor sent.
    """
    if language.provider != "none":
        return [Offer(label=f"{language.provider}, as in config.yaml", settings={})]
    return list(_installed(language))


def _installed(language: LanguageSettings) -> Iterator[Offer]:
    if shutil.which(language.claude_command, path=program_path()):
        label = f"the program `{language.claude_command}`, with the account that it is logged into"
        yield Offer(label=label, settings={"language.provider": "claude-cli"})
    for name, address in LOCAL.items():
        for model in _served(address)[:3]:
            settings = {"language.provider": f"openai:{model}", "language.base_url": address}
            yield Offer(label=f"{model} of {name} on this machine, {address}", settings=settings)
    for provider in _REMOTE:
        if provider_key(provider):
            label = f"{provider}, with the key in {KEY_VARIABLES[provider][0]}"
            yield Offer(label=label, settings={"language.provider": provider})


def _served(address: str) -> list[str]:
    """Return the models that a server on this machine lists; none where nothing answers."""
    import httpx

    try:
        with httpx.Client(timeout=_PROBE_S, trust_env=False) as client:
            answer = client.get(f"{address}/models")
        listed = decode_json(answer.content[:_MOST_BYTES], _Models)
    except (httpx.HTTPError, msgspec.MsgspecError):
        return []
    return [each.id for each in listed.data if each.id and not each.id.isspace()]


class _Model(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model]


def no_model(language: LanguageSettings, *, is_talk: bool) -> ModelMissing:
    """Return the error where no model may answer, with what to do.

    Args:
        language: The settings.
        is_talk: Whether what is installed was looked for.
    """
    uses = ",".join((*language.uses, USE))
    if language.provider != "none":
        hint = f"let it: `recollect config set language.uses {uses}`"
        return ModelMissing("the model of the settings may not answer messages", hint=hint)
    keys = " or ".join(KEY_VARIABLES[provider][0] for provider in _REMOTE)
    install = f"install Claude Code or Ollama, or set {keys}, and run it again"
    offer = install if is_talk else "`recollect chat` in a terminal offers what is installed"
    hint = f"{offer}; or set language.provider, and language.uses to {uses}"
    return ModelMissing("no model is set that may answer", hint=hint)


def choose(home: Path, language: LanguageSettings, offer: Offer) -> None:
    """Write the settings that let a model answer."""
    from recollect.cli.config.config import change_config
    from recollect.core.settings.config_file import with_setting

    def change(text: str) -> str:
        for key, value in offer.settings.items():
            text = with_setting(text, key, value)
        if USE not in language.uses:
            text = with_setting(text, "language.uses", [*language.uses, USE])
        return text

    change_config(home, change)


def numbered(models: Sequence[Offer]) -> list[str]:
    """Return the lines of a choice."""
    return [f"{number}  {each.label}" for number, each in enumerate(models, 1)]
