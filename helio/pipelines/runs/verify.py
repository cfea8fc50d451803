"""Repeat a recorded run in an empty store, and compare the new results with the recorded results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath

from helio.errors import Offline, RequestError
from helio.pipelines.known import KnownDatasets
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.runs.compare import Comparison, Difference, compare, judge_by
from helio.pipelines.runs.execute import StepResult
from helio.pipelines.runs.locking import listings, recorded_fetches
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.session import Direct, Processes, run_plan
from helio.pipelines.template.files import FORMATS, Format
from helio.settings import Settings
from helio.sources.archives import Access, absolute_archive, is_folder
from helio.sources.cited_as import Citations
from helio.sources.registry import is_catalogued
from helio.steps.fetch.choices import ABSENT
from helio.store.files import is_folder_there
from helio.store.runs import RunRecord, Runs
from helio.store.source_file import SourceFile
from helio.store.store import Store

_KEPT = ("files", "catalogue")
"""Folders of helio's data folder that a repeated run reads: downloaded files, replies of servers, and the catalogue."""
_UNFINISHED = "parts"
"""Name of the folder of unfinished downloads, which a repeated run does not use."""


def verify_run(
    record: RunRecord,
    *,
    settings: Settings,
    archive: str = "",
    access: Access | None = None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Comparison:
    """Execute the plan of a run again, with the same files and a temporary store, and compare the results.

    Cached files are read where they are, and stay unchanged. Other files are downloaded temporarily, unless `access`
    forbids it.

    Parameters
    ----------
    archive : str
        Another archive than the recorded one, to find the files in. Files with the same bytes are cited as in the
        record, because a figure names the provider of its data.

    Returns
    -------
    Comparison
        `same_results` tells whether every table, figure and file is the same as before.

    Raises
    ------
    RequestError
        The run has not ended, or its record does not name the archive that it used.
    InvalidTemplate
        This version of helio cannot run the plan.
    DamagedObject
        The record cannot be read.
    """
    header = record.whole_header
    source = _source_of(record, archive)
    plan = _plan_again(record, source, settings)
    access = access or Access()
    if archive or is_folder(source):
        access = replace(access, cited=_citations(record))
    else:
        access = replace(access, listed=listings(recorded_fetches(record)))
    with tempfile.TemporaryDirectory(prefix="helio-verify-") as folder:
        own = replace(settings, home=Path(folder) / "home")
        for name in _KEPT:
            _mirror(settings.home / name, own.home / name)
        output = Path(folder) / "output" if header.get("artefacts") else None
        request = RunRequest(
            plan,
            source,
            output=output,
            formats=_added_formats(record, plan),
            self_contained=header.get("self_contained", False),
            named_archive=header.get("archive"),
        )

        def run(access: Access) -> Run:
            repeated = replace(request, access=access)
            return run_plan(repeated, settings=own, engine=Direct(), finished=finished)

        # try without the network first; most files are usually cached
        done = run(replace(access, offline=True, refresh=False))
        if not access.offline and any(
            isinstance(step_result.error, Offline) for step_result in done.result.steps
        ):
            done = run(access)
        judge = judge_by(Store(settings.store), Store(own.store))
        comparison = compare(record, Runs(own.runs).load(done.id), judge=judge)
    unwritten = tuple(error.message for error in done.unwritten)
    changed = tuple(_why_unwritten(difference, unwritten) for difference in comparison.figures)
    archives = ("archive: ",) if absolute_archive(source) != header.get("archive") else ()
    plans = tuple(line for line in comparison.plan if not line.startswith(archives))
    lacking: tuple[str, ...] = ()
    if not comparison.tables + comparison.drawn + comparison.saved:
        absent = [result.error for result in done.result.steps if isinstance(result.error, ABSENT)]
        lacking = tuple(dict.fromkeys(error.message for error in absent))
    return replace(comparison, new="now", figures=changed, plan=plans, lacking=lacking)


@dataclass(frozen=True)
class PresentNumbers:
    """How the results of a run would differ if it used the data that its archives have now.

    Parameters
    ----------
    comparison : Comparison
        The old results and those from the present data.
    same_files : bool
        Whether all files have the same bytes as those of the run.
    coverage : mapping
        Part of the time range with data, before and after, by the label of a drawn table; None where it is unknown.
    """

    comparison: Comparison
    same_files: bool
    coverage: Mapping[str, tuple[float | None, float | None]]


def compare_with_present(
    record: RunRecord,
    *,
    settings: Settings,
    access: Access | None = None,
    processes: Processes | None = None,
) -> PresentNumbers | None:
    """Execute the plan of a run with the files that its archives have now, in a temporary store, and compare.

    Files that are downloaded stay in the cache, for the next run.

    Parameters
    ----------
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes.

    Returns
    -------
    PresentNumbers or None
        None if `access` is offline and the new data are not on this machine.

    Raises
    ------
    RequestError, InvalidTemplate, DamagedObject
        As for `verify_run`.
    HelioError
        A step fails with the present data, for example because a server cannot be reached.
    """
    source = _source_of(record, "")
    access = access or Access()
    plan = _plan_again(record, source, settings)
    with tempfile.TemporaryDirectory(prefix="helio-drift-") as folder:
        own = replace(settings, home=Path(folder))
        for name in _KEPT:
            (settings.home / name).mkdir(parents=True, exist_ok=True)
            (own.home / name).symlink_to(settings.home / name)
        request = RunRequest(plan, source, access=access, named_archive=record.whole_header.get("archive"))
        done = run_plan(request, settings=own, engine=Direct(), processes=processes)
        errors = [result.error for result in done.result.steps if result.error is not None]
        if access.offline and any(isinstance(error, Offline) for error in errors):
            return None
        if errors and done.status == "failed":
            raise errors[0]
        new = Runs(own.runs).load(done.id)
        if access.offline and _versions_of(record) == _versions_of(new):
            return None  # offline, a source may take an earlier version that it has
        comparison = compare(record, new, judge=judge_by(Store(settings.store), Store(own.store)))
        return PresentNumbers(
            replace(comparison, new="now"),
            _bytes_of(record) == _bytes_of(new),
            _coverage(record, new),
        )


def _bytes_of(record: RunRecord) -> set[tuple[str, str]]:
    """Return the digests of the files that a run read, each with its dataset."""
    return {(file.dataset_id, file.sha256) for file in sources_of(record)}


def _versions_of(record: RunRecord) -> set[tuple[str, str, str, str]]:
    return {(file.dataset_id, file.file, file.last_modified, file.sha256) for file in sources_of(record)}


def sources_of(record: RunRecord) -> Iterator[SourceFile]:
    """Yield the files from which the fetches of a run read their tables; some several times."""
    for step in record.step_records:
        for output in step["outputs"]:
            if "range" in output["recipe"]:
                yield from output["sources"]


def _coverage(old: RunRecord, new: RunRecord) -> dict[str, tuple[float | None, float | None]]:
    before, after = _covered(old), _covered(new)
    return {label: (before.get(label), after.get(label)) for label in (before | after)}


def _covered(record: RunRecord) -> dict[str, float | None]:
    """Return the part of the time range for which each drawn table has data, by label."""
    return {
        label["label"]: label.get("coverage")
        for step in record.step_records
        for output in step["outputs"]
        for panel in output.get("quality", ())
        for label in panel["labels"]
    }


def _source_of(record: RunRecord, archive: str) -> str:
    """Return the archive for repeating a run: the given archive, or otherwise the recorded archive.

    Raises
    ------
    RequestError
        The run has not ended, or its archive is unknown or does not exist.
    """
    if record.status not in ("success", "partial", "failed") or not record.step_records:
        raise RequestError(f"run {record.id} is {record.status}: there is nothing to compare with")
    if "archive" not in record.whole_header and not archive:
        raise RequestError(
            f"the record of run {record.id} does not name the archive that it used",
            advice="give the archive with --archive DIR or --archive NAME",
        )
    source = archive or record.whole_header["archive"]
    if not archive and is_folder(source) and not is_folder_there(Path(source)):
        raise RequestError(
            f"the archive {source} of run {record.id} does not exist",
            advice="give the archive of the run with --archive DIR (a folder of files) or --archive NAME (a provider)",
        )
    return source


def _added_formats(record: RunRecord, plan: Plan) -> tuple[Format, ...]:
    """Return the figure formats that the plan does not list, but the user requested for the run."""
    planned = {file.name for step in plan.steps for file in step.files}
    written = record.whole_header.get("artefacts", ())
    added = {artefact["kind"] for artefact in written if PurePath(artefact["file"]).name not in planned}
    return tuple(form for form in FORMATS if form in added)


def _plan_again(record: RunRecord, archive: str, settings: Settings) -> Plan:
    header = record.whole_header
    now = datetime.fromisoformat(header["now"])
    return make_plan(
        record.normalised,
        now=now,
        values=header["values"],
        archive=archive,
        catalogue=KnownDatasets(settings.home, now, spans=is_catalogued(archive)),
        recorded=True,
    )


def _citations(record: RunRecord) -> Citations:
    """Return the recorded citations of all files whose sha256 is known."""
    every = (
        source for step in record.step_records for output in step["outputs"] for source in output["sources"]
    )
    return {(file.dataset_id, file.sha256): file for file in every if file.sha256}


def _mirror(folder: Path, own: Path) -> None:
    """Make a folder of links to all files of another folder; the other folder never changes."""
    for path, inner, names in os.walk(folder):
        inner[:] = [inside for inside in inner if inside != _UNFINISHED]
        copy = own / Path(path).relative_to(folder)
        copy.mkdir(parents=True)
        for name in names:
            (copy / name).symlink_to(Path(path) / name)


def _why_unwritten(difference: Difference, unwritten: tuple[str, ...]) -> Difference:
    return (
        replace(difference, reasons=unwritten)
        if difference.message.endswith("was not written")
        else difference
    )
