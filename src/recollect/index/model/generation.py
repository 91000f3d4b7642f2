"""Generations: a rebuild fills a new one beside the one that answers, then flips in one commit."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.store.columns import first_integer, integer, json_cell, typed_rows
from recollect.store.engine import Transaction


class Identity(msgspec.Struct, frozen=True, kw_only=True, rename={"visibility_rules": "circles"}):
    """The parameters of an index. Another identity needs another generation.

    Attributes:
        terms: Version of the rules that make terms.
        pieces: Version of the rules that cut and describe chunks.
        tokens: Chunk size of files, in tokens of four characters.
        overlap: Their overlap, likewise.
        entries: Whether curated files are cut per entry.
        embedder: Fingerprint of the embedder, empty without one.
        model: Its ``provider:model``, for people; empty where it was not noted.
        dimensions: Size of its vectors, 0 without one and as long as it is not known.
        stands_in_for: Fingerprint of the embedder that the fallback replaces; empty for none.
        lexical: The lexical back end, by name.
        visibility_rules: By which conversations hear of each other; empty where there were none.
    """

    terms: int
    pieces: int
    tokens: int
    overlap: int
    entries: bool = False
    embedder: str = ""
    model: str = ""
    dimensions: int = 0
    stands_in_for: str = ""
    lexical: str = "postings"
    visibility_rules: str = ""

    def can_take(self, other: Identity) -> bool:
        """Return whether new texts can be added to the indexed ones: their terms are comparable."""
        return (self.terms, self.pieces) == (other.terms, other.pieces)

    def incompatibility(self, other: Identity) -> str | None:
        """Return why an index of this identity is outdated, or None; no embedder fits any."""
        if not self.can_take(other):
            return self._other_version(other)
        if (self.tokens, self.overlap) != (other.tokens, other.overlap):
            return "the size of chunks was changed"
        if self.entries != other.entries:
            return "the cutting of curated files was changed"
        if self.lexical != other.lexical:
            return "the lexical back end was changed"
        if self.visibility_rules != other.visibility_rules:
            return "what conversations hear of each other was changed"
        return self._other_vectors(other)

    def is_for(self, other: Identity) -> bool:
        """Return whether an unfinished generation with this identity can still be used."""
        return self.embedder == other.embedder and self.incompatibility(other) is None

    def _other_version(self, other: Identity) -> str:
        is_same_of = {"words": self.terms == other.terms, "chunks": self.pieces == other.pieces}
        rules = [name for name, is_same in is_same_of.items() if not is_same]
        return f"the index was built by another version, with other rules for {' and '.join(rules)}"

    def _other_vectors(self, other: Identity) -> str | None:
        if not (self.embedder and other.embedder):
            return None
        if self.embedder != other.embedder:
            return f"the embedder was changed{_difference(self.model, other.model)}"
        if self.dimensions and other.dimensions and self.dimensions != other.dimensions:
            return "the size of the vectors was changed"
        return None


def _difference(old: str, new: str) -> str:
    """Return as text how two embedders differ: in provider, model or provider key."""
    if not old:
        return ""
    if old == new:
        return ": other settings, address or weights of the same model"
    (old_provider, _, old_model), (provider, _, model) = old.partition(":"), new.partition(":")
    if old_provider != provider:
        return f": provider {old_provider} before, {provider} now"
    return f": model {old_model} before, {model} now"


class Generation(msgspec.Struct, frozen=True):
    """A row of `generations`; ``has_others``: one may be there that does not answer."""

    number: int
    identity: Identity
    has_others: bool = False


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """The serving generation, and the partition of a tenant in it.

    Attributes:
        number: Of the generation.
        identity: Its parameters.
        partition: Of the tenant; None when nothing of it is indexed.
        revision: How often that partition was changed; None without one.
    """

    number: int
    identity: Identity
    partition: int | None
    revision: int | None


def find_serving(tx: Transaction, tenant: str) -> Serving | None:
    """Return the serving generation with the partition of a tenant, or None before the first."""
    rows = tx.all(
        "SELECT g.id, g.identity, p.id, p.revision FROM generations g"
        " LEFT JOIN partitions p ON p.generation = g.id AND p.tenant = ?"
        " WHERE g.status = 'serving' ORDER BY g.id DESC LIMIT 1",
        (tenant,),
    )
    for number, built_with, partition, revision in typed_rows(
        rows, tuple[int, str, int | None, int | None]
    ):
        identity = json_cell(built_with, Identity)
        return Serving(number=number, identity=identity, partition=partition, revision=revision)
    return None


def find_generation(tx: Transaction, status: str) -> Generation | None:
    """Return the newest generation with a status (``serving``, ``building``), or None."""
    rows = tx.all(
        "SELECT id, identity, EXISTS (SELECT 1 FROM generations WHERE status <> 'serving')"
        " FROM generations WHERE status = ? ORDER BY id DESC LIMIT 1",
        (status,),
    )
    for number, identity, others in typed_rows(rows, tuple[int, str, int]):
        return Generation(number, json_cell(identity, Identity), bool(others))
    return None


def live_identity(tx: Transaction, generation: int) -> Identity | None:
    """Return the identity of a generation, or None when it was retired or removed."""
    row = tx.row(
        "SELECT identity FROM generations WHERE id = ? AND status <> 'retired'", (generation,)
    )
    return json_cell(row[0], Identity) if row else None


def live_cursor(tx: Transaction, generation: int, feed: str) -> tuple[Identity, int] | None:
    """Return `live_identity` and `cursor` in one read; None when the generation was retired."""
    row = tx.row(
        "SELECT g.identity, coalesce(c.seq, 0) FROM generations g"
        " LEFT JOIN cursors c ON c.generation = g.id AND c.feed = ?"
        " WHERE g.id = ? AND g.status <> 'retired'",
        (feed, generation),
    )
    if row is None:
        return None
    return json_cell(row[0], Identity), integer(row[1])


def create_generation(tx: Transaction, identity: Identity, status: str, at: int) -> Generation:
    """Start an empty generation; others may exist."""
    row = tx.row(
        "INSERT INTO generations (status, identity, created_at) VALUES (?, ?, ?) RETURNING id",
        (status, msgspec.json.encode(identity).decode(), at),
    )
    return Generation(first_integer(row), identity, has_others=True)


def set_identity(tx: Transaction, generation: int, identity: Identity) -> None:
    """Change the identity of a generation: only where its rows stay valid (a first embedder)."""
    tx.execute(
        "UPDATE generations SET identity = ? WHERE id = ?",
        (msgspec.json.encode(identity).decode(), generation),
    )


def set_size(tx: Transaction, generation: int, dimensions: int) -> None:
    """Note the size of the vectors, which is known when the first ones are made."""
    present = live_identity(tx, generation)
    if present is not None and not present.dimensions:
        set_identity(tx, generation, msgspec.structs.replace(present, dimensions=dimensions))


def flip(tx: Transaction, building: int) -> bool:
    """Let a built generation answer from now on and retire the one before.

    Returns:
        False, and nothing is changed, when the generation was given up meanwhile.
    """
    row = tx.row("SELECT 1 FROM generations WHERE id = ? AND status = 'building'", (building,))
    if row is None:
        return False
    tx.execute("UPDATE generations SET status = 'retired' WHERE status = 'serving'")
    tx.execute("UPDATE generations SET status = 'serving' WHERE id = ?", (building,))
    return True


def living(tx: Transaction) -> list[Generation]:
    """Return the generations in use: the serving one, and one being built."""
    generations = [find_generation(tx, status) for status in ("serving", "building")]
    has_chunks = "SELECT 1 FROM partitions WHERE generation = ? AND chunks > 0"
    return [each for each in generations if each is not None and tx.row(has_chunks, (each.number,))]


def retire_unfinished(tx: Transaction) -> None:
    """Give up generations that are being built; `retired.drop_some` removes them."""
    tx.execute("UPDATE generations SET status = 'retired' WHERE status = 'building'")


def retire_all(tx: Transaction) -> None:
    """Give up every generation: a new one is begun by the next call for the serving one."""
    tx.execute("UPDATE generations SET status = 'retired'")


def start_partitions_at(tx: Transaction, number: int) -> None:
    """Number partitions from above ``number`` on, if there was none yet."""
    tx.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'partitions', ?"
        " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'partitions')",
        (number,),
    )


def read_up_to(tx: Transaction, feed: str) -> int:
    """Return the highest cursor of a feed among generations not retired; 0 for none."""
    row = tx.row(
        "SELECT max(c.seq) FROM cursors c JOIN generations g ON g.id = c.generation"
        " WHERE c.feed = ? AND g.status <> 'retired'",
        (feed,),
    )
    return first_integer(row) if row and row[0] is not None else 0


def cursor(tx: Transaction, generation: int, feed: str) -> int:
    """Return the cursor of a feed in a generation; 0 at the start."""
    return cursors(tx, generation, [feed])[0]


def cursors(tx: Transaction, generation: int, feeds: Sequence[str]) -> list[int]:
    """Return the cursors of some feeds in a generation; 0 at the start."""
    rows = tx.all("SELECT feed, seq FROM cursors WHERE generation = ?", (generation,))
    seq_of = dict(typed_rows(rows, tuple[str, int]))
    return [seq_of.get(feed, 0) for feed in feeds]


def set_cursor(tx: Transaction, generation: int, feed: str, seq: int) -> None:
    """Store the cursor of a feed in a generation."""
    tx.execute(
        "INSERT INTO cursors (generation, feed, seq) VALUES (?, ?, ?)"
        " ON CONFLICT (generation, feed) DO UPDATE SET seq = excluded.seq",
        (generation, feed, seq),
    )


def partition_number(tx: Transaction, generation: int, tenant: str) -> int | None:
    """Return the partition of a tenant, or None when nothing of it is indexed."""
    row = tx.row(
        "SELECT id FROM partitions WHERE generation = ? AND tenant = ?", (generation, tenant)
    )
    return integer(row[0]) if row else None


def ensure_partition(tx: Transaction, generation: int, tenant: str) -> int:
    """Return the partition of a tenant; it is created when missing."""
    number = partition_number(tx, generation, tenant)
    if number is not None:
        return number
    return first_integer(
        tx.row(
            "INSERT INTO partitions (generation, tenant) VALUES (?, ?) RETURNING id",
            (generation, tenant),
        )
    )


def partition_numbers(tx: Transaction, generation: int) -> list[int]:
    """Return the partitions of a generation."""
    rows = tx.rows("SELECT id FROM partitions WHERE generation = ? ORDER BY id", (generation,))
    return [integer(number) for (number,) in rows]
