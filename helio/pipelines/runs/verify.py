"""Run again what a record says was run, in an empty store, and compare."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
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
from helio.pipelines.runs.session import Direct, run_plan
from helio.pipelines.template.files import FORMATS, Format
from helio.settings import Settings
from helio.sources.archives import Access, absolute_archive, is_folder
from helio.sources.cited_as import Citations
from helio.sources.registry import is_catalogued
from helio.store.files import is_folder_there
from helio.store.runs import RunRecord, Runs
from helio.store.store import Store

_KEPT = ("files", "catalogue")
"""What a run reads in the home beside its store: files and replies of servers, and the renewed catalogue."""
_UNFINISHED = "parts"
"""Downloads on their way, which are written to in place."""


def verify_run(
    record: RunRecord,
    *,
    settings: Settings,
    archive: str = "",
    access: Access | None = None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Comparison:
    """Execute a record's plan again, from the same files, in a store of its own that is gone afterwards.

    Files that are kept are read where they are and stay as they are; what is not kept is downloaded, to be gone
    afterwards too, unless `access` forbids it.

    Parameters
    ----------
    archive : str
        Another archive than the recorded one; files are then looked for there. Those of the same bytes are cited as
        the record cites them, for a figure says who served its data.

    Returns
    -------
    Comparison
        Its `same_results` says whether every table, figure and file came out as it was.

    Raises
    ------
    RequestError
        The run has not ended, or its record does not say which archive it used.
    InvalidTemplate
        This helio cannot run the plan at all.
    DamagedObject
        The record cannot be read.
    """
    header = record.whole_header
    if record.status not in ("success", "partial", "failed") or not record.step_records:
        raise RequestError(f"run {record.id} is {record.status}: there is nothing to compare with")
    if "archive" not in header and not archive:
        raise RequestError(
            f"the record of run {record.id} does not say which archive it used", advice="--archive DIR|NAME"
        )
    source = archive or header["archive"]
    if not archive and is_folder(source) and not is_folder_there(Path(source)):
        raise RequestError(
            f"the archive {source} of run {record.id} does not exist",
            advice="--archive DIR, where its files are now; --archive NAME, if a provider serves them",
        )
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
        request = RunRequest(plan, source, output=output, formats=_added_formats(record, plan))

        def run(access: Access) -> Run:
            asked = replace(request, access=access)
            return run_plan(asked, settings=own, engine=Direct(), finished=finished)

        # what is kept needs no network, and only what is not kept is worth asking for
        done = run(replace(access, offline=True, refresh=False))
        if not access.offline and any(
            isinstance(step_result.error, Offline) for step_result in done.result.steps
        ):
            done = run(access)
        judge = judge_by(Store(settings.store), Store(own.store))
        found = compare(record, Runs(own.runs).load(done.id), judge=judge)
    unwritten = tuple(error.message for error in done.unwritten)
    changed = tuple(_why_unwritten(difference, unwritten) for difference in found.figures)
    archives = ("archive: ",) if absolute_archive(source) != header.get("archive") else ()
    plans = tuple(line for line in found.plan if not line.startswith(archives))
    return replace(found, new="now", figures=changed, plan=plans)


def _added_formats(record: RunRecord, plan: Plan) -> tuple[Format, ...]:
    """The formats of figures that the plan does not state: those of the command."""
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
    """How a record cites each file that it knows by its bytes."""
    every = (
        source for step in record.step_records for output in step["outputs"] for source in output["sources"]
    )
    return {(file.dataset_id, file.sha256): file for file in every if file.sha256}


def _mirror(folder: Path, own: Path) -> None:
    """A folder in which every file is a link to that of another folder: what is replaced there stays here."""
    for path, inner, names in os.walk(folder):
        inner[:] = [inside for inside in inner if inside != _UNFINISHED]
        copy = own / Path(path).relative_to(folder)
        copy.mkdir(parents=True)
        for name in names:
            (copy / name).symlink_to(Path(path) / name)


def _why_unwritten(one: Difference, unwritten: tuple[str, ...]) -> Difference:
    return replace(one, reasons=unwritten) if one.message.endswith("was not written") else one
