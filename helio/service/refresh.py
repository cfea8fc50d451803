"""Make the figures again whose data were republished, each with the pipeline of its run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from helio.errors import Cancelled, EngineError, HelioError
from helio.flows.schedule import name_of_range
from helio.pipelines.runs.intervals import IntervalRun, time_variables
from helio.pipelines.template.files import DETAIL, FORMATS, Format
from helio.service.backfill import Backfill, BackfillRequest, Progress, backfill
from helio.service.chunk import Made
from helio.service.drift import Drift, Drifted
from helio.settings import Settings
from helio.sources.archives import Access
from helio.store.runs import RunRecord, Runs
from helio.time_range import TimeRange


@dataclass(frozen=True)
class Refreshed:
    """A figure that was made again, or the reason why it was not.

    Parameters
    ----------
    old : IntervalRun
        The run of the earlier figure; its record and its results stay.
    folder : str
        The folder for the new figure.
    made : Made or None
        How the new run ended; None if there was none.
    reason : str
        Why there was none; empty in a dry run.
    """

    old: IntervalRun
    folder: str = ""
    made: Made | None = None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        span = self.old.span
        return {
            "pipeline": self.old.pipeline,
            "start": span.start.isoformat() if span else "",
            "stop": span.stop.isoformat() if span else "",
            "old": self.old.id,
            "new": self.made.run if self.made else "",
            "state": self.made.state if self.made else "",
            "reason": self.made.reason if self.made else self.reason,
            "folder": self.folder,
        }


@dataclass(frozen=True)
class Refresh:
    """What was republished, and the figures that were made again.

    Parameters
    ----------
    figures : tuple of Refreshed
        One for each figure that changed.
    """

    drift: Drift
    figures: tuple[Refreshed, ...] = ()
    dry_run: bool = False

    @property
    def status(self) -> Literal["success", "partial", "failed"]:
        """Return ``failed`` if no figure could be made that had to, ``success`` if each was, otherwise ``partial``."""
        wanted = [figure for figure in self.figures if not figure.reason]
        done = [figure for figure in wanted if figure.made is not None and figure.made.state == "done"]
        if self.dry_run or len(done) == len(self.figures):
            return "partial" if self.drift.unasked else "success"
        return "partial" if done or not wanted else "failed"

    def __repr__(self) -> str:
        return f"<Refresh: {sum(figure.made is not None for figure in self.figures)} made>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        status = "planned" if self.dry_run else self.status
        figures = [figure.to_json() for figure in self.figures]
        return {"status": status, "figures": figures, "drift": self.drift.to_json()}


@dataclass(frozen=True)
class _Order:
    """The request that makes one figure again."""

    figure: Drifted
    request: BackfillRequest
    folder: Path

    @property
    def key(self) -> str:
        """Return what orders have in common that one backfill can carry out."""
        request = self.request
        parts = [
            request.pipeline,
            dict(request.values),
            request.archive,
            str(request.output),
            request.own_folder,
            request.formats,
            request.now.isoformat(),
        ]
        return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def refresh_figures(
    drift: Drift,
    settings: Settings,
    *,
    now: datetime,
    workers: int = 1,
    engine: Literal["prefect", "direct"] = "direct",
    dry_run: bool = False,
    access: Access | None = None,
    planned: Callable[[Backfill], None] = lambda backfill: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Refresh:
    """Make the changed figures again: the same pipeline, values and folder, and the data as they are now.

    Parameters
    ----------
    drift : Drift
        What was republished.
    now : datetime
        The clock, naive UTC.
    workers : int
        Maximum number of processes.
    planned, on_progress : callable
        As for `helio.service.backfill.backfill`, called for each pipeline.

    Raises
    ------
    EngineError, Cancelled
    """
    access = access or Access()
    orders: dict[str, list[_Order]] = {}
    results: dict[str, Refreshed] = {}
    for figure in drift.changed:
        reason = _why_not(figure)
        if reason:
            results[figure.run.id] = Refreshed(figure.run, reason=reason)
            continue
        try:
            order = _order(figure, settings, now)
        except HelioError as error:
            results[figure.run.id] = Refreshed(figure.run, reason=error.message)
            continue
        results[figure.run.id] = Refreshed(figure.run, str(order.folder))
        orders.setdefault(order.key, []).append(order)
    for group in () if dry_run else orders.values():
        spans = {order.figure.run.id: _span(order.figure.run) for order in group}
        request = replace(
            group[0].request,
            spans=tuple(sorted(spans.values(), key=lambda span: (span.start, span.stop))),
            workers=workers,
            engine=engine,
            max_download=access.max_download,
            offline=access.offline,
        )
        try:
            done = backfill(request, settings, planned=planned, on_progress=on_progress)
        except (Cancelled, EngineError):
            raise
        except HelioError as error:  # of this pipeline; the others go on
            for order in group:
                run = order.figure.run
                results[run.id] = replace(results[run.id], reason=error.message)
            continue
        made = {ending.span: ending for ending in done.made if not ending.is_left}
        left = {interval.span: interval.reason for interval in done.intervals if interval.state == "left"}
        for run_id, span in spans.items():
            results[run_id] = replace(results[run_id], made=made.get(span), reason=left.get(span, ""))
    return Refresh(drift, tuple(results.values()), dry_run)


def _why_not(figure: Drifted) -> str:
    """Return why a figure cannot be made again; empty if it can."""
    if figure.gone:
        return f"its data are gone, so the figure stays as it is: {figure.gone}"
    if figure.run.span is None:
        return f"it has no time variable; run it again: helio run {figure.run.pipeline}"
    return ""


def _order(figure: Drifted, settings: Settings, now: datetime) -> _Order:
    record = Runs(settings.runs).load(figure.run.id)
    header, span = record.whole_header, _span(figure.run)
    times = time_variables(record)
    output, own_folder = _folder_of(figure.run, span)
    request = BackfillRequest(
        pipeline=record.authored,
        spans=(span,),
        # another time variable may be relative to the clock of its run
        now=datetime.fromisoformat(header["now"]) if len(times) > 1 else now,
        values={name: value for name, value in header["values"].items() if name != times[0]},
        archive=header.get("archive", ""),
        output=output,
        own_folder=own_folder,
        formats=_formats(record),
        choice="all",
    )
    root = output if output is not None else Path("helio-runs", figure.run.pipeline).absolute()
    return _Order(figure, request, root / (own_folder or name_of_range(span)))


def _span(run: IntervalRun) -> TimeRange:
    assert run.span is not None  # a figure without an interval is not made again
    return run.span


def _folder_of(run: IntervalRun, span: TimeRange) -> tuple[Path | None, str]:
    """Return the folder of a figure and, if it is not named after the interval, its name below its parent.

    A figure whose files were overwritten or deleted since gets a new folder, so that no other figure is lost.
    """
    folders = {Path(file["file"]).parent for file in run.files}
    files = [file for file in run.files if file["kind"] != DETAIL]
    if len(folders) != 1 or not all(_is_as_written(file["file"], file["sha256"]) for file in files):
        return None, ""
    [folder] = folders
    return folder.parent, "" if folder.name == name_of_range(span) else folder.name


def _is_as_written(file: str, digest: str) -> bool:
    try:
        return sha256(Path(file).read_bytes()).hexdigest() == digest.removeprefix("sha256:")
    except OSError:
        return False


def _formats(record: RunRecord) -> tuple[Format, ...]:
    """Return the formats of the figures that the run wrote."""
    written = {artefact["kind"] for artefact in record.whole_header.get("artefacts", ())}
    return tuple(form for form in FORMATS if form in written)
