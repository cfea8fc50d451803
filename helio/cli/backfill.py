"""Command that makes many intervals of a pipeline."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio.cli.app import (
    EXIT_OF_STATUS,
    SUCCESS,
    Archive,
    Assign,
    Formats,
    Json,
    Name,
    Now,
    Offline,
    Refresh,
    app,
    assignments,
    chosen_formats,
    errors_as_text,
    logged_settings,
    page_link,
    print_json,
    say,
    size_of,
)
from helio.counts import number_of

if TYPE_CHECKING:
    from helio.pipelines.runs.intervals import Interval
    from helio.service.backfill import Backfill, Progress
    from helio.service.estimate import Estimate
    from helio.settings import Settings

_ORDER = (
    *("done", "partial", "stale", "no data", "waiting", "due", "missing", "left", "running"),
    *("cancelled", "crashed", "failed"),
)
_MOST_REASONS = 3
_BAR = 20


@app.command()
def backfill(
    context: typer.Context,
    name: Name,
    time_range: Annotated[
        str | None,
        typer.Argument(
            help="The whole range in UTC, such as 2015..2024 or 'last 30 days'; with --each carrington also rotations, "
            "such as CR2240..CR2250.",
            metavar="RANGE",
        ),
    ] = None,
    each: Annotated[
        str | None,
        typer.Option(
            "--each",
            help="Length of an interval: a duration such as 1d, 27d or 6h, or 1mo, 1y or carrington. Default: 1d.",
            metavar="LENGTH",
        ),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(
            "--events",
            help="Instead of RANGE: a CSV or JSON file with the times of events, in columns start (or time) and stop.",
            metavar="FILE",
        ),
    ] = None,
    before: Annotated[
        str,
        typer.Option(
            "--before", help="With --events: margin before each event, such as 2h.", metavar="LENGTH"
        ),
    ] = "",
    after: Annotated[
        str,
        typer.Option("--after", help="With --events: margin after each event, such as 1d.", metavar="LENGTH"),
    ] = "",
    make_all: Annotated[bool, typer.Option("--all", help="Make every interval again.")] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Make only the intervals that have failed or have no data.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Run nothing; show what would be made, with files, bytes and time estimated."
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            help="Maximum number of intervals at the same time. Default: the number of processors, at most 4.",
            metavar="NUMBER",
        ),
    ] = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder in which each interval has its own; intervals whose files are elsewhere are made again. "
            "Default: every earlier run counts, and new files are written to ./helio-runs/PIPELINE.",
            metavar="FOLDER",
        ),
    ] = None,
    formats: Formats = "",
    max_download: Annotated[
        str,
        typer.Option(
            "--max-download",
            help="Maximum size of the downloads of all intervals together, such as 500MB or 20GB. helio stops there, "
            "and the same command goes on with the intervals that are left.",
            metavar="SIZE",
        ),
    ] = "1GB",
    offline: Offline = False,
    refresh: Refresh = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Do not show the intervals on the engine's pages (Prefect).")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the missing, failed and stale intervals of a pipeline over a long time range.

    An interval is stale if its data were republished, or if the pipeline or a tool has changed. Each interval is a
    run of its own. The same command continues after Ctrl-C or a crash, and makes nothing that is done.
    """
    with errors_as_text(
        as_json, cancelled="run the same command again to continue; finished intervals are kept"
    ):
        from helio import api
        from helio.errors import RequestError
        from helio.sources.archives import Access

        settings = logged_settings(context)
        if make_all and failed:
            raise RequestError("--all and --failed exclude each other", advice="use one of them")
        with watch_backfill(quiet=as_json, live=not context.obj) as (planned, on_progress):
            result = api.backfill(
                name,
                time_range,
                each=each,
                events=events,
                before=before,
                after=after,
                choose="all" if make_all else "failed" if failed else "needed",
                variables=assignments(assign or []),
                now=now,
                archive=archive,
                output=output,
                formats=chosen_formats(formats),
                workers=workers,
                engine="direct" if direct or settings.engine == "direct" else "prefect",
                dry_run=dry_run,
                access=Access(size_of(max_download), offline, refresh),
                settings=settings,
                planned=planned,
                on_progress=on_progress,
            )
        if as_json:
            print_json(result.to_json())
        else:
            _print_result(result, settings)
    if dry_run:
        raise typer.Exit(SUCCESS)
    raise typer.Exit(EXIT_OF_STATUS[result.status])


Planned = Callable[["Backfill"], None]
OnProgress = Callable[["Progress"], None]


@contextmanager
def watch_backfill(*, quiet: bool, live: bool) -> Iterator[tuple[Planned, OnProgress]]:
    """Show the progress: on a terminal a moving line and a line for each problem, otherwise a line per interval."""
    if quiet:
        yield (lambda backfill: None), (lambda progress: None)
    elif not (live and sys.stderr.isatty()):
        yield _say_plan, lambda progress: _say_event(progress, every=True)
    else:
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True, highlight=False).status("looking for what is missing") as status:

            def planned(backfill: Backfill) -> None:
                status.stop()
                _say_plan(backfill)
                status.start()
                status.update("starting")

            def on_progress(progress: Progress) -> None:
                status.stop()
                _say_event(progress, every=False)
                status.start()
                status.update(Text(_progress_line(progress)))

            yield planned, on_progress


def _say_plan(backfill: Backfill) -> None:
    say(f"{backfill.pipeline}: {_span_of(backfill)}, {len(backfill.to_do)} to make")


def _span_of(backfill: Backfill) -> str:
    """Say how many intervals there are, and from when to when they reach."""
    from helio.time_range import TimeRange

    spans = [interval.span for interval in backfill.intervals]
    number = number_of(len(spans), "interval")
    return f"{number} from {TimeRange(spans[0].start, max(span.stop for span in spans))}" if spans else number


def _say_event(progress: Progress, *, every: bool) -> None:
    from helio.service.chunk import Made

    ending = progress.event
    if isinstance(ending, Made) and (every or ending.is_left or ending.state not in ("done", "no data")):
        say(str(ending))


def _progress_line(progress: Progress) -> str:
    """Return ``━━━━╌╌╌╌ 73 of 365 intervals, 4 min left``."""
    full = _BAR * progress.done // progress.total
    left = "" if progress.seconds_left is None else f", {_in_words(progress.seconds_left)} left"
    return (
        f"{'━' * full}{'╌' * (_BAR - full)} {progress.done} of {number_of(progress.total, 'interval')}{left}"
    )


def _in_words(seconds: float) -> str:
    """Return a time as ``45 s``, ``12 min`` or ``3 h 20 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _print_result(result: Backfill, settings: Settings) -> None:
    if result.estimate is not None:
        _print_estimate(result, result.estimate)
    _print_table(result.intervals)
    for note in result.notes:
        say(f"note: {note}", err=True)
    if result.estimate is not None:
        return
    if result.page:
        say(f"page  {page_link(result.page, settings)}  (`helio down` stops the server)")
    if result.made:
        made = sum(not ending.is_left for ending in result.made)
        say(f"made {number_of(made, 'interval')} in {_in_words(result.seconds)}: {result.output}")
    counts = result.counts
    say(f"{result.status}: {result.pipeline}  {counts['done']} of {len(result.intervals)} done")


def _print_estimate(result: Backfill, needs: Estimate) -> None:
    from helio.sources.allowance import in_words

    about = "about " if needs.sampled < needs.intervals else ""
    say(f"{result.pipeline}: {_span_of(result)}, {needs.intervals} to make")
    if needs.files is not None:
        size = "size unknown" if needs.bytes is None else in_words(needs.bytes)
        say(f"data: {about}{number_of(needs.files, 'file')}, {size}")
    else:
        say("data: unknown; a provider cannot be asked")
    say(
        f"time: about {_in_words(needs.seconds)}, from earlier runs"
        if needs.seconds is not None
        else "time: unknown; no earlier run of this pipeline did work"
    )


def _print_table(intervals: Sequence[Interval]) -> None:
    """Print for each state how many intervals have it, and the first reasons with their intervals."""
    groups: dict[str, list[Interval]] = {}
    for interval in intervals:
        groups.setdefault(interval.state, []).append(interval)
    width = max(len(state) for state in groups)
    for state in _ORDER:
        members = groups.get(state, ())
        if not members:
            continue
        say(f"{state:<{width}}  {len(members):>6}")
        reasons: dict[str, list[Interval]] = {}
        for interval in members if state != "done" else ():
            reasons.setdefault(re.sub(r"\d", "0", _reason(interval)), []).append(interval)  # dates differ
        for alike in list(reasons.values())[:_MOST_REASONS]:
            others = f" and {number_of(len(alike) - 1, 'other', 'others')}" if alike[1:] else ""
            reason = _reason(alike[0])
            say(f"{'':<{width}}          {alike[0].span}{others}{f': {reason}' if reason else ''}")
        if reasons and len(reasons) > _MOST_REASONS:
            more = number_of(len(reasons) - _MOST_REASONS, "other reason", "other reasons")
            say(f"{'':<{width}}          and {more}; --json lists all")


def _reason(interval: Interval) -> str:
    if interval.state == "missing":
        return ""
    if interval.run is not None and interval.run.failed_step and interval.state not in ("stale", "left"):
        return f"step {interval.run.failed_step}: {interval.reason}"
    return interval.reason
