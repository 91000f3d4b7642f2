"""The commands that put one thing beside another: programs, source trees, and our own back ends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.datasets.data import find_data
from benchmarks.datasets.locomo import load_locomo
from benchmarks.load.bulk import BulkPlan, BulkRunner, bulk_grids, describe_bulk
from benchmarks.load.hearers import HearerRun, HearerRunner, describe_hearers, hearer_grids
from benchmarks.load.lexical import LexicalRun, LexicalRunner, describe_lexical, lexical_grids
from benchmarks.load.load import LoadPlan
from benchmarks.load.vectors import (
    BACKENDS,
    VectorRun,
    VectorRunner,
    describe_vectors,
    vector_grids,
)
from benchmarks.measure.environment import describe_environment
from benchmarks.options import (
    OTHER_TREE,
    Against,
    AsJson,
    Data,
    Keep,
    Limit,
    Markdown,
    Questions,
    Seed,
    Sizes,
    choose,
)
from benchmarks.output import Output, show_progress
from benchmarks.peers.material import local_embedder
from benchmarks.peers.peers import PEERS
from benchmarks.peers.race import PeerRun, Race, describe_peers, peer_grids
from benchmarks.quality.audience import (
    AudiencePlan,
    AudienceRunner,
    audience_grids,
    describe_audience,
)
from benchmarks.quality.homes import work_folder
from benchmarks.quality.product import open_product
from benchmarks.quality.ranking import (
    describe_ranking,
    of_owner,
    ranked_homes,
    ranking_grids,
    run_ranking,
)


def lexical(
    *,
    messages: Sizes = None,
    queries: Annotated[int, typer.Option(help="Searches in each back end.")] = 300,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Our postings and FTS5 side by side: indexing, search and write latency, disk."""
    output = Output(as_json=as_json, markdown=markdown)
    plans = [
        LoadPlan(messages=size, chunks=1, queries=queries, seed=seed)
        for size in messages or [10_000, 100_000]
    ]
    environment = describe_environment()
    with show_progress() as progress, work_folder(keep) as root:
        runner = LexicalRunner(root, open_product, progress)
        costs = tuple(cost for plan in plans for cost in runner.run(plan))
    run = LexicalRun(environment=environment, seed=seed, costs=costs)
    output.deliver(run, describe_lexical(run), lexical_grids(run))


def hearers(
    *,
    messages: Sizes = None,
    queries: Annotated[int, typer.Option(help="Questions of each guest.")] = 300,
    seed: Seed = 7,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Hearers: what a search costs a guest who hears a part, beside the owner who hears all."""
    output = Output(as_json=as_json, markdown=markdown)
    with show_progress() as progress, work_folder(None) as root:
        runner = HearerRunner(root, progress)
        found = [runner.run(size, queries, seed) for size in messages or [100_000]]
    costs = tuple(cost for each in found for cost in each)
    run = HearerRun(environment=describe_environment(), seed=seed, costs=costs)
    output.deliver(run, describe_hearers(run), hearer_grids(run))


def vectors(
    *,
    messages: Sizes = None,
    backend: Annotated[
        list[str] | None,
        typer.Option(help=f"{', '.join(BACKENDS)}; may be repeated. All by default."),
    ] = None,
    queries: Annotated[int, typer.Option(help="Questions to each back end.")] = 300,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """The vector back ends side by side: filling, latency, disk, and the same ten nearest."""
    output = Output(as_json=as_json, markdown=markdown)
    chosen = choose(backend, BACKENDS, "backend")
    plans = [
        LoadPlan(messages=size, chunks=1, queries=queries, seed=seed)
        for size in messages or [10_000, 100_000]
    ]
    environment = describe_environment()
    with show_progress() as progress, work_folder(keep) as root:
        runner = VectorRunner(root, open_product, progress)
        costs = tuple(cost for plan in plans for cost in runner.run(plan, chosen))
    run = VectorRun(environment=environment, seed=seed, costs=costs)
    output.deliver(run, describe_vectors(run), vector_grids(run))


def peers(
    *,
    data: Data = None,
    limit: Limit = None,
    questions: Questions = None,
    peer: Annotated[
        list[str] | None, typer.Option(help="Who takes part; may be repeated. All by default.")
    ] = None,
    texts: Annotated[
        list[int] | None,
        typer.Option(min=150, help="Texts of a store; may be repeated. 10000, 100000."),
    ] = None,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Peers: what others find and cost with the same texts and vectors, in turn."""
    output = Output(as_json=as_json, markdown=markdown)
    by_name = {each.module: each for each in PEERS}
    chosen = tuple(by_name[name] for name in choose(peer, tuple(by_name), "peer"))
    asked = load_locomo(find_data(data)).narrowed(limit, questions)
    embedder = local_embedder()
    embedder.embed_query("tea")  # a missing model must not be found after an hour
    environment = describe_environment()
    with show_progress() as progress, work_folder(keep) as root:
        race = Race(root, chosen, progress)
        costs = [cost for size in texts or (10_000, 100_000) for cost in race.costs(size, seed)]
        quality = race.quality(asked, embedder)
    run = PeerRun(environment=environment, peers=chosen, costs=tuple(costs), quality=quality)
    output.deliver(run, describe_peers(run), peer_grids(run))


def bulk(
    *,
    messages: Annotated[int, typer.Option(min=1, help="Of each way; one by one a fifth.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, help="Processes of each way; the best counts.")] = 3,
    against: Against = None,
    seed: Seed = 7,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Bulk: messages a second by call and by import, all work included, and where it goes."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = BulkPlan(messages=messages, rounds=rounds, seed=seed)
    with show_progress() as progress, work_folder(keep) as root:
        run = BulkRunner(root, describe_environment(), progress, against).run(plan)
    output.deliver(run, describe_bulk(run), bulk_grids(run))


def ranking(
    *,
    against: Annotated[Path, OTHER_TREE],
    data: Data = None,
    questions: Annotated[int, typer.Option(min=20, help="In all, about.")] = 2_000,
    owner_only: Annotated[
        bool, typer.Option("--owner-only", help="Ask nothing on behalf of a session.")
    ] = False,
    keep: Keep = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Ranking: do two source trees give the same hits, order and scores? Exit 1 if not."""
    output = Output(as_json=as_json, markdown=markdown)
    homes = ranked_homes(find_data(data), questions)
    if owner_only:
        homes = tuple(map(of_owner, homes))
    with show_progress() as progress, work_folder(keep) as root:
        run = run_ranking(describe_environment(), homes, root, against, progress)
    output.deliver(run, list(describe_ranking(run)), ranking_grids(run))
    if not run.is_same:
        raise typer.Exit(1)


def audience(
    *,
    against: Annotated[Path, OTHER_TREE],
    histories: Annotated[int, typer.Option(min=1, help="How many are played.")] = 200,
    seed: Seed = 1,
    served: Annotated[
        float, typer.Option(min=0, max=1, help="Share that is asked over HTTP and MCP too.")
    ] = 0.1,
    jobs: Annotated[int, typer.Option(min=1, help="Pairs of processes at the same time.")] = 1,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Audience: do two source trees tell the same to every hearer? Exit 1 if not."""
    output = Output(as_json=as_json, markdown=markdown)
    plan = AudiencePlan(against=against, histories=histories, seed=seed, served=served, jobs=jobs)
    with show_progress() as progress:
        run = AudienceRunner(describe_environment(), progress).run(plan)
    output.deliver(run, list(describe_audience(run)), audience_grids(run))
    if not run.is_same:
        raise typer.Exit(1)
