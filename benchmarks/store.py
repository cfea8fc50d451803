"""What the store costs: tables against Parquet, digests against plain sha256, finding the results of twenty keys.

    python benchmarks/store.py

Times are medians of interleaved repeats in one process: read the ratios. The table is a day of one-second spectra,
86,400 × 64 in float32. "put" writes, syncs, reads back and compares digests; "read first" is verified whole, "read
again" by the file's size, time and inode.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from helio.store.ipc import read_table, write_table
from helio.store.runs import Runs
from helio.store.store import Result, Store
from helio.store.table import Axis, Table
from helio.store.work_keys import key_of

REPEATS = 7
RECORDS, BINS, SAMPLES = 86_400, 64, 10_000_000


def medians(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each action, the actions taken in turn."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(REPEATS):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(times) for name, times in taken.items()}


def spectrogram(seed: int) -> Table:
    values = np.random.default_rng(seed).lognormal(size=(RECORDS, BINS)).astype(np.float32)
    values[:: RECORDS // 100] = np.nan
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(RECORDS) * np.timedelta64(1, "s")
    axis = Axis("Energy", "keV", np.geomspace(1, 1000, BINS))
    return Table(epoch, values, unit="1/(cm² s sr keV)", name="flux", axes=(axis,), scale="log")


def to_parquet(table: Table, path: Path) -> None:
    columns = {
        f"b{j}": pa.array(np.ascontiguousarray(table.values[:, j]), from_pandas=False) for j in range(BINS)
    }
    pq.write_table(pa.table({"epoch": pa.array(table.epoch), **columns}), path)


def from_parquet(path: Path) -> np.ndarray:
    read = pq.read_table(path)
    return np.column_stack([read.column(f"b{j}").to_numpy() for j in range(BINS)])


def report(title: str, times: dict[str, float], against: str) -> None:
    print(f"\n{title}")
    for name, one in times.items():
        print(f"  {name:<34} {one:10.3f} ms {one / times[against]:9.2f} ×")


def tables(folder: Path) -> None:
    table = spectrogram(0)
    arrow, parquet = folder / "table.arrow", folder / "table.parquet"

    def to_arrow() -> None:
        with arrow.open("wb") as file:
            write_table(table, file, digest="sha256:" + "0" * 64)

    store = Store(folder / "store")
    digest = store.put_table(table)
    others = (Store(folder / f"put-{n}") for n in count())
    to_arrow()
    to_parquet(table, parquet)
    times = medians(
        {
            "write, Arrow and seal": to_arrow,
            "write, Parquet": lambda: to_parquet(table, parquet),
            "put in the store": lambda: next(others).put_table(table),
            "put what is there": lambda: store.put_table(table),
            "read, Arrow mapped": lambda: read_table(arrow),
            "read, Parquet": lambda: from_parquet(parquet),
            "read from the store, first": lambda: Store(folder / "store").table(digest),
            "read from the store, again": lambda: store.table(digest),
        }
    )
    report(f"{RECORDS} × {BINS} float32, {table.values.nbytes / 1e6:.0f} MB", times, "read, Arrow mapped")


def digests() -> None:
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(SAMPLES) * np.timedelta64(1, "s")
    values = np.random.default_rng(0).normal(size=SAMPLES)
    gaps = values.copy()
    gaps[::50] = np.nan
    plain, table, missing = memoryview(values), Table(epoch, values), Table(epoch, gaps)
    times = medians(
        {
            "sha256 of the bytes": lambda: [
                hashlib.sha256(one).digest() for one in (epoch.view("i8"), plain)
            ],
            "digest": table.digest,
            "digest, 2 % missing": missing.digest,
        }
    )
    report(f"{SAMPLES:.0e} float64 samples and their epochs, 160 MB", times, "sha256 of the bytes")


def results(folder: Path) -> None:
    store, runs = Store(folder / "results"), Runs(folder / "runs")
    recipes = [
        {
            "tool": "running_average",
            "version": 1,
            "args": {"window": f"{n}min"},
            "inputs": {"B": "sha256:" + "0" * 64},
        }
        for n in range(20)
    ]
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(1440) * np.timedelta64(60, "s")
    small = [Table(epoch, np.full(1440, float(n))) for n in range(20)]
    facts = {
        "rows": 1440,
        "unit": "nT",
        "sources": [{"file": f"ac_h2_mfi_{n}.cdf", "sha256": "0" * 64} for n in range(7)],
    }

    def record(store: Store) -> None:
        for recipe, table in zip(recipes, small, strict=True):
            key = key_of(recipe)
            store.record(key, Result(key, recipe, store.put_table(table), ".arrow", facts, "2024", 0.1))

    record(store)
    others = (Store(folder / f"results-{n}") for n in count())
    run = runs.begin({"id": "a", "started_at": "2024"}, {})
    times = medians(
        {
            "keys of 20 recipes": lambda: [key_of(recipe) for recipe in recipes],
            "… and find them": lambda: [store.find(key_of(recipe)) for recipe in recipes],
            "… and read their tables, first": lambda: [
                other.table(found.digest)
                for other in [Store(store.root)]
                for recipe in recipes
                if (found := other.find(key_of(recipe)))
            ],
            "put and record 20 small tables": lambda: record(next(others)),
            "20 lines of a run record": lambda: [run.step({"step_id": n, **recipes[n]}) for n in range(20)],
        }
    )
    report("twenty steps", times, "… and find them")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        tables(Path(name))
        digests()
        results(Path(name))
