"""How fast and how light the gallery is with many figures.

    python -m benchmarks.gallery [--figures NUMBER] [--home FOLDER] [--site FOLDER]

Runs three sample pipelines once, and copies their records to many days: most days have a figure of their own bytes,
some have no data, failed or are missing. Then it measures reading the records, the pages that people open most, and
the static site, first and again. `--home` and `--site` keep what it makes; a home that is there is used as it is.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import shutil
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from helio import api
from helio.errors import HelioError
from helio.settings import Settings, read_settings
from helio.store.runs import HEADER, STEPS, Runs
from helio.store.store import Store
from helio.web.build import build
from helio.web.gallery import utc_now
from helio.web.site import START, Site, interval_address

SAMPLES = {
    "gle73-particles": "2021-10-28",
    "psp-bfield": "2020-01-04",
    "ace-bfield-overview": "2022-01-01",
}
DAY = timedelta(days=1)


def fill(settings: Settings, figures: int) -> None:
    """Fill a home with the runs of three pipelines, the last of each for yesterday."""
    runs = Runs(settings.runs)
    last = utc_now().replace(hour=0, minute=0, second=0) - DAY
    for pipeline, time_range in SAMPLES.items():
        done = api.run(
            pipeline, time_range=time_range, archive="sample", formats=["png"], output=settings.home / pipeline,
            engine="direct", settings=settings,
        )  # fmt: skip
        failed = _failed(pipeline, settings)
        for number in range(figures // len(SAMPLES)):
            day = last - number * DAY
            if number % 23 == 3:
                continue  # nobody ran it
            source = failed if number % 31 == 7 else done.id
            kind = "ServerUnavailable" if number % 62 == 7 else "NoData"
            _copy(settings, runs.load(source).folder, day, kind)
        runs.delete(done.id)
        runs.delete(failed)


def _failed(pipeline: str, settings: Settings) -> str:
    try:
        return api.run(
            pipeline, time_range="2001-01-01", archive="sample", output=settings.home / "failed", engine="direct",
            settings=settings, check=False,
        ).id  # fmt: skip
    except HelioError as error:
        raise SystemExit(f"{pipeline} made no record of its failure: {error}") from error


def _copy(settings: Settings, source: Path, day: datetime, kind: str) -> None:
    """Copy the record of a run to another day, with a picture of its own bytes."""
    header: dict[str, Any] = json.loads((source / HEADER).read_bytes())
    run_id = f"{header['pipeline']}-{day:%Y%m%d}T061000Z-{hashlib.sha256(str(day).encode()).hexdigest()[:4]}"
    folder = source.parent / run_id
    shutil.copytree(source, folder)
    text = f"{day:%Y-%m-%d} to {day + DAY:%Y-%m-%d}"
    due = day + DAY + timedelta(hours=6, minutes=10)
    times = {
        "now": due.isoformat(),
        "started_at": f"{due.isoformat()}+00:00",
        "finished_at": f"{due.isoformat()}+00:00",
    }
    values = {**header["values"], "$TIME_RANGE": text}
    store = Store(settings.store)
    for file in header["artefacts"]:
        if file["kind"] == "png":
            content = Path(file["file"]).read_bytes() + text.encode()
            file["sha256"] = store.put_bytes(content, ".png").removeprefix("sha256:")
    (folder / HEADER).write_text(json.dumps({**header, **times, "id": run_id, "values": values}))
    plan = json.loads((source / "plan.json").read_bytes())
    plan["variables"]["$TIME_RANGE"]["value"] = text
    (folder / "plan.json").write_text(json.dumps(plan))
    steps = (source / STEPS).read_text()
    (folder / STEPS).write_text(steps.replace('"kind": "NoData"', f'"kind": "{kind}"'))


def weight(site: Site, address: str) -> str:
    """Return the size of a page, compressed, and that of all its small pictures."""
    content = site.content(address)
    if content is None:
        raise SystemExit(f"no page {address}")
    names = {part.split('"')[0] for part in content.body.decode().split('src="')[1:]}
    small = [name[name.index("thumbs/") :] for name in names if "thumbs/" in name]
    pictures = sum(len(found.body) for name in small if (found := site.content(name)))
    kilobytes = (
        f"{len(content.body) / 1e3:.0f} kB, {len(gzip.compress(content.body)) / 1e3:.0f} kB compressed"
    )
    return f"{kilobytes}; {len(small)} pictures, {pictures / 1e3:.0f} kB"


def main() -> None:
    """Measure, and print one line for each piece of work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--figures", type=int, default=10_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--site", type=Path)
    asked = parser.parse_args()
    with ExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home: Path = asked.home or temporary / "home"
        settings = read_settings({"HELIO_HOME": str(home), "PATH": read_settings().path})
        if not (home / "runs").is_dir():
            fill(settings, asked.figures)

        def measure(name: str, action: Any) -> Any:
            begin = time.perf_counter()
            result = action()
            print(f"{time.perf_counter() - begin:8.3f} s  {name}", flush=True)
            return result

        site: Site = measure("first time: read all records", lambda: Site(settings))
        measure("look at all records again", site.refresh)
        measure("look for changes, as before each page", site.follow)
        measure("a new process", lambda: Site(settings))
        series = site.gallery.series[0]
        month = f"{series.name}/{START}"
        if series.latest is None:
            raise SystemExit("the home has no figure")
        interval = interval_address(series, series.latest)
        for name, address in (("first page", START), ("month", month), ("figure", interval)):
            measure(f"{name}", lambda address=address: site.content(address))
            print(f"            {weight(site, address)}")
        folder = asked.site or temporary / "site"
        for name in ("static site", "static site again"):
            built = measure(name, lambda: build(Site(settings), folder))
            print(f"            {built.pages} pages, {built.files} files, {built.written} written")


if __name__ == "__main__":
    main()
