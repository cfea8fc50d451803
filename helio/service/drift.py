"""Find the recorded figures whose data were republished, by asking each archive once for its lists of files."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from helio.counts import number_of
from helio.errors import (
    Cancelled,
    DamagedRecord,
    DataError,
    HelioError,
    Offline,
    RequestError,
    TransientError,
    UnknownPipeline,
    UnknownRun,
    closest,
)
from helio.pipelines.library import Library
from helio.pipelines.runs.basis import file_changes, parts_of, present_files, replacements, span_of
from helio.pipelines.runs.intervals import DONE, IntervalRun, intervals, read_run
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.runs.session import Processes, open_processes
from helio.pipelines.runs.verify import PresentNumbers, compare_with_present, sources_of
from helio.settings import Settings
from helio.sources.allowance import in_words
from helio.sources.archives import Access, Archives, archives_of
from helio.sources.base import Source
from helio.sources.cdf import CdfReader
from helio.sources.local import parse_file_name
from helio.sources.provider import Provider
from helio.steps.fetch.choices import ABSENT
from helio.store.runs import RunRecord, Runs
from helio.store.source_file import SourceFile

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Maximum number of questions to archives at the same time."""
Numbers = Literal["at hand", "download", "none"]
"""Which figures to compute with the present data, in order to compare numbers."""


@dataclass(frozen=True)
class FileChange:
    """A file on which a figure rests, and what happened to it since.

    Parameters
    ----------
    change : str
        In words: ``"was republished"``, ``"was replaced by version 02"``, ``"is new"`` or ``"is gone"``.
    old, new : SourceFile or None
        What the record and the archive say about it; None if there was, or is, no such file.
    """

    dataset_id: str
    name: str
    change: str
    old: SourceFile | None = None
    new: SourceFile | None = None

    def in_words(self) -> str:
        """Say what happened in one line, with the facts that differ."""
        facts = []
        if self.old is not None and self.new is not None:
            for name, show in _FACTS.items():
                before, after = getattr(self.old, name), getattr(self.new, name)
                if before and after and before != after:
                    facts.append(f"{name.replace('_', ' ')} {show(before)} → {show(after)}")
        details = f" ({', '.join(facts)})" if facts else ""
        return f"{self.dataset_id}: {self.name} {self.change}{details}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        files = {
            name: file and {fact: getattr(file, fact) for fact in ("file", *_FACTS, "url")}
            for name, file in (("old", self.old), ("new", self.new))
        }
        return {"dataset": self.dataset_id, "file": self.name, "change": self.change, **files}


_FACTS: Mapping[str, Callable[[Any], str]] = {
    "version": str,
    "size": in_words,
    "last_modified": str,
    "sha256": lambda digest: f"{digest[:12]}…",
}


@dataclass(frozen=True)
class Drifted:
    """A recorded figure whose data were republished.

    Parameters
    ----------
    run : IntervalRun
        The run that made it.
    files : tuple of FileChange
    gone : str
        Why its data are no longer there; empty if they are.
    numbers : PresentNumbers or None
        How its results differ with the present data; None if they were not computed.
    not_compared : str
        Why the numbers were not compared; empty if they were.
    """

    run: IntervalRun
    files: tuple[FileChange, ...]
    gone: str = ""
    numbers: PresentNumbers | None = None
    not_compared: str = ""

    def number_lines(self) -> Iterator[str]:
        """Yield a line for each table that differs, with its coverage before and after."""
        if self.numbers is None:
            return
        comparison, coverage = self.numbers.comparison, self.numbers.coverage
        for difference in comparison.numbers:
            before, after = coverage.get(difference.output, (None, None))
            covered = (
                ""
                if before is None or after is None
                else f"; coverage {100 * before:.1f} % → {100 * after:.1f} %"
            )
            yield f"{difference.output}: {difference.message}{covered}"
        for other in comparison.not_compared:
            yield f"{other.output}: not compared: {other.reason}"
        if not comparison.numbers and not comparison.not_compared:
            yield "the numbers are the same"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        numbers = self.numbers
        return {
            "run": self.run.id,
            "pipeline": self.run.pipeline,
            "start": self.run.span.start.isoformat() if self.run.span else "",
            "stop": self.run.span.stop.isoformat() if self.run.span else "",
            "figures": [str(file["file"]) for file in self.run.files],
            "files": [file.to_json() for file in self.files],
            "gone": self.gone,
            "numbers": None
            if numbers is None
            else [
                {
                    **difference.to_json(),
                    "coverage": list(numbers.coverage.get(difference.output, (None, None))),
                }
                for difference in numbers.comparison.numbers
            ],
            "not_compared": self.not_compared,
        }


@dataclass(frozen=True)
class Drift:
    """What archives have republished since the recorded runs.

    Parameters
    ----------
    figures : int
        Number of figures that were checked.
    questions : int
        Number of questions to archives; one for each dataset and interval.
    changed : tuple of Drifted
        The figures that rest on other data now.
    same_bytes : int
        Number of figures whose files have new dates or names but the same bytes.
    unknown : int
        Number of figures for which an archive could not be asked, and of which no change is known.
    unasked : tuple of str
        Archives and datasets that could not be asked, and why.
    notes : tuple of str
        What cannot be known.
    """

    figures: int
    questions: int
    changed: tuple[Drifted, ...] = ()
    same_bytes: int = 0
    unknown: int = 0
    unasked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Literal["unchanged", "changed", "unknown"]:
        """Return ``changed`` if any figure rests on other data, ``unknown`` if archives could not be asked."""
        return "changed" if self.changed else "unknown" if self.unasked else "unchanged"

    def __repr__(self) -> str:
        return f"<Drift: {len(self.changed)} of {number_of(self.figures, 'figure')} changed>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        return {
            "status": self.status,
            "figures": self.figures,
            "questions": self.questions,
            "changed": [figure.to_json() for figure in self.changed],
            "same_bytes": self.same_bytes,
            "unknown": self.unknown,
            "unasked": list(self.unasked),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Question:
    """A question to an archive: which files does a dataset have in a time range?

    Parameters
    ----------
    archive : str
        The archive of the run; empty if the step names the provider.
    name : str
        The provider of the step, the dataset and the time range, as in `Basis.files`.
    """

    archive: str
    name: str


@dataclass(frozen=True)
class _Answer:
    provider: Provider | None = None
    files: tuple[SourceFile, ...] = ()
    absent: str = ""
    """Why the dataset or its data are no longer there."""
    unasked: str = ""


def find_drift(
    name: str,
    settings: Settings,
    *,
    since: datetime | None = None,
    numbers: Numbers = "at hand",
    access: Access | None = None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Drift:
    """Ask the archives what was republished since the recorded runs.

    Parameters
    ----------
    name : str
        A pipeline, or the id of a run; empty for all figures.
    since : datetime, optional
        Only figures of intervals that end after this time, naive UTC.
    numbers : "at hand", "download" or "none"
        Compute the figures again for a comparison: if the new data are on this machine; always; or never.
    access : Access, optional
        How the network may be used.
    on_progress : callable
        Called with what is being done, how much of it is done, and how much there is.

    Raises
    ------
    UnknownPipeline, UnknownRun
    Cancelled
    """
    access = access or Access()
    figures = [run for run in figures_of(name, settings, since) if run.basis is not None and run.basis.files]
    of_archive = {run.id: _archive_of(settings, run) for run in figures}
    of_figure = {
        run.id: [Question(archive, basis_name) for basis_name in (run.basis.files if run.basis else ())]
        for run in figures
        if (archive := of_archive[run.id]) is not None
    }
    questions = list(dict.fromkeys(question for asked in of_figure.values() for question in asked))
    with CdfReader() as reader:
        desk = _Desk(settings, reader, access, asks_for_data=numbers == "download")
        answers = desk.ask(questions, lambda done: on_progress("asking the archives", done, len(questions)))
        changed = [
            drifted
            for run in figures
            if run.id in of_figure
            and (drifted := _compare_files(run, of_figure[run.id], answers, settings)) is not None
        ]
    known = {figure.run.id for figure in changed}
    unknown = [
        run_id
        for run_id, asked in of_figure.items()
        if run_id not in known and any(answers[question].unasked for question in asked)
    ]
    changed, same_bytes = _with_numbers(changed, settings, numbers, access, on_progress)
    unnamed = len(figures) - len(of_figure)
    return Drift(
        figures=len(figures),
        questions=len(questions),
        changed=tuple(changed),
        same_bytes=same_bytes,
        unknown=len(unknown) + unnamed,
        unasked=tuple(dict.fromkeys(answer.unasked for answer in answers.values() if answer.unasked)),
        notes=tuple(_notes(unnamed, answers)),
    )


def figures_of(name: str, settings: Settings, since: datetime | None = None) -> list[IntervalRun]:
    """Return the newest run with results of each interval of each pipeline; other values are other intervals.

    Raises
    ------
    UnknownPipeline
        Neither a pipeline nor a run has this name.
    """
    runs = [known.run for known in known_runs_of(settings).read().values() if known.run is not None]
    pipelines = {run.pipeline for run in runs}
    if name and name not in pipelines:
        record = _run_named(name, settings)
        if record is not None:
            return [run] if (run := read_run(record)).state in DONE else []
        name = _pipeline_named(name, settings, pipelines)
    groups: dict[tuple[str, str], list[IntervalRun]] = {}
    for run in runs:
        if not name or run.pipeline == name:
            values = json.dumps(run.values, sort_keys=True, default=str)
            groups.setdefault((run.pipeline, values), []).append(run)
    counted: list[IntervalRun] = []
    for _, members in sorted(groups.items(), key=lambda group: group[0]):
        counted += [interval.run for interval in intervals(members) if interval.run is not None]
        unbound = [run for run in members if run.span is None and run.state in DONE]
        counted += sorted(unbound, key=lambda run: run.started_at)[-1:]
    return [
        run
        for run in counted
        if run.state in DONE and (since is None or (run.span.stop if run.span else run.started_at) > since)
    ]


def _run_named(name: str, settings: Settings) -> RunRecord | None:
    try:
        return Runs(settings.runs).load(name)
    except UnknownRun:
        return None


def _pipeline_named(name: str, settings: Settings, pipelines: Iterable[str]) -> str:
    shelf = Library(settings.templates)
    try:
        return str(shelf.read(shelf.find(name))["id"])
    except UnknownPipeline as error:
        close = closest(name, [*pipelines, *Runs(settings.runs).ids()])
        raise UnknownPipeline(
            f"no pipeline and no run is called '{name}'",
            advice=f"did you mean {' or '.join(map(repr, close))}?" if close else error.advice,
        ) from error


def _archive_of(settings: Settings, run: IntervalRun) -> str | None:
    """Return the archive of a run; None, which is logged, if its record does not name it."""
    try:
        return Runs(settings.runs).load(run.id).whole_header.get("archive")
    except (UnknownRun, DamagedRecord) as error:
        log.info("%s", error.message)
        return None


class _Desk:
    """The questions to archives: several at the same time, and none to a server that did not answer."""

    def __init__(self, settings: Settings, reader: CdfReader, access: Access, *, asks_for_data: bool) -> None:
        self._settings = settings
        self._reader = reader
        self._access = replace(access, ask_again=True)
        self._asks_for_data = asks_for_data
        self._archives: dict[str, Archives] = {}
        self._down: dict[str, str] = {}
        """Why servers did not answer, by the names of their providers."""

    def ask(self, questions: Sequence[Question], on_answer: Callable[[int], None]) -> dict[Question, _Answer]:
        """Ask all questions, at most `AT_ONCE` at the same time; folders are read one after another."""
        answers: dict[Question, _Answer] = {}
        remote: list[tuple[Question, Provider]] = []
        for question in questions:
            provider = self._provider(question)
            if isinstance(provider, _Answer):
                answers[question] = provider
            elif isinstance(provider, Source):
                remote.append((question, provider))
            else:
                answers[question] = self._ask(question, provider)
            on_answer(len(answers))
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="helio-drift") as pool:
            asked = [(question, pool.submit(self._ask, question, provider)) for question, provider in remote]
            try:
                for question, answer in asked:
                    answers[question] = answer.result()
                    on_answer(len(answers))
            except (KeyboardInterrupt, Cancelled):
                for archives in self._archives.values():
                    archives.cancel()
                pool.shutdown(cancel_futures=True)
                raise
        return answers

    def _provider(self, question: Question) -> Provider | _Answer:
        if question.archive not in self._archives:
            self._archives[question.archive] = archives_of(
                self._settings, self._reader, question.archive, self._access
            )
        try:
            return self._archives[question.archive].choose(parts_of(question.name)[0])
        except RequestError as error:
            return _Answer(unasked=error.message)

    def _ask(self, question: Question, provider: Provider) -> _Answer:
        _, dataset_id, span = parts_of(question.name)
        if isinstance(provider, Source) and provider.locates_by_download and not self._asks_for_data:
            text = (
                f"{provider.name}: {dataset_id}: only a download tells whether it has changed; use --compare"
            )
            return _Answer(provider, unasked=text)
        if provider.name in self._down:
            return _Answer(provider, unasked=self._down[provider.name])
        try:
            return _Answer(provider, provider.locate(dataset_id, span_of(span)))
        except ABSENT as error:
            return _Answer(provider, absent=error.message)
        except Offline as error:
            return _Answer(provider, unasked=error.message)
        except TransientError as error:
            self._down[provider.name] = f"{provider.name} did not answer: {error.message}"
            return _Answer(provider, unasked=self._down[provider.name])
        except DataError as error:
            return _Answer(provider, unasked=f"{provider.name}: {dataset_id}: {error.message}")


def _compare_files(
    run: IntervalRun, asked: Sequence[Question], answers: Mapping[Question, _Answer], settings: Settings
) -> Drifted | None:
    """Return a figure with the files that differ from those in its record; None if none differs."""
    assert run.basis is not None
    changes: list[FileChange] = []
    gone: list[str] = []
    recorded: dict[tuple[str, str], SourceFile] | None = None
    for question in asked:
        answer, earlier = answers[question], run.basis.files[question.name]
        if answer.unasked or answer.provider is None:
            continue
        _, dataset_id, span = parts_of(question.name)
        present = (
            {}
            if answer.absent
            else present_files(answer.provider, dataset_id, span_of(span), answer.files, earlier)
        )
        different = file_changes(earlier, present)
        if not different:
            continue
        if recorded is None:
            recorded = _recorded_files(Runs(settings.runs).load(run.id))
        if answer.absent:
            gone.append(answer.absent)
        now = {file.file: file for file in answer.files}
        successors = replacements(earlier.keys() - present.keys(), present.keys() - earlier.keys())
        changes += [
            FileChange(
                dataset_id,
                file,
                change,
                recorded.get((dataset_id, file)),
                now.get(successors.get(file, file)),
            )
            for file, change in different
        ]
    return Drifted(run, tuple(changes), "; ".join(gone)) if changes else None


def _recorded_files(record: RunRecord) -> dict[tuple[str, str], SourceFile]:
    """Return the files that the fetches of a run found, by dataset and name, with what its record says about them."""
    found: dict[tuple[str, str], SourceFile] = {}
    for step in record.step_records:
        for output in step["outputs"]:
            for choice in output["recipe"].get("choices", ()):
                if isinstance(choice["files"], str):
                    continue
                for name, identity in choice["files"]:
                    found[choice["dataset"], name] = _from_identity(choice["dataset"], name, identity)
    return found | {(file.dataset_id, file.file): file for file in sources_of(record)}


def _from_identity(dataset_id: str, name: str, identity: str) -> SourceFile:
    """Return the facts in the identity of a file (`SourceFile.identity`)."""
    named = parse_file_name(name)
    version = named.version if named else ""
    url, bar, modified = identity.rpartition("|")
    url, bar, size = url.rpartition("|")
    if not bar or not size.isdecimal():
        return SourceFile(dataset_id, name, version, sha256=identity)
    return SourceFile(dataset_id, name, version, size=int(size), url=url, last_modified=modified)


def _with_numbers(
    changed: Sequence[Drifted],
    settings: Settings,
    numbers: Numbers,
    access: Access,
    on_progress: Callable[[str, int, int], None],
) -> tuple[list[Drifted], int]:
    """Compare the numbers of the changed figures; leave out figures whose files have the same bytes, and count them."""
    if numbers == "none" or not changed:
        return [replace(figure, not_compared="not asked for") for figure in changed], 0
    if numbers == "at hand":
        access = replace(access, offline=True)
    left: list[Drifted] = []
    same_bytes = 0
    with open_processes(settings) as processes:
        for done, figure in enumerate(changed):
            on_progress("comparing numbers", done, len(changed))
            compared = figure if figure.gone else _compared(figure, settings, access, processes)
            if compared.numbers is not None and compared.numbers.same_files:
                same_bytes += 1
            else:
                left.append(compared)
    return left, same_bytes


def _compared(figure: Drifted, settings: Settings, access: Access, processes: Processes) -> Drifted:
    try:
        record = Runs(settings.runs).load(figure.run.id)
        numbers = compare_with_present(record, settings=settings, access=access, processes=processes)
    except Cancelled:
        raise
    except HelioError as error:
        return replace(figure, not_compared=error.message)
    reason = "" if numbers is not None else "the new data are not on this machine; --compare downloads them"
    return replace(figure, numbers=numbers, not_compared=reason)


def _notes(unnamed: int, answers: Mapping[Question, _Answer]) -> Iterator[str]:
    if unnamed:
        yield f"{number_of(unnamed, 'record')} cannot be read or do not name the archive; they were left out"
    undated = {
        f"{answer.provider.name}: {file.dataset_id}"
        for answer in answers.values()
        for file in answer.files
        if answer.provider is not None and file.url and not file.last_modified and not file.reply
    }
    for name in sorted(undated):
        yield f"{name} has no time of publication, so helio cannot tell whether it was republished"
