"""The pages of the gallery by their addresses: the server and the static site take all their content from here."""

from __future__ import annotations

import calendar
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from datetime import time as clock_time
from functools import cache, cached_property, partial
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from helio import __version__
from helio.flows.schedule import name_of_range
from helio.flows.server import Server
from helio.pictures import size_of
from helio.pipelines.runs.artefacts import SCALE
from helio.pipelines.runs.basis import differences
from helio.pipelines.runs.intervals import DONE, PICTURES, Interval, IntervalRun, State, with_step
from helio.pipelines.runs.known_runs import KnownRun, known_runs_of
from helio.pipelines.template.files import DETAIL, PLOTLY_JS, VIEWER_JS
from helio.settings import Settings
from helio.steps.render.detail import LINE
from helio.store.runs import HEADER, ArtefactRecord, Runs
from helio.time_range import TimeRange
from helio.web.details import Revisions, file_label, read_details
from helio.web.files import (
    FOLDER,
    MEDIA_TYPES,
    THUMBS,
    Files,
    address_of,
    name_of,
    thumbnail_address,
)
from helio.web.gallery import LONGEST_MARKED, Gallery, Series, length_of, make_gallery, safe_name, utc_now

HERE = Path(__file__).parent
STYLE = HERE / "static" / "gallery.css"
START = "index.html"
ENGINE = "engine"
"""Address under which a server leads to the engine's pages."""
HTML = "text/html; charset=utf-8"
STATIC = {"gallery.css": "text/css; charset=utf-8", "gallery.js": "text/javascript; charset=utf-8"}
SCRIPTS = (f"{FOLDER}/{PLOTLY_JS}", f"{FOLDER}/{VIEWER_JS}")
"""Addresses of the scripts of the figures' pages."""
RECENT = 31
"""Number of intervals that the first page shows of each pipeline."""
MOST_PROBLEMS = 4
"""Number of missing or failed intervals that the first page names for each pipeline."""
DAYS_IN_CALENDAR = 2
"""Largest mean number of intervals on one day for which a month is shown as a calendar."""
WORST: tuple[State, ...] = (
    "failed", "crashed", "missing", "cancelled", "stale", "due", "running", "no data", "waiting", "partial", "done",
)  # fmt: skip
"""All states, first the one that a person should see first."""
SCROLL_BAR = 8
USUAL_HEIGHT = 800
"""Height of a frame in pixels, if a figure does not state its own."""
OFTEN = 300
"""Seconds after which a server looks for due runs again, although no record has changed."""
DAY = timedelta(days=1)
MIDNIGHT = clock_time()


@dataclass(frozen=True)
class Content:
    """The answer to a request: a page or a file.

    Parameters
    ----------
    is_page : bool
        Whether it is a page of the gallery; the others are files of runs, and what belongs to the pages.
    """

    body: bytes
    media_type: str
    is_page: bool = False


class Site:
    """All pages and files of the gallery.

    Parameters
    ----------
    settings : Settings
    now : callable
        The clock, naive UTC.
    is_served : bool
        Whether a server of helio shows the pages; they then link to the engine's pages.
    since : datetime, optional
        Naive UTC. Intervals that end before it are left out.
    """

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], datetime] = utc_now,
        *,
        is_served: bool = False,
        since: datetime | None = None,
    ) -> None:
        self._settings = settings
        self._now = now
        self._runs = Runs(settings.runs)
        self._known_runs = known_runs_of(settings)
        self._known: dict[str, KnownRun] = {}
        self._env = environment()
        self._is_served = is_served
        self._since = since
        self.files = Files(settings)
        self.refresh()

    def refresh(self) -> None:
        """Read new and changed run records and schedules."""
        self._seen = self._watched()  # before reading, so that no change is missed
        self._known = self._known_runs.read()
        runs = [record.run for record in self._known.values() if record.run is not None]
        for run in runs:
            self.files.know(run)
        gallery = make_gallery(runs, self._settings, self._now())
        self.gallery: Gallery = gallery if self._since is None else gallery.after(self._since)
        self._revisions = Revisions(self._settings)
        self._pages = dict(self._routes())
        self.__dict__.pop("files_named", None)

    def follow(self) -> None:
        """Refresh if runs have begun, ended or been deleted, if schedules have changed, or after some minutes."""
        written = tuple(_written(self._runs.root / run_id / HEADER) for run_id in self._running())
        seen = tuple(self._known[run_id].written for run_id in self._running())
        if written != seen or self._watched() != self._seen:
            self.refresh()

    def _watched(self) -> tuple[int, ...]:
        """Return when runs, schedules and pipelines last changed, and the present in steps of some minutes."""
        schedules = (self._settings.home / "schedules").glob("[!.]*.json")
        return (
            _written(self._runs.root),
            _written(self._settings.templates),
            *map(_written, sorted(schedules)),
            int(self._now().timestamp() // OFTEN),
        )

    def _running(self) -> tuple[str, ...]:
        return tuple(
            run_id
            for run_id, record in self._known.items()
            if record.run is not None and record.run.state == "running"
        )

    @property
    def pages(self) -> Collection[str]:
        """Return the addresses of all pages."""
        return self._pages.keys()

    @cached_property
    def files_named(self) -> Sequence[str]:
        """Return the addresses of all files to which the pages link."""
        shown = [
            run for series in self.gallery.series for interval in series.intervals for run in interval.runs
        ]
        files = {
            name_of(file): file
            for run in shown
            for file in run.files
            if file["kind"] != DETAIL and self.files.state_of(file)
        }
        details = dict.fromkeys(name for run in shown for name in self.files.detail_files(run))
        pictures = {name: file for name, file in files.items() if file["kind"] == "png"}
        has_pages = any(file["kind"] == "html" for file in files.values())
        return (
            *STATIC,
            *(SCRIPTS if has_pages else ()),
            *map(address_of, files.values()),
            *(f"{FOLDER}/{name}" for name in details),
            *map(thumbnail_address, pictures.values()),
        )

    def engine_link(self) -> str:
        """Return a link that opens the engine's pages in the owner's browser; empty if the engine does not answer."""
        server = Server(self._settings.home, self._settings.environ)
        with server.used():
            return server.with_ticket(server.link("/deployments")) if server.is_up() else ""

    def content(self, address: str) -> Content | None:
        """Return the page or the file with an address relative to the first page; None if there is none."""
        if address in self._pages:
            return Content(self._pages[address]().encode(), HTML, is_page=True)
        if address in STATIC:
            return Content((HERE / "static" / address).read_bytes(), STATIC[address])
        if address in SCRIPTS:
            from helio.steps.render.write_figure import plotly_js, viewer_js

            script = plotly_js() if address == SCRIPTS[0] else viewer_js(PLOTLY_JS)
            return Content(script, STATIC["gallery.js"])
        folder, _, name = address.partition("/")
        if folder == FOLDER and "/" in name:
            body = self.files.detail_file(name)
            return None if body is None else Content(body, STATIC["gallery.js"])
        if folder == FOLDER:
            body = self.files.content(name)
            ending = name.rpartition(".")[2]
            return (
                None if body is None else Content(body, MEDIA_TYPES.get(ending, "application/octet-stream"))
            )
        if folder == THUMBS:
            path = self.files.thumbnail(name)
            return None if path is None else Content(path.read_bytes(), MEDIA_TYPES["png"])
        return None

    def source(self, address: str) -> Path | None:
        """Return a file with the content of an address, for a link to it; None if there is only the content.

        Several threads may call this.
        """
        folder, _, name = address.partition("/")
        if folder == THUMBS:
            return self.files.thumbnail(name)
        return self.files.source(name) if folder == FOLDER and address not in SCRIPTS else None

    def state_of(self, address: str) -> str:
        """Return a digest of everything on which a page of a run depends; empty for the pages that always change."""
        page = self._pages.get(address)
        if not isinstance(page, partial) or page.func not in (self._interval_page, self._run_page):
            return ""
        series, interval = page.args[0], page.args[1]
        parts = [
            __version__,
            _code_of_pages(),
            series.title,
            json.dumps(dict(series.values), sort_keys=True),
            f"{interval.state} {interval.reason}",
            *(f"{run.id} {run.state} {self._known[run.id].written}" for run in interval.runs),
            *(
                f"{name_of(file)} {self.files.state_of(file)}"
                for run in interval.runs
                for file in run.files
                if file["sha256"]
            ),
            *(str(neighbour and neighbour.span) for neighbour in _neighbours(series, interval)),
        ]
        return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()

    # Pages ------------------------------------------------------------------------------------------------

    def _routes(self) -> Iterator[tuple[str, Callable[[], str]]]:
        yield START, self._start_page
        for series in self.gallery.series:
            months = sorted(series.months)
            yield f"{series.name}/{START}", partial(self._month_page, series, months[-1] if months else None)
            for month in months:
                yield month_address(series, month), partial(self._month_page, series, month)
            for interval in series.intervals:
                if interval.runs:
                    yield interval_address(series, interval), partial(self._interval_page, series, interval)
                for run in interval.runs:
                    if run is not interval.run:
                        yield run_address(series, run), partial(self._run_page, series, interval, run)

    def _start_page(self) -> str:
        damaged = sum(record.run is None for record in self._known.values())
        without = sum(record.run is not None and record.run.span is None for record in self._known.values())
        return self._render(
            "start.html",
            "",
            gallery=self.gallery,
            recent={series.name: series.intervals[-RECENT:] for series in self.gallery.series},
            problems={series.name: _problems(series) for series in self.gallery.series},
            most=MOST_PROBLEMS,
            damaged=damaged,
            without_interval=without,
        )

    def _month_page(self, series: Series, month: tuple[int, int] | None) -> str:
        months = sorted(series.months)
        items = series.months[month] if month else ()
        position = months.index(month) if month else 0
        year = month[0] if month else self.gallery.now.year
        per_day: dict[int, list[Interval]] = {}
        """The intervals that a calendar shows on each day: a short one on its day, a long one on each of its days."""
        for interval in items:
            for day in _days_of(interval, month) if month else ():
                per_day.setdefault(day, []).append(interval)
        marks = sum(map(len, per_day.values()))
        is_calendar = month is not None and marks <= DAYS_IN_CALENDAR * len(per_day)
        first_weekday, days = calendar.monthrange(*month) if month else (0, 0)
        years = sorted({key[0] for key in months})
        return self._render(
            "pipeline.html",
            "../",
            series=series,
            month=month,
            months=_year(series, year),
            states=_states(series, year),
            year=year,
            years=[
                (number, month_address(series, max(key for key in months if key[0] == number)))
                for number in years
            ],
            previous=months[position - 1] if position > 0 else None,
            following=months[position + 1] if position + 1 < len(months) else None,
            items=items,
            per_day=per_day,
            first_days={interval.span: _days_of(interval, month)[0] for interval in items} if month else {},
            days=range(1, days + 1),
            first_weekday=first_weekday,
            is_calendar=is_calendar,
        )

    def _interval_page(self, series: Series, interval: Interval) -> str:
        run = interval.run
        if run is None:
            raise AssertionError("only an interval with a run has a page")
        previous, following = _neighbours(series, interval)
        return self._page_of_run(series, interval, run, "../", previous, following)

    def _run_page(self, series: Series, interval: Interval, run: IntervalRun) -> str:
        return self._page_of_run(series, interval, run, "../../", None, None)

    def _page_of_run(
        self,
        series: Series,
        interval: Interval,
        run: IntervalRun,
        root: str,
        previous: Interval | None,
        following: Interval | None,
    ) -> str:
        details = read_details(run, self._runs, self._revisions)
        return self._render(
            "interval.html",
            root,
            series=series,
            interval=interval,
            details=details,
            run=run,
            previous=previous,
            following=following,
        )

    def _render(self, template: str, root: str, **facts: Any) -> str:
        return self._env.get_template(template).render(
            root=root,
            site=self,
            now=self.gallery.now,
            version=__version__,
            engine=root + ENGINE if self._is_served else "",
            link=lambda file: root + address_of(file),
            **facts,
        )

    # What templates ask -----------------------------------------------------------------------------------

    def thumbnail_of(self, run: IntervalRun | None) -> str:
        """Return the address of the small picture of a run's first figure; empty if the run has no PNG."""
        pictures = (file for file in run.files if file["kind"] == "png") if run else ()
        return next((thumbnail_address(file) for file in pictures if self.files.has(file)), "")

    def picture_size(self, file: ArtefactRecord) -> tuple[int, int]:
        """Return width and height at which a browser shows a PNG; (0, 0) if it is not there any more."""
        width, height = size_of(self.files.beginning(name_of(file), 24))
        return round(width / SCALE), round(height / SCALE)

    def frame_height(self, file: ArtefactRecord) -> int:
        """Return the height of a figure's HTML page in pixels."""
        return frame_height(self.files.beginning(name_of(file), 10_000))


def frame_height(page: bytes) -> int:
    """Return the height of a figure's HTML page in pixels, with its line of counts, and room for a scroll bar."""
    stated = re.search(rb"#figure \{[^}]*[^-]height: (\d+)px", page)
    below = LINE if b"\n#drawn {" in page else 0
    return int(stated[1]) + below + SCROLL_BAR if stated else USUAL_HEIGHT


def environment() -> Environment:
    """Return the templates of the pages; they escape every value."""
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(
        interval_address=interval_address,
        month_address=month_address,
        run_address=run_address,
        explain=explain,
        run_command=run_command,
        has_figure=has_figure,
        file_label=file_label,
        length_of=length_of,
        has_results=lambda run: run is not None and run.state in DONE,
        was_remade=was_remade,
        changes_of=changes_of,
        month_name=lambda month: f"{calendar.month_name[month[1]]} {month[0]}",
        start=START,
    )
    env.filters.update(
        span=lambda span: span.text,
        short_span=short_span,
        instant=lambda moment: f"{moment:%Y-%m-%d %H:%M} UTC",
        day=lambda moment: f"{moment.day} {moment:%b}",
        day_of_year=lambda moment: int(f"{moment:%j}"),
        first_line=first_line,
        with_code=with_code,
        css_class=lambda state: state.replace(" ", "-"),
    )
    return env


def interval_address(series: Series, interval: Interval) -> str:
    """Return the address of the page of an interval."""
    return f"{series.name}/{name_of_range(interval.span)}.html"


def month_address(series: Series, month: tuple[int, int]) -> str:
    """Return the address of the page of a month."""
    return f"{series.name}/{month[0]:04d}-{month[1]:02d}.html"


def run_address(series: Series, run: IntervalRun) -> str:
    """Return the address of the page of a run that is not the one that counts for its interval."""
    return f"{series.name}/runs/{safe_name(run.id)}.html"


def short_span(span: TimeRange) -> str:
    """Write an interval for a month's page: the weekday and the day, with times if it is not a whole day.

    Examples
    --------
    >>> short_span(TimeRange.from_iso("2021-10-28", "2021-10-29"))
    'Thu 28'
    >>> short_span(TimeRange.from_iso("2021-10-28", "2021-11-04"))
    'Thu 28 Oct to Thu 4 Nov'
    >>> short_span(TimeRange.from_iso("2021-10-28T12:00", "2021-10-28T18:00"))
    'Thu 28 12:00 to 18:00'
    """
    first = f"{span.start:%a} {span.start.day}"
    if span.is_day:
        return first
    last = f"{span.stop:%a} {span.stop.day}"
    if span.duration > DAY and span.start.month != span.stop.month:
        first, last = f"{first} {span.start:%b}", f"{last} {span.stop:%b}"
    last = "" if span.start.date() == span.stop.date() else f"{last} "
    if span.start.time() == span.stop.time() == MIDNIGHT:
        return f"{first} to {last}".rstrip()
    return f"{first} {span.start:%H:%M} to {last}{span.stop:%H:%M}"


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.splitlines()[0] if text else ""


def has_figure(run: IntervalRun | None) -> bool:
    """Return whether a run wrote a figure."""
    return run is not None and any(file["kind"] in PICTURES for file in run.files)


def explain(series: Series, interval: Interval, run: IntervalRun | None = None) -> tuple[str, str]:
    """Return why an interval has no result, and what to do about it; both are empty if all is well.

    Parameters
    ----------
    run : IntervalRun, optional
        A run of the interval, to explain its state. Default: the run that counts.
    """
    asked, run = run, run or interval.run
    again = f"run `{run_command(series, interval)}`"
    if run is None:
        return interval.reason, "" if interval.state in ("due", "waiting") else again
    if asked is None and interval.state == "stale":
        return interval.reason, again
    reason, advice = failure(run)
    if asked is None and interval.state in ("waiting", "no data"):
        reason = with_step(run, interval.reason)
    if asked is None and interval.state == "waiting":
        rule = series.looks.get(interval.span, "")
        advice = "the data may still come"
        advice += f": `helio serve` looks every {rule}" if rule else f"; later {again}"
    return reason, advice or (f"{again}; it goes on after the finished steps" if reason else "")


def was_remade(interval: Interval) -> bool:
    """Return whether the figure of an interval is not the first one, and its files differ from those before."""
    finished = [run for run in interval.runs if run.state in DONE]
    return len(finished) > 1 and _files_of(finished[0]) != _files_of(finished[1])


def changes_of(interval: Interval, run: IntervalRun) -> str:
    """Say what had changed when a run made an interval again; empty if nothing had, or if it was the first run."""
    made = [finished for finished in interval.runs if finished.state in DONE]
    earlier = (
        next((before for before in made[made.index(run) + 1 :] if before.basis), None)
        if run in made
        else None
    )
    if earlier is None or earlier.basis is None or run.basis is None:
        return ""
    return "; ".join(differences(earlier.basis, run.basis))


def _files_of(run: IntervalRun) -> list[str]:
    return sorted(file["sha256"] for file in run.files)


def failure(run: IntervalRun) -> tuple[str, str]:
    """Return why a run has no result, and what to do about it as its record says."""
    if run.reason:
        return with_step(run, run.reason), run.advice
    if run.state == "crashed":
        return "the process ended before the run was finished", ""
    if run.state == "cancelled":
        return "the run was stopped", ""
    return "", ""


def run_command(series: Series, interval: Interval) -> str:
    """Return the command that runs a pipeline for an interval.

    Values that are not those of the template are in the record of the run.
    """
    span = interval.span
    return f"helio run {quote(series.pipeline)} --time-range {quote(span.text if span.is_day else str(span))}"


def with_code(text: str) -> Markup:
    """Escape a text, and show what is between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@dataclass(frozen=True)
class Problem:
    """Intervals, newest first, for which the same happened for the same reason."""

    state: State
    reason: str
    intervals: tuple[Interval, ...]


def _problems(series: Series) -> list[Problem]:
    """Group the intervals among the last ones that a person should look at, newest first."""
    groups: dict[tuple[State, str], list[Interval]] = {}
    for interval in reversed(series.intervals[-RECENT:]):
        if interval.state not in ("done", "running", "due"):
            groups.setdefault((interval.state, explain(series, interval)[0]), []).append(interval)
    return [Problem(state, reason, tuple(items)) for (state, reason), items in groups.items()]


def _neighbours(series: Series, interval: Interval) -> tuple[Interval | None, Interval | None]:
    """Return the intervals before and after an interval that have a page."""
    return series.neighbours[interval.span]


def _year(series: Series, year: int) -> list[dict[str, Any]]:
    """Return for each month of a year its name, its address, its count in words, and the state of each day."""
    months = []
    for number in range(1, 13):
        items = series.months.get((year, number), ())
        days: list[str] = [""] * calendar.monthrange(year, number)[1]
        for interval in items:
            for day in _days_of(interval, (year, number)):
                worst = days[day - 1]
                days[day - 1] = (
                    interval.state if not worst or WORST.index(interval.state) < _rank(worst) else worst
                )
        counts = [(state, sum(interval.state == state for interval in items)) for state in reversed(WORST)]
        months.append(
            {
                "number": number,
                "name": calendar.month_abbr[number],
                "address": month_address(series, (year, number)) if items else "",
                "counts": ", ".join(f"{count} {state}" for state, count in counts if count),
                "days": days,
            }
        )
    return months


def _states(series: Series, year: int) -> list[State]:
    """Return the states that the intervals of a year have, for the legend; always that of a figure."""
    states = {
        interval.state for month, items in series.months.items() if month[0] == year for interval in items
    }
    return [state for state in reversed(WORST) if state in {"done", *states}]


def _days_of(interval: Interval, month: tuple[int, int]) -> range:
    """Return the days of a month on which a calendar marks an interval: all its days, or the first of a short one."""
    span, (year, number) = interval.span, month
    is_first = (span.start.year, span.start.month) == month
    first = span.start.day if is_first else 1
    if span.duration <= DAY or span.duration > LONGEST_MARKED:
        return range(first, first + 1)
    last = span.stop - timedelta(microseconds=1)
    is_last = (last.year, last.month) == month
    return range(first, (last.day if is_last else calendar.monthrange(year, number)[1]) + 1)


def _rank(state: str) -> int:
    return [str(worst) for worst in WORST].index(state)


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@cache
def _code_of_pages() -> str:
    """Return a digest of the templates and of the code of pages, so that a new version writes all pages again."""
    parts = sorted((*HERE.glob("*.py"), *HERE.glob("templates/*")))
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
