"""Show the progress of a run: a line for each finished step and, on a terminal, a moving line for the downloads."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helio.cli.app import MARKS, say
from helio.counts import number_of
from helio.pipelines.template.plain_text import plain

if TYPE_CHECKING:
    from rich.status import Status

    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runs.execute import StepResult
    from helio.pipelines.runs.outcome import Run
    from helio.sources.transfers import Progress
    from helio.time_range import TimeRange

_BAR = 20
_MOST_RANGES = 4
_OFTEN = 0.1
"""Seconds between two updates of the moving line, because bytes arrive thousands of times per second."""


@dataclass(frozen=True)
class Watch:
    """Functions that a run calls to show its progress; any thread may call them."""

    planned: Callable[[Plan], None] = lambda plan: None
    started: Callable[[PlannedStep], None] = lambda step: None
    finished: Callable[[StepResult], None] = lambda result: None
    downloading: Callable[[Progress], None] = lambda progress: None


@contextmanager
def watch(
    *, planned: Callable[[Plan], None] = lambda plan: None, quiet: bool = False, live: bool = True
) -> Iterator[Watch]:
    """Show a run's progress: a line per step on standard output, and a moving line if standard error is a terminal.

    Parameters
    ----------
    planned : callable
        Prints the plan before it runs.
    quiet : bool
        Show nothing.
    live : bool
        Whether to show a moving line; it would disturb other lines on standard error.
    """
    if quiet:
        yield Watch()
    elif not (live and sys.stderr.isatty()):
        yield Watch(planned, finished=lambda result: say(step_line(result)))
    else:
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("planning") as status:
            moving = _Moving(status, planned)
            yield Watch(moving.planned, moving.started, moving.finished, moving.downloading)


class _Moving:
    """The last line of a terminal, which shows running steps and downloads, and changes as they proceed."""

    def __init__(self, status: Status, print_plan: Callable[[Plan], None]) -> None:
        self._status = status
        self._print_plan = print_plan
        self._lock = threading.Lock()
        self._step = "planning"
        self._fetches: dict[int, Progress] = {}
        self._shown_at = 0.0

    def planned(self, plan: Plan) -> None:
        """Print the plan of the run above the progress line."""
        with self._lock:
            self._status.stop()
            self._print_plan(plan)
            self._status.start()

    def started(self, step: PlannedStep) -> None:
        """Show in the moving line that a step has begun."""
        with self._lock:
            self._step = f"{step.step_id}: {step.tool_name} {step.intent}".rstrip()
            self._show()

    def finished(self, result: StepResult) -> None:
        """Print the line for a finished step above the progress line."""
        with self._lock:
            self._fetches.clear()  # a failed fetch sends nothing more; the others return with their next bytes
            self._status.stop()
            say(step_line(result))
            self._step = "writing"
            self._status.start()
            self._show()

    def downloading(self, progress: Progress) -> None:
        """Show in the moving line how many bytes have arrived."""
        with self._lock:
            before = self._fetches.get(progress.fetch)
            self._fetches[progress.fetch] = progress
            if progress.files_done == progress.files:
                del self._fetches[progress.fetch]
            elif (
                before is not None
                and before.files_done == progress.files_done
                and time.monotonic() < self._shown_at + _OFTEN
            ):
                return
            self._show()

    def _show(self) -> None:
        from rich.text import Text  # the intent of a step is not markup

        self._shown_at = time.monotonic()
        downloads = downloads_line(list(self._fetches.values()))
        self._status.update(Text(plain(f"{self._step}   {downloads}".rstrip())))


def downloads_line(fetches: list[Progress]) -> str:
    """Return ``━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌ 1 of 3 files, 12.4 of 24.8 MB`` for all downloads; empty if there are none."""
    from helio.sources.allowance import in_words

    if not fetches:
        return ""
    files = number_of(sum(fetch.files for fetch in fetches), "file")
    files = f"{sum(fetch.files_done for fetch in fetches)} of {files}"
    done, size = sum(fetch.bytes_done for fetch in fetches), sum(fetch.bytes for fetch in fetches)
    if not all(fetch.bytes for fetch in fetches):
        return f"{files}, {in_words(done)}"
    full = min(_BAR, _BAR * done // size)
    return f"{'━' * full}{'╌' * (_BAR - full)} {files}, {in_words(done)} of {in_words(size)}"


def time_line(plan: Plan) -> str:
    """Return the time range of a run as ``time range: 2024-05-10 00:00 to 2024-05-12 00:00 (2 days)``.

    Each of several ranges follows its variable; a literal range follows its step.
    """
    named = plan.time_ranges
    texts = {str(span) for span in named.values()}
    shown = [(name, span) for name, span in named.items()]
    for step in plan.steps:
        span = step.time_ranges.get("time_range")
        if span is not None and str(span) not in texts and not step.items and not step.reads:
            texts.add(str(span))
            shown.append((f"step {step.step_id}", span))
    words = [f"{name} {_in_words(span)}" if len(shown) > 1 else _in_words(span) for name, span in shown]
    if len(words) > _MOST_RANGES:
        words[_MOST_RANGES:] = [f"and {len(words) - _MOST_RANGES} more"]
    return f"time range: {'; '.join(words) or 'none'}"


def _in_words(span: TimeRange) -> str:
    """Return a time range with its length, as ``2024-05-10 00:00 to 2024-05-10 06:30 (6 h 30 min)``."""
    minutes = all(moment.second == moment.microsecond == 0 for moment in (span.start, span.stop))
    start, stop = (
        f"{moment:%Y-%m-%d %H:%M}" if minutes else moment.isoformat(" ") for moment in (span.start, span.stop)
    )
    length = span.duration
    hours, seconds = divmod(length.seconds, 3600)
    rest = f"{seconds % 60}.{length.microseconds:06d}".rstrip("0").rstrip(".")
    parts = [(str(length.days), "day" if length.days == 1 else "days"), (str(hours), "h")]
    parts += [(str(seconds // 60), "min"), (rest, "s")]
    return f"{start} to {stop} ({' '.join(f'{count} {unit}' for count, unit in parts if count != '0')})"


def step_line(result: StepResult) -> str:
    """Return the line that describes a finished step."""
    mark = MARKS[result.state]
    note = result.reason
    if result.error is not None:
        note = result.error.message
    elif result.outputs and result.artefact is None:
        counts = [(table.label, table.facts["rows"]) for table in result.outputs]
        note = ", ".join(f"{label} ({rows} record{'s' * (rows != 1)})" for label, rows in counts)
    elif result.artefact is not None:
        note = ""
    return f"{mark} {result.step.step_id}  {result.step.tool_name}  {note}".rstrip()


def file_lines(outcome: Run) -> list[str]:
    """List the files that a run wrote; the folder of points beside a page belongs to the page."""
    from helio.pipelines.template.files import DETAIL

    return [
        f"{artefact.kind:<5} {artefact.path}" for artefact in outcome.artefacts if artefact.kind != DETAIL
    ]
