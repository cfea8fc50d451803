"""Days, a month and a year of 1-minute data from a CDAWeb on loopback, against a plain loop over urllib and cdflib.

    python benchmarks/downloads.py

"cold" lists, downloads, checks, keeps and reads; "warm" finds and reads what is kept; "plain" downloads each file with
urllib and reads the parameter with cdflib, without any check and without joining. Read the ratios. Memory is the peak
of the process over what it had before, while a range of many large files is fetched and read: it is bounded by the
result, not by the files.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import cdflib
import numpy as np
import pycdfpp

sys.path.insert(0, str(Path(__file__).parents[1]))

from helio.sources.cdaweb import CdaWeb
from helio.sources.cdf import CdfReader
from helio.sources.http import Http
from helio.store.file_digests import FileDigests
from helio.time_range import TimeRange
from tests.sources.standin_cdaweb import REST, CdaWebStandIn

START = datetime(2023, 1, 1)
REPEATS = 3


def make_day(folder: Path, day: datetime, *, records: int = 1440, extra: int = 0) -> None:
    """A day of a made vector at 1 minute; `extra` further values per record make the file large."""
    random = np.random.default_rng(day.toordinal())
    file = pycdfpp.CDF()
    file.add_attribute("Logical_source", ["xx_h0_made"])
    epoch = np.datetime64(day, "ns") + np.arange(records) * np.timedelta64(86_400 // records, "s")
    file.add_variable(
        "Epoch",
        values=epoch,
        data_type=pycdfpp.DataType.CDF_TIME_TT2000,
        attributes={"VAR_TYPE": "support_data"},
    )
    about = {"DEPEND_0": "Epoch", "UNITS": "nT", "VAR_TYPE": "data", "CATDESC": "made"}
    file.add_variable("B", values=random.normal(size=(records, 3)).astype("f4"), attributes=about)
    if extra:
        file.add_variable("Flux", values=random.normal(size=(records, extra)).astype("f4"), attributes=about)
    pycdfpp.save(file, str(folder / f"xx_h0_made_{day:%Y%m%d}_v01.cdf"))


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def plain(url: str, span: TimeRange, folder: Path) -> None:
    path = f"{REST}datasets/XX_H0_MADE/orig_data/{span.start:%Y%m%dT%H%M%SZ},{span.stop:%Y%m%dT%H%M%SZ}"
    asked = urllib.request.Request(url + path, headers={"Accept": "application/json"})
    with urllib.request.urlopen(asked) as reply:
        files = json.load(reply)["FileDescription"]
    for one in files:
        here = folder / one["Name"].rpartition("/")[2]
        with urllib.request.urlopen(one["Name"]) as reply:
            here.write_bytes(reply.read())
        file = cdflib.CDF(here)
        file.varget("B")
        cdflib.cdfepoch.to_datetime(file.varget("Epoch"))


def speed(folder: Path) -> None:
    for number in range(365):
        make_day(folder, START + timedelta(days=number))
    print(f"{'range':<10}{'cold':>9}{'warm':>9}{'plain':>9}   s     cold/plain  warm/plain")
    with CdaWebStandIn(folder) as server, CdfReader() as reader:
        for name, days in (("a day", 1), ("a month", 31), ("a year", 365)):
            span = TimeRange(START, START + timedelta(days=days))
            times: dict[str, list[float]] = {"cold": [], "warm": [], "plain": []}
            for _ in range(REPEATS):
                with tempfile.TemporaryDirectory() as home:
                    digests = FileDigests(Path(home) / "digests")

                    def fetch(
                        home: str = home, digests: FileDigests = digests, span: TimeRange = span
                    ) -> None:
                        http = Http()
                        CdaWeb(
                            reader, Path(home) / "files", http, url=server.url, sha256=digests.sha256
                        ).fetch("XX_H0_MADE", ["B"], span)
                        http.close()

                    times["cold"].append(seconds(fetch))
                    fetch()  # the digests are remembered from the second time on
                    times["warm"].append(seconds(fetch))
                with tempfile.TemporaryDirectory() as scratch:
                    times["plain"].append(seconds(lambda s=scratch, p=span: plain(server.url, p, Path(s))))
            cold, warm, by_hand = (statistics.median(times[which]) for which in ("cold", "warm", "plain"))
            print(
                f"{name:<10}{cold:9.3f}{warm:9.3f}{by_hand:9.3f}   "
                f"{cold / by_hand:12.2f}{warm / by_hand:12.2f}"
            )


def memory(folder: Path) -> None:
    days = 20
    for number in range(days):
        make_day(folder, START + timedelta(days=number), records=8640, extra=400)
    size = sum(path.stat().st_size for path in folder.glob("*.cdf"))
    with CdaWebStandIn(folder) as server, CdfReader() as reader, tempfile.TemporaryDirectory() as home:
        http = Http()
        provider = CdaWeb(reader, Path(home), http, url=server.url, limit=None)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        provider.fetch("XX_H0_MADE", ["B"], TimeRange(START, START + timedelta(days=days)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        http.close()
    # the stand-in, in this process too, holds one file for each of two connections
    print(f"\n{size / 1e6:.0f} MB in {days} files: peak memory grew by {grown / 1024:.0f} MiB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        speed(Path(made))
    with tempfile.TemporaryDirectory() as made:
        memory(Path(made))
