"""Chunks: a template, values and intervals as plain JSON, which a process on any machine can work through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from helio.errors import Cancelled, HelioError, TooLarge
from helio.flows.schedule import name_of_range
from helio.pipelines.runs.intervals import RunState, state_of
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.prepare import prepare_run
from helio.pipelines.runs.request import PlanRequest
from helio.pipelines.runs.session import Direct, Processes, run_plan
from helio.pipelines.template.document import Document
from helio.pipelines.template.files import Format
from helio.settings import Settings
from helio.sources.allowance import Allowance
from helio.sources.archives import Access
from helio.store.records import Count, NaiveInstant, WrongShape, convert
from helio.time_range import TimeRange


@dataclass(frozen=True)
class Chunk:
    """Intervals of one pipeline to make, with everything that determines their runs, as it was at one moment.

    Parameters
    ----------
    template : Document
        The template itself, so that a later edit changes no run of the chunk.
    pipelines : mapping
        The templates that it uses, by id.
    values : mapping
        Values of variables, by name.
    now : str
        The clock of all runs, naive UTC.
    intervals : tuple of (start, stop)
        ISO 8601, UTC, half-open.
    output : str
        The folder in which each interval has its own.
    own_folder : str
        The name of the folder for the files of the only interval. Default: a name made from the time range.
    max_download : int
        Maximum bytes that all intervals together may download.
    ledger : str
        The file that counts these bytes; without it, the limit is that of each interval.
    """

    template: Document
    intervals: tuple[tuple[NaiveInstant, NaiveInstant], ...]
    now: NaiveInstant
    output: str
    own_folder: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    pipelines: Mapping[str, Any] = field(default_factory=dict)
    archive: str = ""
    formats: tuple[Format, ...] = ()
    max_download: Count | None = None
    ledger: str = ""
    offline: bool = False
    refresh: bool = False
    chunk: Literal["helio-chunk/1"] = "helio-chunk/1"

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Read a chunk.

        Raises
        ------
        WrongShape
        """
        chunk: Self = convert(document, cls)
        for start, stop in chunk.intervals:
            if start >= stop:
                raise WrongShape(f"the interval from {start} to {stop} is empty")
        return chunk

    def to_json(self) -> dict[str, Any]:
        """Return the chunk as JSON."""
        return asdict(self)

    @property
    def spans(self) -> tuple[TimeRange, ...]:
        """Return the intervals as time ranges."""
        return tuple(TimeRange.from_iso(*interval) for interval in self.intervals)

    @property
    def access(self) -> Access:
        """Return how its runs may use the network."""
        ledger = Path(self.ledger) if self.ledger else None
        return Access(self.max_download, self.offline, self.refresh, ledger=ledger)

    def request(self, span: TimeRange) -> PlanRequest:
        """Return the request for the plan of one interval."""
        return PlanRequest(
            self.template, str(span), self.values, self.now, self.archive, pipelines=self.pipelines
        )

    def folder(self, span: TimeRange) -> Path:
        """Return the folder for the files of one interval."""
        return Path(self.output) / (self.own_folder or name_of_range(span))


_MARKS: Mapping[RunState, str] = {"done": "✓", "partial": "~", "no data": "–", "failed": "✗"}
"""Mark at the beginning of the line of an interval, by its state."""


@dataclass(frozen=True)
class Made:
    """How the run of one interval of a chunk ended.

    Parameters
    ----------
    state : str
        The state of the run, as in a list of intervals.
    reason, advice : str
        Why it has no or only partial results, and what to do; otherwise empty.
    run : str
        The id of its run; empty if the run could not begin.
    picture : str
        The path of its first picture; empty without one.
    is_left : bool
        Whether it was left because other intervals had used up the limit of downloads.
    """

    start: str
    stop: str
    state: RunState
    reason: str = ""
    advice: str = ""
    run: str = ""
    picture: str = ""
    seconds: float = 0.0
    is_left: bool = False

    @property
    def span(self) -> TimeRange:
        """Return the interval."""
        return TimeRange.from_iso(self.start, self.stop)

    def __str__(self) -> str:
        if self.is_left:
            return f"  {self.span}  left: {self.reason}"
        reason = f"  {self.state}: {self.reason}" if self.reason else ""
        return f"{_MARKS.get(self.state, ' ')} {self.span}  {self.seconds:.1f} s{reason}"


def make_interval(
    chunk: Chunk, span: TimeRange, settings: Settings, processes: Processes | None = None
) -> Made:
    """Run one interval of a chunk in this process; an error that helio knows becomes the reason of a failure.

    Raises
    ------
    Cancelled
    """
    begun = settings.clock.utc()
    start, stop = span.as_iso()
    made = Made(start, stop, "failed")
    used_before = allowance.used if (allowance := _allowance_of(chunk)) is not None else 0
    try:
        request = prepare_run(chunk.request(span), settings, access=chunk.access)
        folder = chunk.folder(span)
        request = replace(request, outputs=folder.parent, own_folder=folder.name, formats=chunk.formats)
        run = run_plan(request, settings=settings, engine=Direct(), processes=processes)
    except Cancelled:
        raise
    except HelioError as error:
        made = replace(made, reason=_one_line(error), advice=error.advice)
    else:
        made = replace(made, **_ending(run))
        kinds = {type(result.error) for result in run.result.steps if result.error is not None}
        made = replace(made, is_left=used_before > 0 and TooLarge in kinds)
    return replace(made, seconds=round((settings.clock.utc() - begun).total_seconds(), 3))


def _allowance_of(chunk: Chunk) -> Allowance | None:
    return Allowance(chunk.max_download, Path(chunk.ledger)) if chunk.ledger else None


def _ending(run: Run) -> dict[str, Any]:
    failed = [result for result in run.result.steps if result.error is not None]
    failed.sort(key=lambda result: not result.step.critical)
    kinds = {type(result.error).__name__ for result in failed}
    ending: dict[str, Any] = {"run": run.id, "state": state_of(run.status, kinds)}
    if failed and failed[0].error is not None:
        error = failed[0].error
        ending |= {"reason": f"step {failed[0].step.step_id}: {error.message}", "advice": error.advice}
    elif run.unwritten:
        ending |= {"reason": run.unwritten[0].message, "advice": run.unwritten[0].advice}
    pictures = sorted(
        (artefact for artefact in run.artefacts if artefact.kind in _PICTURES),
        key=lambda artefact: _PICTURES.index(artefact.kind),
    )
    return ending | ({"picture": str(pictures[0].path.absolute())} if pictures else {})


_PICTURES = ("png", "html", "svg", "pdf")


def _one_line(error: HelioError) -> str:
    """Return the message of an error, or the first error of a template."""
    diagnostics = getattr(error, "diagnostics", ())
    return next((finding.message for finding in diagnostics if finding.severity == "error"), error.message)
