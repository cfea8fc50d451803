"""Turn a user's request into a verified plan and a request for a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from helio.errors import DamagedRecord, RequestError
from helio.pipelines.arguments import read_clock
from helio.pipelines.dialect.parse import parse
from helio.pipelines.known import known_datasets
from helio.pipelines.library import Library
from helio.pipelines.plan import Plan, check_fields, make_plan, normal_form, time_variable
from helio.pipelines.runs.request import PlanRequest, RunRequest
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import Document
from helio.settings import Settings
from helio.sources.archives import Access, archive_named, open_folder
from helio.store.files import is_file, user_path
from helio.store.records import WrongShape

if TYPE_CHECKING:
    from helio.pipelines.runs.saved_plan import SavedPlan
    from helio.store.lock_file import Lock


def prepare_run(
    request: PlanRequest,
    settings: Settings,
    *,
    locked: str | Path | None = None,
    access: Access | None = None,
) -> RunRequest:
    """Plan a run, or read its saved plan; if a lock file is given, use its values and files.

    Parameters
    ----------
    locked : str or Path, optional
        The file of a lock.
    access : Access, optional
        How the network may be used.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    LockMismatch
        The lock is of another template.
    RequestError
        Values are given for a saved plan.
    """
    saved = _saved_plan(request.pipeline, settings)
    lock = None
    if locked is not None:
        from helio.store.lock_file import read_lock

        lock = read_lock(Path(locked))
    access = access or Access()
    if lock is not None and access.offline:
        from helio.pipelines.runs.locking import listings

        # Use the files of the lock, even if the archive's listing has changed.
        access = replace(access, listed=listings(lock.fetches))
    if saved is not None:
        if request.has_values:
            raise RequestError(
                "a saved plan has fixed values, which --set and --time-range cannot change",
                advice="run the pipeline itself with these values",
            )
        if lock is not None and saved.is_of(lock):  # a saved plan was made from its normal form
            lock = replace(lock, template=saved.plan.template_digest, document={})
        return RunRequest(saved.plan, saved.archive, saved.files, lock, access=access)
    if lock is not None:
        request = _as_locked(request, lock, settings)
    request = with_archive(request, settings)
    plan = plan_of(request, settings)
    return RunRequest(plan, str(request.archive), lock=lock, access=access)


def plan_of(request: PlanRequest, settings: Settings) -> Plan:
    """Make the verified plan of one run.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    """
    archive, now = str(with_archive(request, settings).archive), read_clock(request.now)
    open_folder(archive, settings)
    return make_plan(
        load_template(request.pipeline, settings),
        now=now,
        values=request.variables,
        time_range=request.time_range,
        archive=archive,
        catalogue=known_datasets(settings.home, now, archive),
        pipelines=Library(settings.templates).templates() if request.pipelines is None else request.pipelines,
    )


def with_archive(request: PlanRequest, settings: Settings) -> PlanRequest:
    """Add the archive of the settings to a request if the request names no archive."""
    return replace(
        request, archive=archive_named(str(settings.archive if request.archive is None else request.archive))
    )


def load_template(pipeline: str | Path | Document, settings: Settings) -> Document:
    """Load a template from the name of a pipeline, from a JSON file, or from a dict.

    Raises
    ------
    UnknownPipeline, InvalidTemplate
    """
    if isinstance(pipeline, dict):
        parsed = parse(json.loads(json.dumps(pipeline)))
        if parsed.errors:
            raise InvalidTemplate(parsed.errors)
        document: Document = parsed.plan
    else:
        shelf = Library(settings.templates)
        document = shelf.read(shelf.find(str(pipeline)))
    document.setdefault("id", "pipeline")
    errors = check_fields(document)
    if errors:
        raise InvalidTemplate(errors, place="" if isinstance(pipeline, dict) else str(pipeline))
    return document


def _as_locked(request: PlanRequest, lock: Lock, settings: Settings) -> PlanRequest:
    """Use the variables, the time and the archive of a lock file in a request."""
    from helio.pipelines.runs.locking import refuse_other_template

    template = load_template(request.pipeline, settings)
    refuse_other_template(template, lock)
    given = {
        name if name.startswith("$") else f"${name}": value
        for name, value in (request.variables or {}).items()
    }
    values = dict(lock.values)
    if request.time_range is not None:
        values.pop(time_variable(normal_form(template)), None)
    return replace(
        request,
        variables={**values, **given},
        now=lock.now if request.now is None else request.now,
        archive=lock.archive if request.archive is None else request.archive,
    )


def _saved_plan(pipeline: str | Path | Document, settings: Settings) -> SavedPlan | None:
    """Load the saved plan from a file; return None if the file is not a saved plan."""
    path = None if isinstance(pipeline, dict) else user_path(pipeline)
    if path is None or path.suffix != ".json" or not is_file(path):
        return None
    from helio.pipelines.runs.saved_plan import is_saved_plan, read_saved, restore

    try:
        document = read_saved(path)
    except (FileNotFoundError, DamagedRecord, WrongShape):
        return None  # reading it as a template reports the error

    return restore(document, home=settings.home, place=str(path)) if is_saved_plan(document) else None
