"""How fast one parameter of a CDF becomes a table, against cdflib and pycdfpp in the same run; and peak memory.

    HELIO_TEST_ARCHIVE=folder/of/real/cdfs python benchmarks/read_cdf.py

Times are medians of interleaved repeats: read the ratios. "warm" has the worker running and the file opened before,
"first" has the worker running and a file it never saw. One hour and all of 1e7 samples are warm and come with the CPU
time of both processes; pycdfpp reads all records for either. Memory is the peak of both processes together over what
each had before, for a made file of 1e7 float64 samples and their TT2000 epochs.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import cdflib
import numpy as np
import pycdfpp
from cdflib.cdfwrite import CDF

from helio.sources.cdf import CdfReader
from helio.time_range import TimeRange

ALWAYS = TimeRange(datetime(1900, 1, 1), datetime(2200, 1, 1))
CASES = [
    ("omni2_h0_mrg1hr*.cdf", "F"),
    ("mms1_fgm_brst*.cdf", "mms1_fgm_b_gse_brst_l2"),
    ("wi_h0_mfi*.cdf", "B3GSE"),
    ("solo_L2_epd*.cdf", "Ion_Flux"),
    ("ac_h0_mfi*.cdf", "BGSEc"),
]
SAMPLES = 10_000_000


def milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e3


def by_cdflib(path: Path, name: str) -> None:
    file = cdflib.CDF(path)
    file.varget(name)
    cdflib.cdfepoch.to_datetime(file.varget(file.attget("DEPEND_0", name).Data))


def by_pycdfpp(path: Path, name: str) -> None:
    file = pycdfpp.load(str(path))
    np.asarray(file[name].values)
    pycdfpp.to_datetime64(file[file[name].attributes["DEPEND_0"][0]])


def speed(archive: Path) -> None:
    print(f"{'file and parameter':<34}{'warm':>8}{'first':>8}{'pycdfpp':>9}{'cdflib':>9}   ms")
    with CdfReader() as reader, tempfile.TemporaryDirectory() as folder:
        for pattern, name in CASES:
            path = next(archive.rglob(pattern))
            times: dict[str, list[float]] = {"warm": [], "first": [], "pycdfpp": [], "cdflib": []}
            reader.read(path, [name], ALWAYS)
            for turn in range(15):
                times["warm"].append(milliseconds(partial(reader.read, path, [name], ALWAYS)))
                copy = Path(shutil.copy(path, Path(folder) / f"{turn}{path.name}"))
                times["first"].append(milliseconds(partial(reader.read, copy, [name], ALWAYS)))
                times["pycdfpp"].append(milliseconds(partial(by_pycdfpp, path, name)))
                if turn % 5 == 0:
                    times["cdflib"].append(milliseconds(partial(by_cdflib, path, name)))
            warm, first, theirs, slow = (statistics.median(each) for each in times.values())
            print(
                f"{path.name[:18] + ' ' + name[:14]:<34}{warm:8.2f}{first:8.2f}{theirs:9.2f}{slow:9.1f}",
                end="   ",
            )
            print(f"warm: {slow / warm:.0f}x faster than cdflib, {warm / theirs:.1f}x of pycdfpp", end="; ")
            print(f"first: {slow / first:.0f}x, {first / theirs:.1f}x")


def start() -> None:
    with CdfReader() as reader, tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder) / "small.cdf", 10)
        begun = milliseconds(reader.start)
        print(f"start() returns after {begun:.1f} ms; the first answer is there ", end="")
        print(f"after {milliseconds(lambda: reader.describe(path)):.0f} ms, the second ", end="")
        print(f"after {milliseconds(lambda: reader.describe(path)):.2f} ms")


def made(path: Path, samples: int, gzip: int = 6) -> Path:
    file = CDF(path, delete=True)
    shape = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": [], "Compress": gzip}
    epochs = 700_000_000_000_000_000 + np.arange(samples) * 10_000_000
    file.write_var({"Variable": "Epoch", "Data_Type": 33, **shape}, var_data=epochs)
    said = {"DEPEND_0": "Epoch", "FILLVAL": -1e31, "VALIDMIN": 0.0, "VALIDMAX": 2e9}
    values = np.arange(samples, dtype="f8")
    file.write_var({"Variable": "x", "Data_Type": 45, **shape}, var_attrs=said, var_data=values)
    file.close()
    return path


def ranges() -> None:
    print(f"{'1e7 samples':<34}{'warm':>8}{'CPU':>8}{'pycdfpp':>9}{'CPU':>9}   ms")
    with CdfReader() as reader, tempfile.TemporaryDirectory() as folder:
        for kind, gzip in (("gzip", 6), ("plain", 0)):
            path = made(Path(folder) / f"{kind}.cdf", SAMPLES, gzip)
            span = reader.describe(path).span
            assert span is not None
            start = span[0] + timedelta(hours=13)
            hour = TimeRange(start, start + timedelta(hours=1))
            state = reader._state_of(path)
            for part, time_range in (("one hour", hour), ("all", ALWAYS)):
                read = partial(reader.read, path, ["x"], time_range, state)
                read()
                times: dict[str, list[tuple[float, float]]] = {"warm": [], "pycdfpp": []}
                for _ in range(9):
                    before = cpu(reader)
                    wall = milliseconds(read)
                    times["warm"].append((wall, cpu(reader) - before))
                    before = cpu(reader)
                    wall = milliseconds(partial(by_pycdfpp, path, "x"))
                    times["pycdfpp"].append((wall, cpu(reader) - before))
                warm, ours, theirs, their_cpu = (
                    statistics.median(column) for runs in times.values() for column in zip(*runs, strict=True)
                )
                print(
                    f"{part + ' of 1e7, ' + kind:<34}{warm:8.1f}{ours:8.0f}{theirs:9.1f}{their_cpu:9.0f}",
                    end="   ",
                )
                print(f"{warm / theirs:.2f}x of pycdfpp, {ours / their_cpu:.2f}x of its CPU time")


def cpu(reader: CdfReader) -> float:
    """Return the milliseconds of CPU that this process and the worker had so far."""
    pid = reader._worker._process.pid  # type: ignore[union-attr]
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return (time.process_time() + ticks / os.sysconf("SC_CLK_TCK")) * 1e3


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory() -> None:
    with tempfile.TemporaryDirectory() as folder, CdfReader() as reader:
        small = made(Path(folder) / "small.cdf", 10)
        child = os.fork()
        if child == 0:
            # written in a process of its own, so that its memory is not ours
            made(Path(folder) / "large.cdf", SAMPLES)
            os._exit(0)
        os.waitpid(child, 0)
        reader.read(small, ["x"], ALWAYS)
        pids = [os.getpid(), reader._worker._process.pid]  # type: ignore[union-attr]
        before = sum(resident(pid) for pid in pids)
        peak, done = [0], threading.Event()

        def watch() -> None:
            while not done.wait(0.001):
                peak[0] = max(peak[0], sum(resident(pid) for pid in pids))

        watcher = threading.Thread(target=watch)
        watcher.start()
        begun = time.perf_counter()
        table = reader.read(Path(folder) / "large.cdf", ["x"], ALWAYS)["x"]
        taken = time.perf_counter() - begun
        done.set()
        watcher.join()
        reader.read(small, ["x"], ALWAYS)
        data = table.values.nbytes + table.epoch.nbytes
        print(
            f"1e7 samples: {taken:.2f} s, {data / 1e6:.0f} MB of data, peak {(peak[0] - before) / 1e6:.0f} MB ",
            end="",
        )
        print(
            f"= {(peak[0] - before) / data:.2f}x the data; afterwards the worker has {resident(pids[1]) / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    start()
    if "HELIO_TEST_ARCHIVE" in os.environ:
        speed(Path(os.environ["HELIO_TEST_ARCHIVE"]))
    else:
        print("HELIO_TEST_ARCHIVE does not name a folder of real CDFs: no speed measured", file=sys.stderr)
    ranges()
    memory()
