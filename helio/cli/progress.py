"""How far a run is, on a terminal: a line a step as it ends, and a moving line with what is being downloaded."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helio.cli.app import MARKS, say
from helio.pipelines.template.plain_text import plain

if TYPE_CHECKING:
    from rich.status import Status

    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runs.execute import StepResult
    from helio.sources.transfers import Progress
    from helio.time_range import TimeRange

_BAR = 20
_MOST_RANGES = 4
_OFTEN = 0.1
"""Seconds between two looks at the bytes: they come by the thousand."""


@dataclass(frozen=True)
class Watch:
    """Callbacks that tell of a run; any thread may call them."""

    planned: Callable[[Plan], None] = lambda plan: None
    started: Callable[[PlannedStep], None] = lambda step: None
    finished: Callable[[StepResult], None] = lambda result: None
    downloading: Callable[[Progress], None] = lambda progress: None


@contextmanager
def watch(
    *, planned: Callable[[Plan], None] = lambda plan: None, quiet: bool = False, live: bool = True
) -> Iterator[Watch]:
    """Who tells of a run: a line a step on standard output, and a moving line where standard error is a terminal.

    Parameters
    ----------
    planned : callable
        Prints what there is to say of the plan before it runs.
    quiet : bool
        Tell nothing.
    live : bool
        Whether there may be a moving line; with other lines on standard error it would be in their way.
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
    """The moving line."""

    def __init__(self, status: Status, print_plan: Callable[[Plan], None]) -> None:
        self._status = status
        self._print_plan = print_plan
        self._lock = threading.Lock()
        self._step = "planning"
        self._fetches: dict[int, Progress] = {}
        self._shown_at = 0.0

    def planned(self, plan: Plan) -> None:
        """The run's time range is known."""
        with self._lock:
            self._status.stop()
            self._print_plan(plan)
            self._status.start()

    def started(self, step: PlannedStep) -> None:
        """A step has begun."""
        with self._lock:
            self._step = f"{step.step_id}: {step.tool_name} {step.intent}".rstrip()
            self._show()

    def finished(self, result: StepResult) -> None:
        """A step has ended: its line goes where output goes, above the moving one."""
        with self._lock:
            self._fetches.clear()  # one that failed tells no more; others come back with their next bytes
            self._status.stop()
            say(step_line(result))
            self._step = "writing"
            self._status.start()
            self._show()

    def downloading(self, progress: Progress) -> None:
        """Bytes have come, or a file is here."""
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
        from rich.text import Text  # what a step says of itself is no markup

        self._shown_at = time.monotonic()
        told = downloads_line(list(self._fetches.values()))
        self._status.update(Text(plain(f"{self._step}   {told}".rstrip())))


def downloads_line(fetches: list[Progress]) -> str:
    """``━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌ 1 of 3 files, 12.4 of 24.8 MB`` of all fetches together; nothing when there are none."""
    from helio.sources.allowance import in_words

    if not fetches:
        return ""
    files = f"{sum(one.files_done for one in fetches)} of {sum(one.files for one in fetches)} files"
    done, size = sum(one.bytes_done for one in fetches), sum(one.bytes for one in fetches)
    if not all(one.bytes for one in fetches):
        return f"{files}, {in_words(done)}"
    full = min(_BAR, _BAR * done // size)
    return f"{'━' * full}{'╌' * (_BAR - full)} {files}, {in_words(done)} of {in_words(size)}"


def time_line(plan: Plan) -> str:
    """``time range: 2024-05-10 00:00 to 2024-05-12 00:00 (2 days)``: what a run covers, resolved.

    Each of several ranges stands behind its variable; a literal range behind the step that asks for it.
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
    """``2024-05-10 00:00 to 2024-05-10 06:30 (6 h 30 min)``."""
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
    """A step that has ended, in a line."""
    mark = MARKS[result.state]
    told = result.reason
    if result.error is not None:
        told = result.error.message
    elif result.outputs and result.artefact is None:
        told = ", ".join(f"{one.label} ({one.facts['rows']} records)" for one in result.outputs)
    elif result.artefact is not None:
        told = ""
    return f"{mark} {result.step.step_id}  {result.step.tool_name}  {told}".rstrip()
