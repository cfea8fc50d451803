"""Put the tasks to an author and say what it got right: ``python -m benchmarks.authoring.run --author rules``.

Authors: ``rules``, the one that needs no model; ``scripted``, the model's author behind a provider's client and a
server on loopback that answers as a good, small, sloppy or hostile model would; ``model``, the same with the model that
the environment names (that costs money).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.authoring.checks import is_declined, judge, kind_of
from benchmarks.authoring.tasks import HERE, KINDS, Task, read_tasks
from helio.authoring.author import ModelAuthor
from helio.authoring.discovery import CatalogueTools
from helio.authoring.gate import Gate
from helio.authoring.models.door import Door, open_door
from helio.authoring.models.providers import is_small
from helio.authoring.outcome import Author, Outcome
from helio.authoring.rules.author import RuleAuthor
from helio.errors import HelioError
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library
from helio.settings import read_settings


@dataclass(frozen=True)
class Result:
    """How an author did with one task.

    Parameters
    ----------
    wrong : tuple of str
        Why it failed; empty when it passed.
    came : str
        ``"draft"``, ``"question"``, ``"reply"``, ``"declined"``, ``"refused"``, or the name of an error.
    tokens : int
        That a model took.
    """

    task: str
    kind: str
    plain: bool
    wrong: tuple[str, ...]
    came: str
    seconds: float
    tokens: int = 0
    possible: bool = True

    @property
    def passed(self) -> bool:
        """Whether the outcome is right."""
        return not self.wrong

    @staticmethod
    def table(results: Sequence[Result]) -> str:
        """All results as text."""
        return table(results)


class Bench:
    """What every author needs: the shipped catalogue, a home of its own, a gate for each clock.

    Parameters
    ----------
    home : Path
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.catalogue = Catalogue()
        self.library = Library(home / "templates")
        self._gates: dict[datetime, Gate] = {}

    def gate(self, now: datetime) -> Gate:
        """The gate at that time."""
        if now not in self._gates:
            self._gates[now] = Gate(
                self.catalogue, home=self.home, now=now, pipelines=self.library.templates()
            )
        return self._gates[now]

    def rules(self, task: Task) -> RuleAuthor:
        """The author that needs no model."""
        return RuleAuthor(self.catalogue, self.gate(task.now), now=task.now)

    def model(self, task: Task, door: Door, *, small: bool = False) -> ModelAuthor:
        """The author that asks a model; a small one fills in a typed request for a new pipeline."""
        runs = self.home / "runs"
        return ModelAuthor(
            door,
            lambda: CatalogueTools(self.catalogue, self.library, runs),
            self.gate(task.now),
            now=task.now,
            small=small,
        )


def put(task: Task, author: Author) -> Outcome | HelioError:
    """What comes of a task: an outcome, or the error that the author ends with."""
    try:
        if task.kind == "create" or not task.text:  # a question may be about data, not about a pipeline
            return author.create(task.request)
        if task.failure is not None:
            return author.repair(task.template, task.failure)
        return author.edit(task.request, task.template)
    except HelioError as error:
        return error


def measure(task: Task, author: Author) -> Result:
    """One task, put and judged."""
    began = time.perf_counter()
    came = put(task, author)
    took = time.perf_counter() - began
    kind, said = kind_of(came)
    if kind == "reply" and is_declined(said):
        kind = "declined"
    return Result(
        task.id, task.kind, task.plain, tuple(judge(task, came)), kind, took, possible=task.possible
    )


def run(tasks: Sequence[Task], author: str, home: Path) -> Iterator[Result]:
    """Every task in turn.

    Raises
    ------
    NoKey
        For ``model`` without a key.
    """
    bench = Bench(home)
    for task in tasks:
        if author == "rules":
            yield measure(task, bench.rules(task))
            continue
        with _opened(home) as door:
            yield asked(task, bench, door, small=is_small(read_settings()))


def asked(task: Task, bench: Bench, door: Door, *, small: bool = False) -> Result:
    """One task put to a model behind a door."""
    return replace(measure(task, bench.model(task, door, small=small)), tokens=door.usage.total)


@contextmanager
def _opened(home: Path) -> Iterator[Door]:
    door = open_door(replace(read_settings(), home=home))
    try:
        yield door
    finally:
        door.close()


def misled(result: Result) -> bool:
    """Whether it proposed or answered something that was not asked for: worse than to refuse."""
    answered = result.kind == "question" and result.came == "reply"
    return not result.passed and (answered or result.came == "draft")


def table(results: Sequence[Result]) -> str:
    """Passes by kind, those that are silently wrong by their ids, and every failure with its reason."""
    lines = [f"{'':10}{'passed':>8}{'of':>6}{'declined':>10}{'silently wrong':>16}"]
    groups = [(kind, [one for one in results if one.kind == kind]) for kind in KINDS]
    groups += [("plain", [one for one in results if one.plain])]
    impossible = [one for one in results if not one.possible]
    if impossible:
        possible = [one for one in results if one.kind == "create" and one.possible]
        groups += [("possible", possible), ("impossible", impossible)]
    groups.append(("all", list(results)))
    lines += [
        f"{name:10}{sum(one.passed for one in those):8}{len(those):6}"
        f"{sum(one.came == 'declined' and not one.passed for one in those):10}{sum(map(misled, those)):16}"
        for name, those in groups
        if those
    ]
    if spent := sum(one.tokens for one in results):
        lines.append(f"{spent} tokens")
    lines.append(f"silently wrong: {', '.join(one.task for one in results if misled(one)) or 'none'}")
    for one in results:
        if not one.passed:
            lines += [
                "",
                f"{one.task}{' (plain)' if one.plain else ''}",
                *(f"  {said}" for said in one.wrong),
            ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tasks and print what came of them; 1 when one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--author", choices=("rules", "scripted", "model"), default="rules")
    parser.add_argument(
        "--kind",
        choices=("good", "small", "sloppy", "hostile"),
        default="good",
        help="how the scripted model answers",
    )
    parser.add_argument(
        "--provider",
        choices=("gemini", "openai", "ollama", "anthropic"),
        default="gemini",
        help="whose client asks the scripted model",
    )
    parser.add_argument(
        "--only", metavar="ID", action="append", help="a task, or how the ids of several begin"
    )
    parser.add_argument(
        "--tasks", metavar="FOLDER", type=Path, default=HERE / "tasks", help="a folder with tasks"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object per task, as it is done")
    chosen = parser.parse_args(arguments)
    if not chosen.tasks.is_dir():
        parser.error(f"{chosen.tasks} is no folder")
    tasks = [
        one for one in read_tasks(chosen.tasks) if not chosen.only or one.id.startswith(tuple(chosen.only))
    ]
    if not tasks:
        parser.error(f"no task begins with {' or '.join(chosen.only)}")
    results: list[Any] = []
    with tempfile.TemporaryDirectory() as home:
        try:
            for result in _results(tasks, chosen, Path(home)):
                results.append(result)
                if chosen.json:
                    facts = asdict(result) | {"passed": result.passed}
                    print(json.dumps(facts, ensure_ascii=False, default=sorted), flush=True)
        except HelioError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    if not chosen.json:
        if unanswered := len(tasks) - len({result.task for result in results}):
            print(
                f"{unanswered} of {len(tasks)} tasks were left out: no answer of this kind is known for them"
            )
        print(results[0].table(results) if results else "nothing was put to the author")
    return 0 if all(result.passed for result in results) else 1


def _results(tasks: Sequence[Task], chosen: argparse.Namespace, home: Path) -> Iterator[Any]:
    if chosen.author != "scripted":
        return run(tasks, chosen.author, home)
    from benchmarks.authoring import trials  # it needs the tests' stand-ins

    if chosen.kind in trials.RIGHT:
        return trials.answered(tasks, chosen.kind, home, chosen.provider)
    return trials.corrupted(tasks, chosen.kind, home, chosen.provider)


if __name__ == "__main__":
    sys.exit(main())
