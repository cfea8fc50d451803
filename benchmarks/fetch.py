"""A day, a month and a year of 1-minute data from a CDAWeb on loopback, against others who fetch and read the same.

    python benchmarks/fetch.py
    python benchmarks/fetch.py --cdasws VENV/bin/python --speasy VENV/bin/python
    python benchmarks/fetch.py --memory

Every contender runs in a process of its own, and the server in another; what it imports does not count, nor does the
start of helio's CDF reader; what it asks, downloads, checks, keeps and reads does. "plain" lists with httpx2, downloads
one file after another and reads with cdflib, without any check and without joining. "cdasws" lists and downloads with
NASA's client and reads with cdflib. "speasy" downloads by the pattern of the files' names and reads with pycdfpp; its
client of CDAWeb cannot be pointed elsewhere. "warm" is the same once more, in the same process: helio asks nobody,
plain and cdasws read what they kept, speasy has it in its cache. Read the ratios.

Memory is the peak of helio's process and of its CDF reader's while one small variable is read from 2 GB of archive
files, beside the same for files that hold nothing else: it is bounded by the result, not by the files.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REST = "/WS/cdasr/1/dataviews/sp_phys/"
DATASET = "XX_H0_MADE"
START = datetime(2023, 1, 1)
REPEATS = 3
RANGES = (("a day", 1), ("a month", 31), ("a year", 365))
Seconds = dict[str, float]


# The archive


def make_file(folder: Path, first: datetime, days: int, *, per_day: int = 1440, extra: int = 0) -> None:
    """A file of a made vector; `extra` further values per record make it large."""
    import numpy as np
    import pycdfpp

    records = days * per_day
    random = np.random.default_rng(first.toordinal())
    file = pycdfpp.CDF()
    file.add_attribute("Logical_source", [DATASET.lower()])
    file.add_variable(
        "Epoch",
        values=np.datetime64(first, "ns") + np.arange(records) * np.timedelta64(86_400 // per_day, "s"),
        data_type=pycdfpp.DataType.CDF_TIME_TT2000,
        attributes={"VAR_TYPE": "support_data"},
    )
    about = {"DEPEND_0": "Epoch", "UNITS": "nT", "VAR_TYPE": "data", "CATDESC": "made"}
    file.add_variable("B", values=random.normal(size=(records, 3)).astype("f4"), attributes=about)
    if extra:
        flux = np.tile(random.normal(size=extra).astype("f4"), (records, 1))
        file.add_variable("Flux", values=flux, attributes=about)
    pycdfpp.save(file, str(folder / f"{DATASET.lower()}_{first:%Y%m%d}_v01.cdf"))


def make_year(folder: Path, layout: str) -> None:
    """365 daily files, or twelve monthly ones."""
    first = START
    while first < START + timedelta(days=365):
        month = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
        days = 1 if layout == "daily" else (month - first).days
        make_file(folder, first, days)
        first += timedelta(days=days)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the folder, in a process of its own."""
    with subprocess.Popen(
        [sys.executable, __file__, "serve", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.communicate("\n")


def serve(folder: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from helio.testing import CdaWebStandIn

    with CdaWebStandIn(folder) as standin:
        print(standin.url, flush=True)
        sys.stdin.readline()


# Contenders


def seconds(action: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def helio(url: str, start: datetime, stop: datetime, folder: Path) -> Seconds:
    from helio.sources.cdf import CdfReader
    from helio.sources.file_digests import FileDigests
    from helio.sources.http import Http
    from helio.sources.providers.cdaweb import CdaWeb
    from helio.sources.samples import sample_folder
    from helio.time_range import TimeRange

    import httpx2  # noqa: F401 isort: skip - not to be counted
    import helio.sources.join  # noqa: F401 isort: skip - numpy, likewise

    with CdfReader() as reader:
        reader.describe(sample_folder() / "ac_k2_mfi_20220101_v03.cdf")  # its process is there

        def fetch() -> None:
            digests = FileDigests(folder / "digests")
            http = Http()
            provider = CdaWeb(folder / "files", http, reader=reader, url=url, digests=digests, limit=None)
            table = provider.fetch(DATASET, ["B"], TimeRange(start, stop))["B"]
            assert len(table) == (stop - start).days * 1440
            http.close()

        return {"cold": seconds(fetch), "warm": seconds(fetch)}


def plain(url: str, start: datetime, stop: datetime, folder: Path) -> Seconds:
    import cdflib
    import httpx2
    import numpy as np

    def cold() -> None:
        with httpx2.Client(headers={"Accept": "application/json"}) as client:
            listed = client.get(
                f"{url}{REST}datasets/{DATASET}/orig_data/{start:%Y%m%dT%H%M%SZ},{stop:%Y%m%dT%H%M%SZ}"
            )
            for one in listed.json()["FileDescription"]:
                here = folder / one["Name"].rpartition("/")[2]
                here.write_bytes(client.get(one["Name"]).content)
                read(here)

    def read(here: Path) -> tuple[Any, Any]:
        file = cdflib.CDF(here)
        return np.asarray(file.varget("B")), cdflib.cdfepoch.to_datetime(file.varget("Epoch"))

    return {"cold": seconds(cold), "warm": seconds(lambda: [read(one) for one in folder.glob("*.cdf")])}


def cdasws(url: str, start: datetime, stop: datetime, folder: Path) -> Seconds:
    import cdflib
    from cdasws import CdasWs

    kept: list[str] = []

    def read(here: str) -> tuple[Any, Any]:
        file = cdflib.CDF(here)
        return file.varget("B"), cdflib.cdfepoch.to_datetime(file.varget("Epoch"))

    def cold() -> None:
        client = CdasWs(endpoint=f"{url}{REST}")
        _, files = client.get_original_files(
            DATASET, f"{start:%Y-%m-%dT%H:%M:%SZ}", f"{stop:%Y-%m-%dT%H:%M:%SZ}"
        )
        for one in files:
            kept.append(client.download(one["Name"], one["Length"]))
            read(kept[-1])
        client.close()

    times = {"cold": seconds(cold), "warm": seconds(lambda: [read(one) for one in kept])}
    for one in kept:
        Path(one).unlink()
    return times


def speasy(url: str, start: datetime, stop: datetime, folder: Path) -> Seconds:
    import os

    os.environ["SPEASY_CORE_DISABLED_PROVIDERS"] = (
        "amda,cda,cdaweb,csa,ssc,archive,generic_archive,uiowaephtool"
    )
    os.environ["SPEASY_CACHE_PATH"] = str(folder / "cache")
    from speasy.core.direct_archive_downloader import get_product

    layout = folder.name.rpartition("-")[2]
    day = "{D:02d}" if layout == "daily" else "01"
    pattern = f"{url}/sp_phys/data/{DATASET.lower()}/{{Y}}/{DATASET.lower()}_{{Y}}{{M:02d}}{day}_v01.cdf"

    def fetch() -> None:
        found = get_product(
            url_pattern=pattern,
            split_rule="regular",
            split_frequency=layout,
            variable="B",
            start_time=start,
            stop_time=stop - timedelta(seconds=1),  # it counts the stop in
        )
        assert found is not None
        assert len(found) == (stop - start).days * 1440

    return {"cold": seconds(fetch), "warm": seconds(fetch)}


CONTENDERS = {one.__name__: one for one in (helio, plain, cdasws, speasy)}


def contend(name: str, url: str, start: datetime, stop: datetime, folder: Path, python: str) -> Seconds:
    """What a contender says of itself, run by an interpreter that has it."""
    words = [python, __file__, "contend", name, url, start.isoformat(), stop.isoformat(), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-3000:]}")
    times: Seconds = json.loads(done.stdout.splitlines()[-1])
    return times


def has(python: str, module: str) -> bool:
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


# What is measured


def speed(pythons: dict[str, str]) -> None:
    names = [name for name, python in pythons.items() if name in ("helio", "plain") or has(python, name)]
    for name in sorted(set(pythons) - set(names)):
        print(f"{name} is not installed: left out")
    print(f"{'files':<9}{'range':<9}{'who':<8}{'cold':>8}{'warm':>8}  s{'cold':>9}{'warm':>8}  × plain, cold")
    for layout in ("monthly", "daily"):
        with tempfile.TemporaryDirectory() as made:
            make_year(Path(made), layout)
            with served(Path(made)) as url:
                for label, days in RANGES:
                    times: dict[str, list[Seconds]] = {name: [] for name in names}
                    for _ in range(REPEATS):
                        for name in names:  # in turn, so that a busy moment of the machine meets them all
                            with tempfile.TemporaryDirectory(suffix=f"-{layout}") as folder:
                                stop = START + timedelta(days=days)
                                times[name].append(
                                    contend(name, url, START, stop, Path(folder), pythons[name])
                                )
                    median = {
                        name: {
                            which: statistics.median(one[which] for one in every)
                            for which in ("cold", "warm")
                        }
                        for name, every in times.items()
                    }
                    for name in names:
                        cold, warm = median[name]["cold"], median[name]["warm"]
                        by_hand = median["plain"]["cold"]
                        print(
                            f"{layout:<9}{label:<9}{name:<8}{cold:8.3f}{warm:8.3f}   "
                            f"{cold / by_hand:9.2f}{warm / by_hand:8.2f}",
                            flush=True,
                        )


def memory() -> None:
    """The peaks of a fetch of one small variable, from large files and from small ones."""
    peaks: dict[int, tuple[float, float]] = {}
    days, per_day = 8, 43_200
    size = 0.0
    for extra in (0, 1440):
        with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as folder:
            # elsewhere: a process begins with the peak of the one that started it
            words = [sys.executable, __file__, "make", made, str(days), str(per_day), str(extra)]
            subprocess.run(words, check=True)
            size = sum(path.stat().st_size for path in Path(made).glob("*.cdf")) / 1e6
            with served(Path(made)) as url:
                words = [sys.executable, __file__, "peaks", url, str(days), folder]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                own, child = json.loads(done.stdout.splitlines()[-1])
                peaks[extra] = own, child
    result = days * per_day * (8 + 12) / 1e6
    print(f"\n{size:.0f} MB in {days} files, of which {result:.0f} MB are the result; peaks in MiB:")
    print(f"{'':<16}{'large files':>12}{'small files':>12}{'more':>7}")
    for place, who in enumerate(("helio", "its CDF reader")):
        large, small = peaks[1440][place], peaks[0][place]
        print(f"{who:<16}{large:12.0f}{small:12.0f}{large - small:7.0f}")


def print_peaks(url: str, days: int, folder: Path) -> None:
    from helio.sources.cdf import CdfReader
    from helio.sources.providers.cdaweb import CdaWeb
    from helio.time_range import TimeRange

    with CdfReader() as reader:
        provider = CdaWeb(folder, reader=reader, url=url, limit=None)
        table = provider.fetch(DATASET, ["B"], TimeRange(START, START + timedelta(days=days)))["B"]
        assert len(table) == days * 43_200
        provider.close()
    # of the children the largest one that has ended: the reader has
    print(
        json.dumps(
            [
                resource.getrusage(who).ru_maxrss / 1024
                for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            ]
        )
    )


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        return serve(Path(sys.argv[2]))
    if sys.argv[1:2] == ["make"]:
        days, per_day, extra = map(int, sys.argv[3:])
        for number in range(days):
            make_file(Path(sys.argv[2]), START + timedelta(days=number), 1, per_day=per_day, extra=extra)
        return None
    if sys.argv[1:2] == ["peaks"]:
        return print_peaks(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
    if sys.argv[1:2] == ["contend"]:
        name, url, start, stop, folder = sys.argv[2:]
        times = CONTENDERS[name](
            url, datetime.fromisoformat(start), datetime.fromisoformat(stop), Path(folder)
        )
        return print(json.dumps(times))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cdasws", default=sys.executable, help="an interpreter that has cdasws and cdflib")
    parser.add_argument("--speasy", default=sys.executable, help="an interpreter that has speasy")
    parser.add_argument("--memory", action="store_true", help="only measure memory: 4 GB of temporary files")
    parser.add_argument("--speed", action="store_true", help="only measure speed")
    given = parser.parse_args()
    if not given.memory:
        own = sys.executable
        speed({"helio": own, "plain": own, "cdasws": given.cdasws, "speasy": given.speasy})
    if not given.speed:
        memory()
    return None


if __name__ == "__main__":
    main()
