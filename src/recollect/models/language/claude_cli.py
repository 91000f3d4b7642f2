"""A language model that runs Claude Code's command, ``claude --print``, with the user's account.

The command starts without tools, settings, sessions and servers, in an empty folder, with few
variables. One of them is a guard: hooks of ours that it may call use no model. The prompt goes to
standard input, never onto the command line, which other users of the machine can see. It reads no
file: ``@path`` in a prompt would put one into it, even without tools. A call with tools gets them
from a server of its own.

Source: ``claude --help`` and the JSON that it prints (``type: result``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.decoding import json_decoder
from recollect.core.errors import (
    InvalidInput,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.core.settings import LanguageSettings
from recollect.models.budget import DailyBudget
from recollect.models.cancellation import Cancellation
from recollect.models.hints import LANGUAGE
from recollect.models.http.retry import Retrier, RetryClock, RetryPolicy
from recollect.models.http.streaming import MOST_STREAM_S
from recollect.models.language.anthropic import FINISHES, MessageReply, use_of
from recollect.models.language.bounds import bounded, estimated_use, most_tokens
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox
from recollect.models.language.spoken import SpokenText
from recollect.models.language.tools import MOST_ROUNDS
from recollect.models.language.wires import NOTHING, system_with_schema
from recollect.models.subprocess import MISSING, Program, ProgramOutput
from recollect.text.tokens import estimate_tokens

PROVIDER = "claude-cli"
MAX_SYSTEM_BYTES = 64 << 10
"""Linux allows 128 KiB in one argument; the schema may be a second one of that size."""

_NO_FILES = '{"permissions":{"deny":["Read(//**)"]}}'
"""Settings against files that a prompt mentions; ``agent_environment`` has a second guard."""
_TRIES = 2
"""The command already retries by itself."""
_QUOTA = re.compile(
    r"credit balance is too low|usage limit|limit reached|out of (?:extra )?usage", re.IGNORECASE
)
_LOGIN = re.compile(r"api key|/login|log in|authenticat|oauth|unauthorized", re.IGNORECASE)
_REFUSED = frozenset({"error_max_budget_usd", "error_max_structured_output_retries"})


class _Result(msgspec.Struct, frozen=True):
    """The final output of the command."""

    type: str
    subtype: str = ""
    is_error: bool = False
    result: str | None = None
    structured_output: msgspec.Raw = NOTHING
    usage: msgspec.Raw = NOTHING
    model_usage: dict[str, msgspec.Raw] = msgspec.field(name="modelUsage", default_factory=dict)
    total_cost_usd: float | None = None
    stop_reason: str | None = None


class _Line(msgspec.Struct, frozen=True):
    """A line of the output, where it comes as it arrives."""

    type: str
    event: msgspec.Raw = NOTHING
    parent_tool_use_id: str | None = None


_DECODER = json_decoder(_Result)
_LINE_DECODER = json_decoder(_Line)
_LIST_DECODER = json_decoder(list[msgspec.Raw])


class ClaudeCli:
    """Runs the command. Safe to share between threads.

    Args:
        model: The model's name; empty for the default of the user's account.
        environ: All variables of the command.
        settings: Its name or path, and the limits of an answer.
        budget: The tokens of a day, and their cost.
        retry_clock: Time, for tests.
    """

    is_remote = True

    def __init__(
        self,
        model: str,
        environ: Mapping[str, str],
        settings: LanguageSettings,
        budget: DailyBudget,
        retry_clock: RetryClock,
    ) -> None:
        self.name = f"{PROVIDER}:{model}" if model else PROVIDER
        self._program = Program(settings.claude_command, environ, _failed, is_leashed=True)
        self._model = model
        self._settings = settings
        self._budget = budget
        self._retry_clock = retry_clock
        self._tries = Retrier(PROVIDER, retry_clock, LANGUAGE)
        seconds = settings.timeout_s
        self._policy = RetryPolicy(
            attempt_s=seconds, total_s=seconds, tries=_TRIES, limited_tries=_TRIES
        )

    @property
    def is_installed(self) -> bool:
        """Return whether the command exists; it is not started."""
        return self._program.path is not None

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer.

        Raises:
            InvalidInput: the system prompt is too long for a command line.
            ProviderUnavailable: the command is missing, failed or took too long, or the day's
                tokens are spent.
            ProviderRejected: it is not logged in, or one call would cost too much.
        """
        prompt = bounded(prompt, self._settings.max_output_tokens)
        arguments = self._arguments(prompt)

        def read(ends: float) -> Completion:
            with TemporaryDirectory(prefix="recollect-claude-") as folder:
                output = self._program.run(
                    arguments,
                    Path(folder),
                    ends - self._retry_clock.elapsed(),
                    stdin=_transcript(prompt).encode(),
                    stopping=lambda: self._tries.is_closed,
                )
            result = _result_of(output.out, output.code)
            return self._settle(result, output.code, prompt, _text(result))

        with self._budget.hold(most_tokens(prompt), prompt.purpose):
            return self._tries.run(read, self._policy)

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Return the answer, given out in pieces.

        Raises:
            InvalidInput: the last message of the prompt is not the user's.
            Cancelled: it was cancelled; the command is killed.
            ProviderUnavailable: the command is missing, failed or took too long, or the day's
                tokens are spent.
            ProviderRejected: it is not logged in, or one call would cost too much.
        """
        prompt = bounded(prompt, self._settings.max_output_tokens)
        going = cancellation or Cancellation()
        text = SpokenText(on_piece)
        with self._budget.hold(most_tokens(prompt), prompt.purpose):
            return self._tries.run(
                lambda ends: self._stream(prompt, text, toolbox, going, ends), self._policy, going
            )

    def close(self) -> None:
        """End waits, and stop the command if it runs."""
        self._tries.close()

    def _arguments(self, prompt: Prompt) -> list[str]:
        system = system_with_schema(prompt)
        if len(system.encode()) > MAX_SYSTEM_BYTES:
            raise InvalidInput(
                "the system text is too long for a command line",
                hint="put what is long into the messages",
                max_bytes=MAX_SYSTEM_BYTES,
            )
        arguments = ["--print", "--output-format", "json", *self._locks()]
        if system:
            arguments += ["--system-prompt", system]
        if prompt.schema is not None:
            arguments += ["--json-schema", msgspec.json.encode(prompt.schema).decode()]
        return arguments

    def _locks(self) -> list[str]:
        """Return the arguments of every call: nothing of an agent but its model."""
        arguments = ["--no-session-persistence", "--tools", "", "--setting-sources", ""]
        arguments += ["--settings", _NO_FILES, "--strict-mcp-config"]
        arguments += ["--max-budget-usd", f"{self._settings.claude_max_usd:g}"]
        return [*arguments, "--model", self._model] if self._model else arguments

    def _stream(
        self,
        prompt: Prompt,
        text: SpokenText,
        toolbox: Toolbox | None,
        cancellation: Cancellation,
        ends: float,
    ) -> Completion:
        """Run the command once; what it spent is counted however it ends."""
        cancellation.require_going()
        events = _Stream(text)
        try:
            output = self._run_streaming(prompt, events, toolbox, cancellation, ends)
            result = _result_of(events.result, output.code)
        except BaseException as error:
            use = events.spent(estimated_use(prompt, "").input)
            if use.total:
                self._budget.charge(use, purpose=prompt.purpose)
            if isinstance(error, ProviderError):
                cancellation.require_going()
                events.mark_partial(error)
            raise
        try:
            completion = self._settle(result, output.code, prompt, text.whole or _text(result))
        except ProviderError as error:
            events.mark_partial(error)
            raise
        if not text.pieces:
            text.say(completion.text)
        return completion

    def _run_streaming(
        self,
        prompt: Prompt,
        events: _Stream,
        toolbox: Toolbox | None,
        cancellation: Cancellation,
        ends: float,
    ) -> ProgramOutput:
        arguments = ["--print", "--input-format", "text", "--output-format", "stream-json"]
        arguments += ["--verbose", "--include-partial-messages", *self._locks()]
        if prompt.thinking is not None:
            arguments += ["--effort", "low" if prompt.thinking == "off" else prompt.thinking]
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="recollect-claude-")))
            files: list[Path] = []

            def remove_files() -> None:
                while files:
                    files.pop().unlink()

            events.on_line = remove_files  # the command has read them before its first line
            if system := system_with_schema(prompt):
                files.append(_private_file(folder / "system", system.encode()))
                arguments += ["--system-prompt-file", str(files[-1])]
            if toolbox is not None and toolbox.specs:
                from recollect.models.language.tool_server import ToolServer  # a server, seldom

                tools = stack.enter_context(
                    ToolServer(toolbox, lambda: events.rounds <= MOST_ROUNDS)
                )
                config = msgspec.json.encode(tools.config)
                files.append(_private_file(folder / "tools", config))
                arguments += ["--mcp-config", str(files[-1])]
                arguments += ["--allowedTools", ",".join(tools.tool_names)]
            empty = folder / "empty"
            empty.mkdir()
            return self._program.run(
                arguments,
                empty,
                ends - self._retry_clock.elapsed(),
                stdin=_transcript(prompt).encode(),
                stopping=lambda: self._tries.is_closed or cancellation.is_cancelled,
                on_output=events.take,
                most_s=MOST_STREAM_S,
            )

    def _settle(self, result: _Result, code: int, prompt: Prompt, text: str) -> Completion:
        """Return the answer of a run that ended; its cost is counted even if it cannot be used."""
        use = use_of(result.usage) or estimated_use(prompt, text)
        usd = None if result.total_cost_usd is None else max(0.0, result.total_cost_usd)
        usd = self._budget.charge(use, usd, prompt.purpose)
        if result.is_error or result.subtype.startswith("error") or code:
            raise _refusal(result)
        if not text.strip():
            raise LANGUAGE.unreadable(PROVIDER)
        return Completion(
            text=text,
            use=use,
            usd=usd,
            model=self._answered(result),
            finish=FINISHES.get(result.stop_reason or "end_turn", "other"),
        )

    def _answered(self, result: _Result) -> str:
        names = list(result.model_usage)
        return f"{PROVIDER}:{names[0]}" if len(names) == 1 else self.name


class _Stream:
    """The output of a run with ``--output-format stream-json``, as it arrives.

    Args:
        text: Gives the answer out.

    Attributes:
        result: The line with the result; empty until it is there.
        on_line: Called with each line of the command, before it is read.
    """

    def __init__(self, text: SpokenText) -> None:
        self._text = text
        self._start: list[bytes] = []
        self._replies: list[MessageReply] = []
        self.result = b""
        self.on_line: Callable[[], object] = bool

    @property
    def rounds(self) -> int:
        """Return the number of requests that the command has made so far."""
        return len(self._replies)

    def mark_partial(self, error: ProviderError) -> None:
        """Note in an error that words were given out, or that a tool may have changed something."""
        if self._text.pieces or any(reply.calls for reply in self._replies):
            error.facts["partial"] = True

    def take(self, piece: bytes) -> None:
        """Read the next bytes of the output."""
        first, *more = piece.split(b"\n")
        self._start.append(first)
        for line in more:
            self._take_line(b"".join(self._start))
            self._start = [line]

    def spent(self, input_tokens: int) -> TokenUse:
        """Return the tokens of a run without a result, as far as they are known.

        Args:
            input_tokens: The estimated tokens of the prompt.
        """
        use = TokenUse()
        for reply in self._replies:
            counted = reply.use or TokenUse(input=input_tokens)
            output = max(counted.output, estimate_tokens(reply.written))
            use += msgspec.structs.replace(counted, output=output)
        return use

    def _take_line(self, line: bytes) -> None:
        """Read a line; what is not the command's own is ignored."""
        try:
            decoded = _LINE_DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        self.on_line()
        if decoded.type == "result":
            self.result = line
        elif decoded.type == "stream_event" and decoded.parent_tool_use_id is None:
            self._take_event(bytes(decoded.event))

    def _take_event(self, event: bytes) -> None:
        if not self._replies or self._replies[-1].is_over:
            self._replies.append(MessageReply(PROVIDER))
            self._text.begin_round()
        try:
            piece = self._replies[-1].take(event)
        except ProviderError:
            return  # the command tries again by itself, or says so in its result
        self._text.say(piece)


def _transcript(prompt: Prompt) -> str:
    """Return the messages as one text: the command does not accept a conversation.

    A text that begins with ``/`` would be a command of it.
    """
    if len(prompt.messages) == 1 and not prompt.messages[0].text.lstrip().startswith("/"):
        return prompt.messages[0].text
    return "\n\n".join(f"[{each.role}]\n{each.text}" for each in prompt.messages)


def _private_file(path: Path, content: bytes) -> Path:
    path.touch(0o600)
    path.write_bytes(content)
    return path


def _result_of(out: bytes, code: int) -> _Result:
    """Return the result, ignoring output of other programs and hooks around it."""
    for part in _parts(out):
        try:
            result = _DECODER.decode(part)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        if result.type == "result":
            return result
    raise _failed(f"ended with code {code}") if code else LANGUAGE.unreadable(PROVIDER)


def _parts(out: bytes) -> Iterator[bytes | msgspec.Raw]:
    """Yield candidates for the result: all output, its lines from the end, the items of a list."""
    yield out
    for line in [out.strip(), *reversed(out.splitlines())]:
        if line.startswith(b"["):
            try:
                yield from reversed(_LIST_DECODER.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
        else:
            yield line[max(0, line.find(b"{")) :]


def _text(result: _Result) -> str:
    structured = bytes(result.structured_output).decode(errors="replace")
    return result.result or "" if structured == "null" else structured


def _refusal(result: _Result) -> ProviderError:
    """Return the error that a failed result means; its words are read but never shown."""
    words = result.result or ""
    if _QUOTA.search(words):
        return QuotaExhausted(
            "the account of claude has nothing left", hint="wait until its limit is reset"
        )
    if _LOGIN.search(words):
        return ProviderRejected("claude is not logged in", hint="run `claude` once and log in")
    if result.subtype in _REFUSED:
        return ProviderRejected(
            f"claude gave up ({result.subtype})", hint="raise language.claude_max_usd"
        )
    return _failed("answered with an error")


def _failed(what: str) -> ProviderUnavailable:
    hint = f"check language.claude_command; {LANGUAGE.meanwhile}"
    if what == MISSING:
        hint = "install Claude Code, or set language.claude_command"
    return ProviderUnavailable(f"claude {what}", hint=hint)
