"""`recollect search`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from recollect.answers.hit import FoundHits, HitLines, found_hit
from recollect.cli.addresses import project_path
from recollect.cli.help import App
from recollect.cli.invocation import (
    Agent,
    Project,
    Recalled,
    Since,
    Until,
    User,
    answer,
    answers_json,
    argument,
    filter_option,
    recalling,
)
from recollect.cli.output.screen import next_steps, say, warn
from recollect.cli.sessions.lines import ForSender, ForSession, OfSession
from recollect.core.scope import Scope

if TYPE_CHECKING:  # for a name only
    from recollect.index.model.sync_report import OnProgress
    from recollect.index.query.hit import SearchResult
    from recollect.recall.steps.lines import IndexLines

UNSURE = 0.3
"""Below it a line says so, and a warning in JSON (docs/experiments.md, confidence)."""
DOUBTED = 2
"""Hits on the screen below it, where no number was asked for (docs/experiments.md, doubted)."""

app = App()


def _complete_source(incomplete: str) -> list[str]:
    from recollect.index.model.document import SOURCES

    return [name for name in SOURCES if name.startswith(incomplete)]


Source = Annotated[
    list[str] | None,
    filter_option(
        help="Only this kind: memory, sessions, observations, facts, episodes. May be repeated.",
        autocompletion=_complete_source,
    ),
]
Mode = Annotated[Literal["hybrid", "lexical", "vector"], typer.Option(help="What takes part.")]
MinConfidence = Annotated[
    float | None,
    typer.Option(help="Return no hits if it is less probable, 0 to 1, that they have the answer."),
]
MinScore = Annotated[
    float | None,
    typer.Option(help="Leave out hits below this score, 0 to 1, except exact matches of words."),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show the parts of each score.")]
Brief = Annotated[
    bool,
    typer.Option("--lines", help="One line for each hit, with the tokens that it costs in full."),
]
AsOf = Annotated[
    str | None, typer.Option(help="What held then comes first: 2026-03, last year, ….")
]
Channel = Annotated[str | None, filter_option(help="Only of this channel: telegram, slack, ….")]


_EXAMPLE = 'recollect search "what did we decide about the database?" --since "last week"'


@app.command(rich_help_panel="Find", epilog=_EXAMPLE)
def search(
    context: typer.Context,
    query: Annotated[list[str], argument(metavar="QUERY", help="A question, or words.")],
    *,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", help="Hits at most; search.limit by default."),
    ] = None,
    mode: Mode = "hybrid",
    min_score: MinScore = None,
    min_confidence: MinConfidence = None,
    source: Source = None,
    session: OfSession = None,
    channel: Channel = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    for_session: ForSession = None,
    for_sender: ForSender = None,
    agent: Agent = None,
    user: User = None,
    project: Project = None,
    explain: Explain = False,
    brief: Brief = False,
) -> None:
    """Find the messages and notes that answer a question."""
    question = " ".join(query)
    with recalling(context, warns=False) as memory:
        about = None if project is None else project_path(memory, project)
        scope = Scope(agent=agent, user=user, project=about, session=_id(memory, session))
        with _progress(context) as on_progress:
            started = time.perf_counter()
            result = memory.search(
                question,
                limit,
                min_score,
                source,
                scope,
                mode=mode,
                channel=channel,
                since=since,
                until=until,
                for_session=_id(memory, for_session),
                for_sender=for_sender,
                min_confidence=min_confidence,
                as_of=as_of,
                on_progress=on_progress,
            )
        took_s = time.perf_counter() - started
        lines = memory.lines(result, for_session=_id(memory, for_session), for_sender=for_sender)
        page = _SearchPage(memory, question, result, lines, took_s, is_limited=limit is not None)
        if brief:
            answer(context, page.brief(), page.show_brief)
        else:
            answer(context, page.document(), lambda: page.show(explain=explain))


@contextmanager
def _progress(context: typer.Context) -> Iterator[OnProgress]:
    if answers_json(context):
        yield lambda _: None
        return
    from recollect.cli.output.progress import show_progress

    with show_progress() as progress:
        yield progress.indexing


def _id(memory: Recalled, name: str | None) -> str | None:
    return None if name is None else memory.sessions.find(name).id


class _SearchPage:
    """What a search found, as people and programs are given it."""

    def __init__(
        self,
        memory: Recalled,
        question: str,
        result: SearchResult,
        lines: IndexLines,
        took_s: float,
        *,
        is_limited: bool,
    ) -> None:
        self._memory = memory
        self._question = question
        self._index_lines = lines
        self._took_s = took_s
        self._is_limited = is_limited
        self._line_of = {line.ref: line for line in lines.lines}
        hits = [
            msgspec.structs.replace(hit, number=line.number)
            if (line := self._line_of.get(hit.ref)) is not None
            else hit
            for hit in result.hits
        ]
        self._result = msgspec.structs.replace(result, hits=hits)

    def document(self) -> FoundHits:
        """Return every hit with all that is known of it."""
        hits = [found_hit(hit, self._line_of.get(hit.ref)) for hit in self._result.hits]
        return FoundHits(hits=hits, tokens=self._result.tokens, **self._about())

    def brief(self) -> HitLines:
        """Return the lines."""
        lines = self._index_lines
        return HitLines(lines=lines.lines, tokens=lines.tokens, **self._about())

    def _about(self) -> dict[str, Any]:
        result = self._result
        return {
            "query": self._question,
            "took_ms": round(self._took_s * 1000, 3),
            "mode": result.mode,
            "confidence": result.confidence,
            "warnings": [*result.warnings, *self._doubts()],
        }

    def _doubts(self) -> list[str]:
        """Return that the answer may not be among the hits, where that is probable."""
        confidence = self._result.confidence
        if not self._result.hits or confidence >= UNSURE:
            return []
        return [f"the answer may not be here: confidence {confidence:.2f}"]

    @property
    def _shown(self) -> int:
        """How many hits the screen has: few where they are in doubt, unless a number was asked."""
        is_short = self._doubts() and not self._is_limited
        return DOUBTED if is_short else len(self._result.hits)

    def show(self, *, explain: bool) -> None:
        """Print the ranked list."""
        from recollect.cli.output.hits import show_hits

        hits = self._result.hits[: self._shown]
        titles = titles_in(self._memory, self._result)
        for each in self._index_lines.lines:
            if each.project is not None and each.session_id in titles:
                titles[each.session_id] = f"{each.project}: {titles[each.session_id]}"
        show_hits(
            hits,
            self._question,
            titles,
            explained=len(hits) if explain else 0,
            cited=self._memory.settings.search.citations == "on",
        )
        self._remark(self._result.tokens)

    def show_brief(self) -> None:
        """Print the lines."""
        from recollect.cli.output.lines import show_lines

        show_lines(self._index_lines.lines[: self._shown])
        self._remark(self._index_lines.tokens)

    def _remark(self, tokens: int) -> None:
        """Print the cost of the search, and the next steps."""
        from recollect.cli.output.formatting import count, duration

        result = self._result
        for warning in self._memory.unheard_warnings(result):
            warn(warning)
        hidden = len(result.hits) - self._shown
        more = f"; {hidden} more with --limit {len(result.hits)}" if hidden > 0 else ""
        for doubt in self._doubts():
            say((f"\n{doubt}{more}", "dim"))
        text = count(min(self._shown, len(result.hits)), "hit") if result.hits else "nothing found"
        say(
            (
                f"\n{text} in {duration(self._took_s)}, {count(tokens, 'token')}, {result.mode}",
                "dim",
            )
        )
        numbered = [line for line in self._index_lines.lines if line.number is not None]
        around = [line.name for line in numbered if line.kind in {"message", "observation"}]
        steps = [
            (f"recollect timeline '{name}'", "what was said and done around it")
            for name in around[:1]
        ]
        if numbered:
            more = " ".join(f"'{line.name}'" for line in numbered[:2])
            steps.append((f"recollect get {more}", "all of it"))
        if steps:
            next_steps(steps)


def titles_in(memory: Recalled, result: SearchResult) -> dict[str, str]:
    """Return the titles of the sessions of the hits, by id."""
    ids = sorted({hit.session_id for hit in result.hits if hit.session_id is not None})
    if hasattr(memory, "titles"):  # a worker tells all of them at once
        return memory.titles(ids)
    from recollect.recall.steps.session_titles import titles_of

    return titles_of(memory.sessions, ids)
