"""Make a home with every kind of thing that a user can own, as one version of helio writes it.

Later versions must read it: ``tests/test_old_home.py``. To make the home of a commit again, check the commit out
somewhere, install it, and give the path of its command:

    git worktree add /tmp/helio-89cefef 89cefef
    python -m venv /tmp/helio-89cefef/.venv
    /tmp/helio-89cefef/.venv/bin/pip install -e /tmp/helio-89cefef
    python scripts/make_old_home.py /tmp/helio-89cefef/.venv/bin/helio tests/data/homes/89cefef.tar.gz

All is made in /tmp/helio-old-home, which must not exist yet and is removed at the end. Records contain paths in that
folder. The names of this machine and of the command are replaced by neutral ones before the archive is written.

The pipelines use the sample archive and a folder of small CSV files. These contain what later rules may read
differently: a leap second, a repeated epoch, an angle that passes 360°, words that look like components, and
ranges written ``A/B`` between months.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path("/tmp/helio-old-home")
HOME = ROOT / "home"
DATA = ROOT / "data"
OUTPUT = "out-"
"""How the folders of figures begin; they are not packed, for every one has a copy of plotly.js."""
NOW = "2026-11-20T12:00:00"
LEFT_OUT = ("logs", "engine", "tmp")
"""Folders of the home that say something about this machine and nothing about the user's work."""
MACHINE = {
    "host": "observatory",
    "boot": "00000000-0000-0000-0000-000000000001",
    "namespace": "pid:[1]",
    "pid": 4242,
}


def make_data() -> None:
    """Write the station's files: two months of the field, and a day with a leap second."""
    DATA.mkdir(parents=True)
    days = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in (1, 15)]
    field = ["time,Bx [nT],By [nT],azimuth [deg],parallel velocity [km/s]"]
    for number, day in enumerate(days):
        for minute in range(0, 60, 10):
            azimuth = (350 + 5 * (minute // 10) + number) % 360
            row = f"{day}T00:{minute:02d}:00Z,{number + minute / 10},{2 * number},{azimuth},{400 + minute}"
            field += [row, row] if minute == 30 else [row]
    (DATA / "obs_mag_20240101_v01.csv").write_text("# title: Field at a station\n" + "\n".join(field) + "\n")
    seconds = [f"2016-12-31T23:59:{second:02d}Z" for second in range(50, 61)]
    seconds += [f"2017-01-01T00:00:{second:02d}Z" for second in range(10)]
    elapsed = "\n".join(f"{at},{number}" for number, at in enumerate(seconds))
    (DATA / "obs_clock_20161231_v01.csv").write_text(f"time,elapsed [s]\n{elapsed}\n")


def fetch(step_id: str, dataset: str, parameter: str, time_range: str, **more: Any) -> dict[str, Any]:
    """A step that reads one parameter."""
    arguments = {"dataset_id": dataset, "parameter_id": parameter, "time_range": time_range}
    return {"step_id": step_id, "tool_name": "fetch_data", "tool_args": arguments, "intent": step_id, **more}


def step(step_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """Any other step."""
    return {"step_id": step_id, "tool_name": tool, "tool_args": arguments, "intent": step_id}


def figure(*labels: str) -> dict[str, Any]:
    """A figure with one panel for each label."""
    return step(
        "figure", "render_spec", spec={"labels": list(labels), "panels": [[label] for label in labels]}
    )


def template(name: str, steps: list[dict[str, Any]], default: str = "") -> dict[str, Any]:
    """A pipeline, with a time range as its variable where it has a default."""
    variables = {"$TIME_RANGE": {"type": "time_range", "default": default}} if default else {}
    return {
        "schema_version": 1,
        "id": name,
        "name": name.replace("-", " "),
        "description": f"Made by {Path(__file__).name}.",
        "variables": variables,
        "steps": steps,
    }


TEMPLATES = (
    template(
        "station",
        [
            fetch("field", "OBS_MAG", "Bx", "$TIME_RANGE"),
            fetch("angle", "OBS_MAG", "azimuth", "$TIME_RANGE"),
            fetch("speed", "OBS_MAG", "parallel velocity", "$TIME_RANGE"),
            step("smooth", "running_average", source_label="OBS_MAG.Bx", window="30min", output_label="Bx30"),
            step(
                "turned",
                "resample",
                source_label="OBS_MAG.azimuth",
                cadence="20min",
                output_label="azimuth20",
            ),
            figure("OBS_MAG.Bx", "Bx30", "OBS_MAG.azimuth", "OBS_MAG.parallel velocity"),
            {**step("csv", "save_data", source_labels=["Bx30"], filename="bx.csv"), "critical": False},
        ],
        "2024-01/2024-02",
    ),
    template(
        "station-months",
        [fetch("field", "OBS_MAG", "Bx", "2024-01/2024-02"), figure("OBS_MAG.Bx")],
    ),
    template(
        "station-clock",
        [
            fetch("clock", "OBS_CLOCK", "elapsed", "$TIME_RANGE"),
            step("rate", "derivative", source_label="OBS_CLOCK.elapsed", output_label="rate"),
            figure("OBS_CLOCK.elapsed", "rate"),
        ],
        "2016-12-31/2017-01-01",
    ),
    template(
        "half",
        [
            fetch("field", "OBS_MAG", "Bx", "$TIME_RANGE"),
            fetch("absent", "OBS_MAG", "Bz", "$TIME_RANGE", critical=False),
            figure("OBS_MAG.Bx"),
        ],
        "2024-01-15",
    ),
    template("nothing", [fetch("absent", "OBS_MAG", "Bz", "2024-01-15"), figure("OBS_MAG.Bz")]),
    template(
        "endless",
        [
            fetch("field", "OBS_MAG", "Bx", "2024-01-15"),
            step(
                "loop",
                "custom_operation",
                source_labels=["OBS_MAG.Bx"],
                code="total = 0\n"
                "for i in range(10**6):\n    for j in range(10**6):\n        total = total + 1\n"
                "result = df + total",
                output_label="never",
            ),
            figure("never"),
        ],
    ),
)


class Maker:
    """Runs one version of helio in the home.

    Parameters
    ----------
    command : Path
        The ``helio`` of that version.
    """

    def __init__(self, command: Path) -> None:
        self.command = command
        # The names of what this shell sets must not decide what the home contains.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HELIO_")}
        self.environ = {**kept, "HELIO_HOME": str(HOME)}

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command, and give what it prints."""
        done = subprocess.run(
            [str(self.command), *words], cwd=ROOT, env=self.environ, capture_output=True, text=True
        )
        if done.returncode != code:
            raise SystemExit(f"helio {' '.join(words)} gave {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def latest(self, pipeline: str) -> str:
        """The newest run of a pipeline."""
        return str(json.loads(self.run("runs", "--pipeline", pipeline, "--json"))[0]["id"])

    def pending(self) -> str:
        """The newest proposal that nobody has decided."""
        return str(json.loads(self.run("proposals", "--json"))[0]["id"])

    def stop_in_the_middle(self, pipeline: str, sent: signal.Signals) -> None:
        """Begin a run and stop it with a signal once its first step is recorded."""
        known = set((HOME / "runs").glob("*/"))
        words = ("run", pipeline, "--archive", "data", "--now", NOW, "--direct", "-o", "out-endless")
        process = subprocess.Popen(
            [str(self.command), *words], cwd=ROOT, env=self.environ, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 120
        while not any(
            (folder / "steps.jsonl").stat().st_size for folder in set((HOME / "runs").glob("*/")) - known
        ):
            if time.monotonic() > deadline or process.poll() is not None:
                raise SystemExit(f"{pipeline} did not begin")
            time.sleep(0.1)
        os.kill(process.pid, sent)
        process.wait(timeout=60)
        if sent == signal.SIGKILL:  # its workers are left
            os.killpg(process.pid, signal.SIGKILL)


def fill(helio: Maker) -> None:
    """Do what a user does."""
    for document in TEMPLATES:
        path = ROOT / f"{document['id']}.json"
        path.write_text(json.dumps(document, indent=2) + "\n")
        helio.run("import", str(path))
        path.unlink()

    # Copies and edits, with a history; proposals of each kind.
    helio.run("copy", "ace-bfield-overview", "my-ace")
    helio.run("edit", "my-ace", "change the title to Storm", "-y", "--now", NOW)
    mine = HOME / "templates" / "my-ace.json"
    mine.write_text(mine.read_text().replace("Storm", "Storm by hand"))
    helio.run("edit", "my-ace", "the same but with a red magnitude line", "--now", NOW)
    helio.run("proposals", "reject", helio.pending())
    helio.run("edit", "my-ace", "the same but with a blue magnitude line", "--now", NOW)
    helio.run("author", "Plot the PSP magnetic field for 2020-01-04", "--as", "psp-day", "--now", NOW)
    helio.run("author", "Plot the Wind magnetic field for 2022-01-01", "--as", "wind-day", "-y", "--now", NOW)

    # Runs: direct and with the engine, from the sample archive and from a folder.
    sample = ("--archive", "sample", "--now", NOW)
    station = ("--archive", "data", "--now", NOW)
    three_hours = "2021-10-28T15:00 to 2021-10-28T18:00"
    helio.run("run", "gle73-particles", *sample, "-t", three_hours, "--direct", "-o", "out-gle")
    helio.run("run", "gle73-particles", *sample, "-t", three_hours, "--direct", "-o", "out-gle-again")
    helio.run("run", "psp-bfield", *sample, "--ephemeral", "-o", "out-psp")
    helio.run("run", "station", *station, "--direct", "-o", "out-station")
    helio.run("run", "station", *station, "-t", "2024-02-01/2024-02-15", "--ephemeral", "-o", "out-february")
    helio.run("run", "station-months", *station, "--direct", "-o", "out-months")
    helio.run("run", "station-clock", *station, "--direct", "-o", "out-clock")
    helio.run("run", "half", *station, "--direct", "-o", "out-half", code=3)
    helio.run("run", "nothing", *station, "--direct", "-o", "out-nothing", code=1)
    helio.stop_in_the_middle("endless", signal.SIGINT)
    helio.stop_in_the_middle("endless", signal.SIGKILL)

    # Made from runs: a pipeline, locks, a plan; and schedules.
    helio.run("save", helio.latest("gle73-particles"), "--as", "saved-gle")
    helio.run("lock", "--run", helio.latest("gle73-particles"), "-o", "gle.lock")
    helio.run("lock", "station", *station, "-o", "station.lock")
    helio.run("plan", "station", *station, "-o", "station-plan.json")
    helio.run(
        "schedule", "add", "psp-bfield", "--cron", "10 6 * * *", "-t", "yesterday", "--archive", "sample"
    )
    helio.run(
        "schedule", "add", "station", "--cron", "0 7 1 * *", "-t", "2024-01/2024-02", "--archive", "data"
    )
    helio.run("schedule", "pause", "station")


def made_neutral(path: Path, content: bytes, command: Path) -> bytes:
    """The bytes of a file without the names of this machine; objects and results are sealed and name none."""
    if path.suffix not in (".json", ".jsonl") or "store" in path.parts:
        return content
    text = content.decode().replace(str(command), "helio").replace(str(command.parents[2]), "/opt/helio")
    for name, value in MACHINE.items():
        text = re.sub(rf'("{name}": )("[^"]*"|\d+)', lambda found, to=value: found[1] + json.dumps(to), text)
    return text.encode()


def files() -> Iterator[Path]:
    """What the archive contains: the home, the data, and what commands wrote beside them, but no output."""
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT).parts
        if path.is_file() and not inside[0].startswith(OUTPUT) and not (set(inside) & set(LEFT_OUT)):
            yield path


def pack(archive: Path, command: Path) -> None:
    """Write the archive; the same files give the same bytes."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for path in files():
            content = ROOT / ".content"
            content.write_bytes(made_neutral(path, path.read_bytes(), command))
            entry = tar.gettarinfo(content, arcname=str(path.relative_to(ROOT)))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname, entry.mode = 0, 0, 0, "", "", 0o644
            with content.open("rb") as file:
                tar.addfile(entry, file)
            content.unlink()


def main() -> None:
    """Make the home, pack it, and remove it."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("command", type=Path, help="The helio command of the version.")
    words.add_argument(
        "archive", type=Path, help="The file to write, such as tests/data/homes/89cefef.tar.gz."
    )
    words.add_argument("--keep", action="store_true", help=f"Leave {ROOT}.")
    said = words.parse_args()
    if ROOT.exists():
        raise SystemExit(f"{ROOT} exists already")
    command = said.command.absolute()
    try:
        make_data()
        fill(Maker(command))
        pack(said.archive, command)
    finally:
        if not said.keep:
            shutil.rmtree(ROOT)


if __name__ == "__main__":
    main()
