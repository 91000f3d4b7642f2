"""Measure the local embedder against what its runtime alone reaches on the same texts.

Usage: python scripts/embedding_speed.py [FILE.jsonl ...]; without files the messages of the demo.
The runtime alone gets word pieces cut beforehand, and as many threads as the embedder.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import recollect
from recollect.core.settings import models_folder
from recollect.models.local.folder import MODEL, ModelFolder
from recollect.models.local.minilm import LocalEmbedder
from recollect.models.local.runtime import OnnxSession
from recollect.models.local.wordpiece import WordPieces

THREADS = 2
ROUNDS = 5
TEXTS = 1_000
WINDOW = 254


def main(files: Sequence[str]) -> None:
    """Print texts a second, of wall and of CPU time: the best of some rounds in turn."""
    texts = read_texts([Path(file) for file in files] or demo_files())
    texts = (texts * (1 + TEXTS // len(texts)))[:TEXTS]
    folder = ModelFolder(models_folder() / MODEL)
    pieces = WordPieces(folder.read_vocabulary())
    windows = [[pieces.cls_id, *pieces.encode(t)[:WINDOW], pieces.sep_id] for t in texts]
    session = OnnxSession(folder.read_graph("int8"))
    embedder = LocalEmbedder(folder.path, threads=THREADS)
    embedder.embed_query("load")
    rates: dict[str, list[tuple[float, float]]] = {"runtime alone": [], "embedder": []}
    for _ in range(ROUNDS):
        rates["runtime alone"].append(rate(lambda: run_alone(session, windows)))
        rates["embedder"].append(rate(lambda: embedder.embed_documents(texts)))
    print(f"{TEXTS} texts, {sum(map(len, windows)) / TEXTS:.1f} pieces on average")
    for name, rounds in rates.items():
        wall, cpu = (max(column) for column in zip(*rounds, strict=True))
        print(f"{name:14} {wall:7.0f} texts/s on {THREADS} threads, {cpu:6.0f} a CPU second")


def run_alone(session: OnnxSession, windows: Sequence[Sequence[int]]) -> None:
    """Run the graph on prepared windows, nothing else."""
    arrays = [np.array([window], np.int64) for window in windows]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(session.run, arrays))


def rate(work: Callable[[], object]) -> tuple[float, float]:
    """Return texts a second of wall time and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return TEXTS / (time.perf_counter() - wall), TEXTS / (time.process_time() - cpu)


def demo_files() -> list[Path]:
    """Return the plain transcripts of the demo."""
    return sorted((Path(recollect.__path__[0]) / "demo" / "transcripts").rglob("*.jsonl"))


def read_texts(files: Sequence[Path]) -> list[str]:
    """Return the text messages of plain JSONL transcripts."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    contents = [json.loads(line).get("content") for line in lines]
    return [content for content in contents if isinstance(content, str)]


if __name__ == "__main__":
    main(sys.argv[1:])
