"""Worker processes that tests share one after the other: to start one takes longer than what most tests ask of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from helio.errors import DataError
from helio.pipelines.runs import worker_pool
from helio.sources import cdf, child


class WarmReader(cdf._Worker):
    """A reader's process that waits for the next reader when its own is closed."""

    asking = False

    def ask(self, request: dict[str, Any], seconds: float) -> Iterator[Any]:
        self.asking = True
        try:
            yield from super().ask(request, seconds)
        except DataError:  # an answer too
            self.asking = False
            raise
        self.asking = False

    def kill(self) -> None:
        if self.asking:
            super().kill()

    def end(self) -> tuple[int, str]:
        return (0, "") if WARM.keep(self) else super().end()


class WarmStepProcess(worker_pool._WorkerProcess):
    """A process for steps that waits for the next run when its own is over."""

    asking = False

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        self.asking = True
        answer = super().ask(request, seconds)
        self.asking = False
        return answer

    def kill(self) -> None:
        self.asking = True  # it is not kept
        super().kill()

    def end(self) -> tuple[int, str]:
        return (0, "") if WARM.keep(self) else super().end()


class Warm:
    """The processes that wait, by all that they were started with."""

    def __init__(self) -> None:
        self._waiting: dict[Any, list[Any]] = defaultdict(list)
        self._started_with: dict[Any, Any] = {}
        self._open = True

    def maker(self, kind: type) -> Callable[..., Any]:
        """Give what takes the place of a class of processes."""

        def make(*arguments: str) -> Any:
            key = (kind, arguments, tuple(sorted(child.child_environment().items())))
            while self._waiting[key]:
                process = self._waiting[key].pop()
                if not process.has_ended():
                    return process
                self._end(process)
            process = kind(*arguments)
            self._started_with[process] = key
            return process

        return make

    def keep(self, process: Any) -> bool:
        """Keep a process that has answered everything; False if it must end."""
        if not self._open or process.asking or process.has_ended():
            return False
        waiting = self._waiting[self._started_with[process]]
        if process not in waiting:
            waiting.append(process)
        return True

    def close(self) -> None:
        """End all processes that wait."""
        for waiting in self._waiting.values():
            for process in waiting:
                self._end(process)
        self._waiting.clear()

    def _end(self, process: Any) -> None:
        self._open = False
        process.end()
        self._open = True


WARM = Warm()
