"""Homes with run records and figures that no run has made: a gallery needs no more."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image

from helio.settings import Settings
from helio.store.runs import Runs
from helio.store.store import Store

NOW = datetime(2024, 5, 12, 8)
FIGURE = {"data": [], "layout": {"width": 700, "height": 500, "title": {"text": "A figure"}}}
SOURCE = {
    "dataset_id": "AC_H2_MFI",
    "file": "ac_h2_mfi_20240510_v06.cdf",
    "version": "06",
    "provider": "CDAWeb",
}
QUALITY = {
    "panel": 1,
    "kind": "line",
    "labels": [{"label": "AC_H2_MFI.BGSEc", "coverage": 0.98, "records": 24}],
    "traces": [
        {"label": "AC_H2_MFI.BGSEc", "name": "Bx", "values": 23, "missing": 1, "drawn": 23, "clipped": 2}
    ],
}
CITATION = {"dataset_id": "AC_H2_MFI", "title": "ACE Magnetic Field", "pi": "N. Ness"}


def picture(text: str) -> bytes:
    """A PNG whose bytes depend on the text."""
    colour = tuple(hashlib.sha256(text.encode()).digest()[:3])
    written = io.BytesIO()
    Image.new("RGB", (1000, 700), colour).save(written, "PNG")
    return written.getvalue()


def settings_of(home: Path) -> Settings:
    return Settings(home=home)


def error(kind: str, message: str, advice: str = "") -> dict[str, Any]:
    return {"kind": kind, "message": message, "place": "", "advice": advice}


def add_run(
    home: Path,
    time_range: str,
    *,
    run_id: str = "",
    pipeline: str = "ace-field",
    name: str = "ACE field",
    title: str = "Magnetic field",
    status: str = "success",
    started_at: str = "2024-05-12T06:10:00+00:00",
    values: Mapping[str, Any] | None = None,
    failure: dict[str, Any] | None = None,
    formats: Sequence[str] = ("html", "png"),
    figure: Mapping[str, Any] = FIGURE,
    export: str = "",
    in_store: bool = True,
    events: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Write the record of a run with its figure, and return its id."""
    run_id = (
        run_id
        or f"{pipeline[:20]}-{hashlib.sha256((time_range + started_at + str(values)).encode()).hexdigest()[:8]}"
    )
    store = Store(home / "store")
    drawn = json.dumps({**figure, "made for": time_range + started_at}).encode()
    digest = store.put_bytes(drawn, ".json")
    spec = {"title": title, "panels": [["AC_H2_MFI.BGSEc"], ["magnitude"]]}
    variables: dict[str, Any] = {
        name: {"type": "string", "value": value} for name, value in (values or {}).items()
    }
    if time_range:
        variables["$TIME_RANGE"] = {"type": "time_range", "value": time_range}
    plan = {
        "id": pipeline,
        "name": name,
        "variables": variables,
        "steps": [{"step_id": "fetch"}, {"step_id": "draw", "tool_name": "render_spec", "tool_args": {"spec": spec}}],
    }  # fmt: skip
    record = Runs(home / "runs").begin(
        {
            "id": run_id,
            "pipeline": pipeline,
            "template_digest": "sha256:" + "1" * 64,
            "archive": "",
            "now": "2024-05-12T06:10:00",
            "values": {name: facts["value"] for name, facts in variables.items()},
            "started_at": started_at,
            "command": ["helio", "run", pipeline],
            "environment": {"helio": "0.1.0", "python": "3.12.1"},
            "rules": {"time ranges": 2},
        },
        {"authored": {"id": pipeline, "steps": plan["steps"]}, "plan": plan},
    )
    common = {"tool_version": 1, "critical": True, "reason": "", "attempts": [], "error": None, "outputs": []}
    fetch: dict[str, Any] = {**common, "step_id": "fetch", "tool_name": "fetch_data", "state": "completed"}
    drawing: dict[str, Any] = {**common, "step_id": "draw", "tool_name": "render_spec"}
    files: list[dict[str, Any]] = []
    if failure is None:
        output = {
            "label": "", "key": "key:" + "2" * 64, "recipe": {"tool": "render_spec"}, "digest": digest,
            "suffix": ".json", "cached": False, "notes": ["panel 1: coverage 100.0 %"], "sources": [SOURCE],
            "quality": [QUALITY],
        }  # fmt: skip
        drawing |= {"state": "completed", "outputs": [output]}
        folder = home / "out" / run_id
        folder.mkdir(parents=True)
        from helio.steps.render.figure import Figure
        from helio.steps.render.write_figure import to_html

        contents = {
            "html": to_html(
                Figure({**figure, "data": [{"name": pipeline + time_range}]}, ()), scripts="beside"
            ),
            "png": picture(time_range + started_at),
            "svg": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 5"><path d="M0 0h7v5H0z"/></svg>',
        }
        written = {f"figure.{kind}": (kind, contents[kind]) for kind in formats}
        if export:
            written[export] = ("data", b"time,Bz\n2024-05-10T00:00:00,1.5\n")
        for file, (kind, content) in written.items():
            (folder / file).write_bytes(content)
            if kind == "png" and in_store:
                store.put_bytes(content, ".png")
            sha256 = hashlib.sha256(content).hexdigest()
            files.append({"file": str(folder / file), "step_id": "draw", "kind": kind, "sha256": sha256})
    else:
        fetch |= {"state": "failed", "error": failure}
        drawing |= {"state": "skipped", "reason": "step fetch failed"}
    record.step(fetch, drawing)
    if status != "running":
        record.finish(
            status,
            files,
            finished_at=started_at,
            facts={"citations": [CITATION], "missing": [], "unwritten": [], "events": list(events)},
        )
    return run_id


def usual_home(home: Path) -> Settings:
    """A week of a daily pipeline, with all that happens: figures, a day without data, a failed day, a repeated day."""
    for day in (3, 4, 5, 8, 9, 10):
        add_run(
            home, f"2024-05-{day:02}", started_at=f"2024-05-{day + 1:02}T06:10:00+00:00", export="field.csv"
        )
    add_run(home, "2024-05-10", started_at="2024-05-11T05:00:00+00:00")
    add_run(
        home, "2024-05-06", started_at="2024-05-07T06:10:00+00:00", status="failed",
        failure=error("NoData", "AC_H2_MFI has no file for 2024-05-06", "choose another time range"),
    )  # fmt: skip
    add_run(
        home, "2024-05-11", started_at="2024-05-12T06:10:00+00:00", status="failed",
        failure=error("ServerUnavailable", "the server is gone\nsecond line", "check the network connection"),
    )  # fmt: skip
    add_run(home, "2024-04-30", started_at="2024-05-01T06:10:00+00:00")
    add_run(home, "2024-05-10", pipeline="swpc-now", name="Now", title="Now", formats=("html",))
    return settings_of(home)
