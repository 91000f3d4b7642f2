"""`recollect bench`: its own commands stand in `bench`, which is imported when one is asked for."""

from __future__ import annotations

from typing import Any

from typer.main import get_group

from recollect.cli.help import App, Group
from recollect.cli.invocation import answers_json

app = App()


class BenchGroup(Group):
    """Knows its commands only after the first look at them: they bring arrays and plots."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the benchmarks."""
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a benchmark."""
        self._load()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run a benchmark; ``--json`` before `bench` means the same as behind it."""
        if answers_json(ctx, as_json=False):
            ctx.default_map = {name: {"as_json": True} for name in self.list_commands(ctx)}
        return super().invoke(ctx)

    def _load(self) -> None:
        if not self.commands:
            from recollect.cli.bench import app as benchmarks

            self.commands.update(get_group(benchmarks).commands)


group = App(
    cls=BenchGroup,
    help="Measure quality on public data sets, and cost under load.",
    no_args_is_help=True,
)
app.add_typer(group, name="bench", rich_help_panel="Set up")


@group.callback()
def bench() -> None:
    """Measure quality on public data sets, and cost under load."""
