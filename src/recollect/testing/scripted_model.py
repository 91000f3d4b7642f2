"""A language model that says what a script has it say: for tests of programs that ask one.

An answer is a text, or its steps: pieces of text, calls of tools, events to wait for, functions to
call, an error to end with. Nothing sleeps: a slow model is an event that the test sets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

import msgspec

from recollect.core.errors import ProviderError
from recollect.models.cancellation import Cancellation
from recollect.models.language.bounds import estimated_use
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox, ToolOutcome
from recollect.models.language.spoken import SpokenText
from recollect.models.language.tools import call_tool

_LOOK_S = 0.01


class ScriptedCall(msgspec.Struct, frozen=True):
    """A call of a tool.

    Attributes:
        name: The tool; one that does not exist is an error for the model, as in life.
        arguments: Its arguments.
    """

    name: str
    arguments: Mapping[str, object] = {}


Step = str | ScriptedCall | threading.Event | ProviderError | Callable[[], object]
"""A piece; a call; an event to wait for; the error that ends the answer; a function to call."""
Answer = str | Sequence[Step]


class ScriptedModel:
    """A language model for tests. Safe to share between threads.

    Args:
        answers: One for each call, the last of them also for all further calls. A function makes
            the answer from the prompt.
        name: ``provider:model``.

    Attributes:
        prompts: What it was asked, oldest first.
        offered: The names of the tools of each call.
        outcomes: The results of its calls of tools, oldest first.
        asked: Set as soon as it is asked something.
    """

    is_remote = False

    def __init__(
        self, *answers: Answer | Callable[[Prompt], Answer], name: str = "scripted:model"
    ) -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        self.offered: list[tuple[str, ...]] = []
        self.outcomes: list[ToolOutcome] = []
        self.asked = threading.Event()
        self._answers = list(answers or ("",))
        self._lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Completion:
        """Return the next answer."""
        return self.stream(prompt, lambda _: None)

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Take the steps of the next answer.

        Raises:
            Cancelled: it was cancelled.
            ProviderError: the error of the script.
        """
        going = cancellation or Cancellation()
        text = SpokenText(on_piece)
        for step in self._next(prompt, toolbox):
            going.require_going()
            self._take(step, text, toolbox, going)
        going.require_going()
        use = estimated_use(prompt, text.whole)
        return Completion(text=text.whole, use=use, usd=0.0, model=self.name, finish="stop")

    def close(self) -> None:
        """Do nothing."""

    def _next(self, prompt: Prompt, toolbox: Toolbox | None) -> Sequence[Step]:
        with self._lock:
            self.prompts.append(prompt)
            self.offered.append(tuple(spec.name for spec in toolbox.specs) if toolbox else ())
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        self.asked.set()
        steps = answer(prompt) if callable(answer) else answer
        return [steps] if isinstance(steps, str) else steps

    def _take(
        self, step: Step, text: SpokenText, toolbox: Toolbox | None, going: Cancellation
    ) -> None:
        if isinstance(step, str):
            text.say(step)
        elif isinstance(step, ScriptedCall):
            self._call(step, toolbox)
            text.begin_round()
        elif isinstance(step, threading.Event):
            while not step.wait(_LOOK_S):
                going.require_going()
        elif isinstance(step, ProviderError):
            step.facts["partial"] = bool(text.pieces)
            raise step
        else:
            step()

    def _call(self, step: ScriptedCall, toolbox: Toolbox | None) -> None:
        if toolbox is None:
            raise AssertionError(f"no tools were offered, but the script calls {step.name}")
        self.outcomes.append(call_tool(toolbox, step.name, dict(step.arguments)))
