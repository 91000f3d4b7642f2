"""A language model that answers by a script: pieces, failures, or whatever a function does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import pytest

from recollect.core.bill import TokenUse
from recollect.models import registry
from recollect.models.cancellation import Cancellation
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox

Play: TypeAlias = "Callable[[Call], str]"
Step: TypeAlias = "str | Sequence[str] | BaseException | Play"
"""An answer, its pieces, a failure, or a function that makes the answer."""


class Call:
    """One call of the model, as a function of the script sees it."""

    def __init__(
        self, prompt: Prompt, on_piece: OnPiece, toolbox: Toolbox, cancellation: Cancellation
    ) -> None:
        self.prompt, self.say, self.tools, self.cancellation = (
            prompt,
            on_piece,
            toolbox,
            cancellation,
        )

    def wait(self, event: threading.Event) -> None:
        """Wait for an event, or for being cancelled."""
        stop = threading.Event()
        forget = self.cancellation.on_cancel(stop.set)
        while not (event.wait(0.01) or stop.is_set()):
            continue
        forget()
        self.cancellation.require_going()


class ChatModel:
    """Answers by a script; what comes after its end echoes the newest message."""

    name = "scripted:chat"
    is_remote = False

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.prompts: list[Prompt] = []
        self.toolboxes: list[Toolbox] = []
        self._lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Completion:
        """Return an answer that nobody streams."""
        return self.stream(prompt, lambda _: None)

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Play the next step."""
        with self._lock:
            step = self.steps.pop(0) if self.steps else f"Echo: {prompt.messages[-1].text}"
            self.prompts.append(prompt)
            assert toolbox is not None
            self.toolboxes.append(toolbox)
        going = cancellation or Cancellation()
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            text = step(Call(prompt, on_piece, toolbox, going))
        else:
            pieces = [step] if isinstance(step, str) else step
            for piece in pieces:
                going.require_going()
                on_piece(piece)
            text = "".join(pieces)
        going.require_going()
        use = TokenUse(input=10, output=5)
        return Completion(text=text, use=use, usd=0.001, model=self.name, finish="stop")

    def close(self) -> None:
        """Do nothing."""

    @property
    def systems(self) -> list[str]:
        """The instructions of all calls, with what was recalled."""
        return [prompt.system for prompt in self.prompts]

    @property
    def said(self) -> list[list[str]]:
        """The messages of all calls."""
        return [[message.text for message in prompt.messages] for prompt in self.prompts]


SETTINGS: dict[str, object] = {
    "embedding.provider": "none",
    "language.provider": "scripted",
    "language.uses": ("respond",),
    "auto_responder.debounce_ms": 0,
    "sessions.owner": ("telegram:42",),
}


def install(patch: pytest.MonkeyPatch, model: ChatModel) -> None:
    """Let the provider ``scripted`` be a model."""
    _MODELS["model"] = model
    models = registry.LANGUAGE_MODELS
    built_in = {**models.built_in, "scripted": "tests.support.chat_model:create"}
    scripted = msgspec.structs.replace(models, built_in=built_in)
    patch.setattr(registry, "LANGUAGE_MODELS", scripted)


def offer(model: ChatModel) -> None:
    """Let the provider ``scripted`` be a model, for the rest of the process."""
    install(pytest.MonkeyPatch(), model)


_MODELS: dict[str, ChatModel] = {}


def create(spec: str, _settings: object, _dependencies: object) -> ChatModel:
    """Return the model that is installed, or one of another name."""
    if spec == "scripted":
        return _MODELS["model"]
    other = ChatModel()
    other.name = spec
    return other
