"""Interrupt runs at random moments, and print what became of each: ``python scripts/interrupt_at_random.py``.

Three kinds of run are interrupted ``--count`` times each: one under the engine whose download never ends, the same
without the engine, and one of the samples without the engine. The moments count from just before helio is imported.
Every second signal goes to the whole group of processes, as a terminal sends it; every third one is sent twice.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helio.flows.server import Server
from helio.sources.samples import sample_folder
from helio.store.runs import Runs
from helio.testing import CdaWebStandIn

BEGIN = "import os, sys; os.write({}, b'x'); from helio.__main__ import main; main()"
KINDS = {
    "engine, endless download": ["gle73-particles", "--archive", "cdaweb"],
    "direct, endless download": ["gle73-particles", "--archive", "cdaweb", "--direct"],
    "direct, sample": ["gle73-particles", "--archive", "sample", "--direct", "--format", "html,png"],
}


@dataclass(frozen=True)
class Trial:
    """What became of one run that was interrupted."""

    moment: float
    code: int
    has_traceback: bool
    lines: int
    """Lines on standard error."""
    seconds: float
    """From the signal to the end."""
    orphans: tuple[str, ...]
    status: str
    """What the records say of the newest run."""


def interrupt(words: list[str], environ: dict[str, str], folder: Path, moment: float, number: int) -> Trial:
    """Start a run, interrupt it, and look at what is left."""
    mark = folder / f"trial-{number}"
    mark.mkdir()
    reading, writing = os.pipe()
    with (mark / "errors").open("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN.format(writing), *words],
            env=environ | {"TMPDIR": str(mark)},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[writing],
            start_new_session=True,
            cwd=folder,
        )
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        time.sleep(moment)
        begun = time.monotonic()
        send = os.killpg if number % 2 else os.kill
        if process.poll() is None:
            send(process.pid, signal.SIGINT)
            if number % 3 == 0:
                time.sleep(0.1)
                if process.poll() is None:
                    send(process.pid, signal.SIGINT)
        code = process.wait(60)
        seconds = time.monotonic() - begun
        errors.seek(0)
        text = errors.read()
    time.sleep(0.3)
    orphans = tuple(_children_of(mark))
    if "Traceback" in text or code not in (0, 130):
        print(f"--- trial {number}, at {moment:.3f} s, exit code {code}\n{text}---", flush=True)
    found = Runs(Path(environ["HELIO_HOME"]) / "runs").list()
    return Trial(
        moment,
        code,
        "Traceback" in text,
        len(text.splitlines()),
        seconds,
        orphans,
        found[0].status if found else "",
    )


def _children_of(mark: Path) -> Iterator[str]:
    """Yield the living processes that a trial's run started, without the engine's server."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environ = (entry / "environ").read_bytes()
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if f"TMPDIR={mark}\0".encode() in environ and "prefect.server" not in line and "uvicorn" not in line:
            yield line[:100]


@contextmanager
def endless_service(folder: Path) -> Iterator[CdaWebStandIn]:
    """A stand-in for CDAWeb; told to be slow, it takes minutes for a file."""
    served = folder / "served"
    served.mkdir()
    shutil.copy(sample_folder() / "sta_l1_het_20211028_v01.cdf", served)
    with CdaWebStandIn(served) as service:
        yield service


def main() -> None:
    """Interrupt, and print a line for each trial and a table at the end."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=50, help="trials of each kind")
    arguments.add_argument("--seed", type=int, default=20211028)
    arguments.add_argument("--longest", type=float, default=4.0, help="the latest moment, in seconds")
    arguments.add_argument("--kind", choices=list(KINDS), action="append", help="only this kind of run")
    chosen = arguments.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="helio-interrupt-"))
    home = folder / "home"
    environ = {name: text for name, text in os.environ.items() if not name.startswith(("HELIO_", "PREFECT_"))}
    server = Server(home, environ)
    table = []
    try:
        with endless_service(folder) as service:
            environ |= {"HELIO_HOME": str(home), "HELIO_CDAWEB_URL": service.url}
            for kind in chosen.kind or KINDS:
                if "engine" in kind:
                    server.start()
                    server.wait(120)
                chance = random.Random(chosen.seed)
                words = ["run", *KINDS[kind], "-o", str(folder / "out")]
                trials = []
                for number in range(chosen.count):
                    shutil.rmtree(home / "store", ignore_errors=True)
                    service.mend()
                    service.fail("/sp_phys/data/", *[("slow", 10.0)] * 20)
                    trial = interrupt(words, environ, folder, chosen.longest * chance.random() ** 2, number)
                    shutil.rmtree(folder / f"trial-{number}")
                    print(kind, trial, flush=True)
                    trials.append(trial)
                service.mend()
                after = subprocess.run(
                    [sys.executable, "-m", "helio", *words],
                    env=environ,
                    capture_output=True,
                    text=True,
                    cwd=folder,
                )
                codes = Counter(trial.code for trial in trials)
                seconds = sorted(trial.seconds for trial in trials if trial.code == 130)
                table.append(
                    f"{kind}: exit codes {dict(codes)}, tracebacks {sum(trial.has_traceback for trial in trials)}, "
                    f"more than one line {sum(trial.lines > 1 for trial in trials if trial.code == 130)}, "
                    f"orphans {sum(bool(trial.orphans) for trial in trials)}, "
                    f"records {dict(Counter(trial.status for trial in trials))}, seconds to the end: median "
                    f"{seconds[len(seconds) // 2]:.2f}, longest {seconds[-1]:.2f}; the same command afterwards: "
                    f"{after.returncode}"
                )
                shutil.rmtree(folder / "out", ignore_errors=True)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(table))


if __name__ == "__main__":
    main()
