"""`python -m benchmarks`: measure the product on public data sets and under load.

Chooses what to run; the work is in the folders beside it, the showing in `output`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from benchmarks import agents, asking, comparing, source
from benchmarks.datasets.data import find_data
from benchmarks.datasets.locomo import load_locomo
from benchmarks.datasets.synthetic import WordLaw
from benchmarks.load.capture import (
    CapturePlan,
    CaptureRunner,
    capture_grids,
    describe_capture,
)
from benchmarks.load.footprint import (
    FootprintPlan,
    FootprintRunner,
    describe_footprint,
    footprint_grids,
)
from benchmarks.load.greedy import GreedyPlan, GreedyRunner, describe_greedy, greedy_grids
from benchmarks.load.load import LoadPlan, LoadRunner
from benchmarks.load.load_grids import describe_load, load_grids
from benchmarks.load.mcp import McpPlan, McpRunner, describe_mcp, mcp_grids
from benchmarks.load.respond import (
    RespondPlan,
    RespondRunner,
    describe_respond,
    respond_grids,
)
from benchmarks.load.sessions import SessionPlan, SessionRunner, describe_sessions, session_grids
from benchmarks.load.worker import WorkerPlan, WorkerRunner, describe_worker, worker_grids
from benchmarks.load.workspace import (
    WorkspacePlan,
    WorkspaceRunner,
    describe_workspace,
    workspace_grids,
)
from benchmarks.measure.environment import describe_environment
from benchmarks.measure.plot import plot_load, plot_quality
from benchmarks.measure.results import DatasetReport, LoadRun
from benchmarks.options import (
    Against,
    AsJson,
    Data,
    GoldOption,
    Keep,
    Limit,
    Markdown,
    Plot,
    QualityOptions,
    Questions,
    Seed,
    Sizes,
    TierOption,
    choose,
    with_quality_options,
)
from benchmarks.output import Output, print_json, print_tables, show_progress, write_whole
from benchmarks.quality.beside import beside_grids, describe_beside, run_beside
from benchmarks.quality.disclosure import (
    describe_disclosure,
    disclosure_grids,
    run_disclosure,
)
from benchmarks.quality.homes import work_folder
from benchmarks.quality.product import open_product
from benchmarks.quality.projects import describe_projects, project_grids, run_projects
from benchmarks.quality.prompts import FloorMode, describe_prompts, prompt_grids, run_prompts
from benchmarks.quality.quality import MODES, QualityPlan
from benchmarks.quality.quality_grids import describe_quality, quality_grids
from benchmarks.quality.redaction import describe_redaction, redaction_grids, run_redaction
from benchmarks.quality.suite import ONE_CHAT, QualitySuite, Slice
from recollect.cli.help import App

app = App(
    name="benchmarks",
    help="Measure quality on public data sets, and cost under load.",
    no_args_is_help=True,
)

Measure = Callable[[QualitySuite], list[DatasetReport]]


@app.command()
@with_quality_options()
def locomo(given: QualityOptions, *, gold: GoldOption = "original") -> None:
    """LoCoMo: turns by category, sessions, conversations apart and together."""
    _quality(lambda suite: [suite.locomo(given.part(), gold=gold)], given, given.plan())


@app.command()
@with_quality_options()
def beam(given: QualityOptions, *, tier: TierOption = "100K") -> None:
    """BEAM: messages by question type, one chat at a time."""
    plan = given.plan(pools=ONE_CHAT)
    _quality(lambda suite: [suite.beam(given.part(), tier=tier)], given, plan)


@app.command()
@with_quality_options("limit", "pool")
def cranfield(given: QualityOptions) -> None:
    """Cranfield: abstracts as memory files."""
    _quality(lambda suite: [suite.cranfield(given.part())], given, given.plan())


@app.command()
@with_quality_options(
    "limit", "questions", "pool", "compare", "leave_out", "plot", "markdown", "answers"
)
def longmemeval(given: QualityOptions) -> None:
    """LongMemEval: one record, for its format and for latency; no claim of quality."""
    _quality(lambda suite: [suite.longmemeval()], given, given.plan())


@app.command()
@with_quality_options("pool")
def quality(given: QualityOptions) -> None:
    """LoCoMo, BEAM and Cranfield under the same settings: what a change of ranking is judged by."""
    _quality(lambda suite: _all_quality(suite, given.part()), given, given.plan())


@app.command()
def load(
    *,
    messages: Sizes = None,
    chunks: Annotated[
        int | None, typer.Option(help="Chunks of memory files; a tenth of the messages by default.")
    ] = None,
    queries: Annotated[int, typer.Option(help="Searches in each mode.")] = 300,
    writes: Annotated[int, typer.Option(help="Single writes while the index merges.")] = 2_000,
    length: Annotated[
        int | None, typer.Option(min=20, help="Words of each message; 38 to 52 by default.")
    ] = None,
    words: Annotated[
        WordLaw, typer.Option(help="How often words come up: as in real text, or by Zipf's law.")
    ] = "natural",
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    plot: Plot = None,
    markdown: Markdown = None,
) -> None:
    """Rates of indexing, search and write latency, memory, disk and cold start at some sizes."""
    output = Output(as_json=as_json, plot=plot, markdown=markdown)
    plans = [
        LoadPlan(
            messages=size,
            chunks=max(1, size // 10) if chunks is None else chunks,
            queries=queries,
            writes=writes,
            seed=seed,
            words=words,
            length=length,
        )
        for size in messages or [100_000]
    ]
    _show_load(_run_load(plans, keep), output)


@app.command()
def footprint(
    *,
    messages: Sizes = None,
    live: Annotated[bool, typer.Option(help="Let the background work too.")] = False,
    words: Annotated[WordLaw, typer.Option(help="How often words come up.")] = "natural",
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Disk by file and table, and memory of the process that writes and of one that only reads."""
    output = Output(as_json=as_json, markdown=markdown)
    plans = [
        FootprintPlan(messages=size, words=words, seed=seed, is_live=live)
        for size in messages or [10_000, 100_000]
    ]
    environment = describe_environment()
    with show_progress() as progress, work_folder(keep) as root:
        run = FootprintRunner(root, environment, progress).run(plans)
    output.deliver(run, describe_footprint(run), footprint_grids(run))


app.command()(comparing.lexical)
app.command()(comparing.hearers)


app.command()(comparing.vectors)


@app.command()
def workspace(
    *,
    files: Annotated[int, typer.Option(min=1, help="Memory files of 5 kB.")] = 10_000,
    embedded: Annotated[int, typer.Option(min=0, help="Files that are embedded too.")] = 100,
    saves: Annotated[int, typer.Option(min=0, help="Files saved under a watching program.")] = 10,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """A workspace of many files: the first sync, the next ones, and how soon a change is found."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = WorkspacePlan(files=files, embedded=embedded, saves=saves, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = WorkspaceRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_workspace(run), workspace_grids(run))


@app.command("all")
@with_quality_options(
    "mode", "pool", "settings", "compare", "leave_out", "plot", "markdown", "answers"
)
def everything(
    given: QualityOptions,
    *,
    messages: Annotated[int, typer.Option(help="Messages of the load run.")] = 10_000,
) -> None:
    """Every benchmark, one after the other."""
    folder, part = find_data(given.data), given.part()
    with show_progress() as progress, work_folder(given.keep) as root:
        suite = QualitySuite(
            data=folder, root=root, plan=given.plan(), opener=open_product, progress=progress
        )
        found = suite.report([*_all_quality(suite, part), suite.longmemeval()])
    loaded = _run_load([LoadPlan(messages=messages, chunks=max(1, messages // 10))], given.keep)
    if given.as_json:
        print_json({"quality": found, "load": loaded})
        return
    print_tables(describe_quality(found), quality_grids(found))
    print_tables(describe_load(loaded), load_grids(loaded))


def _all_quality(suite: QualitySuite, part: Slice) -> list[DatasetReport]:
    return [suite.locomo(part), suite.beam(part, pools=ONE_CHAT), suite.cranfield(part)]


def _quality(measure: Measure, given: QualityOptions, plan: QualityPlan) -> None:
    output = given.output()
    folder = find_data(given.data)
    with show_progress() as progress, work_folder(given.keep) as root:
        suite = QualitySuite(
            data=folder, root=root, plan=plan, opener=open_product, progress=progress
        )
        report = suite.report(measure(suite))
    if output.answers is not None:
        lines = msgspec.json.Encoder().encode_lines(suite.answers())
        write_whole(output.answers, lambda path: path.write_bytes(lines))
    if output.plot is not None:
        write_whole(output.plot, lambda path: plot_quality(report, path))
    output.deliver(report, describe_quality(report), quality_grids(report))


def _run_load(plans: list[LoadPlan], keep: Path | None) -> LoadRun:
    environment = describe_environment()
    with show_progress() as progress, work_folder(keep) as root:
        runner = LoadRunner(root, open_product, progress)
        sizes = tuple(runner.run(plan) for plan in plans)
    first = plans[0]
    return LoadRun(environment=environment, seed=first.seed, law=first.words, sizes=sizes)


def _show_load(run: LoadRun, output: Output) -> None:
    if output.plot is not None:
        write_whole(output.plot, lambda path: plot_load(run, path))
    output.deliver(run, describe_load(run), load_grids(run))


@app.command()
def respond(
    *,
    messages: Annotated[int, typer.Option(min=30, help="Messages in the home.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Messages that come in.")] = 300,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Answers beside the model: from a message that comes in to its prompt."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = RespondPlan(messages=messages, rounds=rounds, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = RespondRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_respond(run), respond_grids(run))


@app.command()
def sessions(
    *,
    messages: Annotated[int, typer.Option(min=1, help="Messages of the long session.")] = 100_000,
    many: Annotated[int, typer.Option(min=1, help="Sessions in the home.")] = 10_000,
    depth: Annotated[int, typer.Option(min=1, help="Forks of forks in the chain.")] = 50,
    tree: Annotated[int, typer.Option(min=1, help="Sessions of the tree.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Calls of each figure.")] = 100,
    processes: Annotated[int, typer.Option(min=1, help="That append to one session.")] = 8,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Sessions: fork, view, append, reset, and finding one among many."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = SessionPlan(
        messages=messages,
        sessions=many,
        depth=depth,
        tree=tree,
        rounds=rounds,
        processes=processes,
        seed=seed,
    )
    with show_progress() as progress, work_folder(keep) as root:
        run = SessionRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_sessions(run), session_grids(run))


@app.command()
def mcp(
    *,
    messages: Annotated[int, typer.Option(min=1, help="Messages in the home.")] = 10_000,
    calls: Annotated[int, typer.Option(min=1, help="Calls of each figure.")] = 300,
    starts: Annotated[int, typer.Option(min=1, help="Starts of the server.")] = 5,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """MCP over stdio: from nothing to the tools, and warm searches."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = McpPlan(messages=messages, calls=calls, starts=starts, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = McpRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_mcp(run), mcp_grids(run))


app.command()(asking.questions)
app.command()(asking.confidence)
app.command()(asking.statements)
app.command()(asking.replaced)
app.command()(asking.quoted)
app.command()(asking.wishes)
app.command()(asking.moments)
app.command()(agents.day)
app.command()(agents.hooks)
app.command()(agents.knowledge)
app.command()(agents.checkpoints)
app.command()(agents.handover)


@app.command()
def worker(
    *,
    seconds: Annotated[float, typer.Option(min=1, help="Of each load.")] = 60.0,
    connections: Annotated[int, typer.Option(min=1, help="At the same time.")] = 16,
    size: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Bytes of an output; may be repeated. 600, 6000, 40000."),
    ] = None,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Worker: durable observations over HTTP, what they cost, and what a kill loses."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = WorkerPlan(seconds=seconds, connections=connections)
    if size:
        plan = msgspec.structs.replace(plan, sizes=tuple(size))
    with show_progress() as progress, work_folder(keep) as root:
        run = WorkerRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_worker(run), worker_grids(run))


@app.command()
def greedy(
    *,
    seconds: Annotated[float, typer.Option(min=1, help="Beside each, half of it alone.")] = 20.0,
    connections: Annotated[int, typer.Option(min=4, help="Of the guest.")] = 64,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Worker: hooks of the owner beside a guest that takes all it can get."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = GreedyPlan(seconds=seconds, connections=connections)
    with show_progress() as progress, work_folder(keep) as root:
        run = GreedyRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_greedy(run), greedy_grids(run))


@app.command()
def capture(
    *,
    messages: Annotated[
        int, typer.Option(min=1, help="Messages of 0.6 kB; fewer of the larger ones.")
    ] = 8_000,
    size: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Bytes of a message; may be repeated. 600, 6000, 40000."),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="That append to one home.")] = 8,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Capture: CPU and wait of a durable append, its share of index and mirror included."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = CapturePlan(messages=messages, processes=processes)
    if size:
        plan = msgspec.structs.replace(plan, sizes=tuple(size))
    with show_progress() as progress, work_folder(keep) as root:
        run = CaptureRunner(root, describe_environment(), progress).run(plan)
    output.deliver(run, describe_capture(run), capture_grids(run))


app.command()(comparing.peers)


app.command()(comparing.bulk)


app.command()(source.lines)
app.command()(source.walks)


@app.command()
def prompts(
    *,
    data: Data = None,
    limit: Limit = None,
    questions: Questions = None,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Without vectors: no model is needed.")
    ] = False,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Prompts: what each floor of the score lets into a prompt, on LoCoMo as observations."""
    output = Output(as_json=as_json, markdown=markdown)
    part = load_locomo(find_data(data)).narrowed(limit, questions)
    modes: tuple[FloorMode, ...] = ("lexical",) if words_only else ("lexical", "hybrid")
    with show_progress() as progress, work_folder(None) as root:
        run = run_prompts(describe_environment(), part, root / "home", modes, progress)
    output.deliver(run, describe_prompts(run), prompt_grids(run))


app.command()(comparing.ranking)


app.command()(comparing.audience)


@app.command()
def redaction(
    *,
    seed: Seed = 7,
    rounds: Annotated[int, typer.Option(min=0, help="Of the speed; 0 leaves it out.")] = 15,
    against: Against = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Redaction: how many made-up secrets go, by carrier, how many look-alikes, and how fast."""
    output = Output(as_json=as_json, markdown=markdown)
    run = run_redaction(describe_environment(), seed, against, rounds)
    output.deliver(run, describe_redaction(run), redaction_grids(run))


@app.command()
def disclosure(
    *,
    observations: Annotated[int, typer.Option(min=1_000, help="In the home.")] = 5_200,
    seed: Seed = 7,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Recall in three steps against the 20 best observations in full: tokens, and what is found."""
    output = Output(as_json=as_json, markdown=markdown)
    environment = describe_environment()
    with show_progress() as progress, work_folder(None) as root:
        run = run_disclosure(environment, root, seed, observations, progress)
    output.deliver(run, describe_disclosure(run), disclosure_grids(run))


@app.command()
@with_quality_options("pool", "settings", "compare", "leave_out", "plot", "markdown", "answers")
def beside(
    given: QualityOptions,
    *,
    observations: Annotated[int, typer.Option(min=1_000, help="In the home.")] = 20_000,
    seed: Seed = 7,
) -> None:
    """LoCoMo with made-up agent work beside it: what the default search loses."""
    environment, modes = describe_environment(), choose(given.mode or ["hybrid"], MODES, "mode")
    order = (seed, observations, given.part())
    with show_progress() as progress, work_folder(given.keep) as root:
        folders = (find_data(given.data), root)
        run = run_beside(environment, folders, order, modes, progress)
    given.output().deliver(run, describe_beside(run), beside_grids(run))


@app.command()
def projects(
    *,
    seed: Seed = 7,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Forty projects of two sessions: is what the second one needs in its context block?"""
    output = Output(as_json=as_json, markdown=markdown)
    environment = describe_environment()
    with show_progress() as progress, work_folder(None) as root:
        run = run_projects(environment, root, seed, progress)
    output.deliver(run, describe_projects(run), project_grids(run))
