"""Predict what each step of a run would do, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helio.counts import number_of
from helio.errors import TransientError
from helio.pipelines.runs.earlier_runs import runs_with
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.saved_plan import as_json
from helio.pipelines.runs.session import open_session
from helio.settings import Settings
from helio.sources.allowance import MAX_DOWNLOAD, in_words
from helio.store.runs import Runs


def foresee(request: RunRequest, settings: Settings) -> dict[str, Any]:
    """Describe a plan in the form that `helio plan` saves, with what each step would do and the files of each fetch.

    A step whose results are in the store names in ``runs`` the newest successful runs that have them. When a server
    cannot be reached, the plan has what is known offline, and ``offline`` gives the reason.

    Raises
    ------
    Refused
        The archive has other files than the saved plan names.
    LockMismatch
        The files that the archives list are not those of the lock.
    """
    access = replace(request.access, impatient=True)
    try:
        return _foreseen(replace(request, access=access), settings)
    except TransientError as error:
        if request.lock is not None:
            raise  # its files cannot be compared with the lock
        offline = replace(access, offline=True, refresh=False)
        return _foreseen(replace(request, access=offline), settings) | {"offline": error.message}


def download_words(foreseen: Mapping[str, Any]) -> str:
    """Say in words how much a plan that `foresee` described would download, and for which steps this is unknown."""
    forecasts = foreseen["forecast"]
    sizes = {url: size for forecast in forecasts for url, size in forecast.get("download", {}).items()}
    unknown = [str(forecast["step_id"]) for forecast in forecasts if forecast["state"] == "unknown"]
    words = size_words(sizes)
    if unknown:
        words = f"unknown for step {', '.join(unknown)}" + (f"; {words} for the other steps" if sizes else "")
    return words


def size_words(sizes: Mapping[str, int | None]) -> str:
    """Say in words how much a run would download and, above the default limit, which limit the user must set."""
    if not sizes:
        return "nothing"
    known = [size for size in sizes.values() if size is not None]
    size = sum(known)
    much = in_words(size) + (" and more" if len(known) < len(sizes) else "") if known else "an unknown amount"
    words = f"{much} in {number_of(len(sizes), 'request')}"
    if size > MAX_DOWNLOAD:
        words += f"; `helio run` needs --max-download {in_words(size, up=True).replace(' ', '')}"
    return words


def _foreseen(request: RunRequest, settings: Settings) -> dict[str, Any]:
    with open_session(request, settings) as session:
        execution = session.execution
        session.refuse_unplanned_files()
        if request.lock is not None:
            from helio.pipelines.runs.locking import refuse_other_files

            refuse_other_files(request, request.lock, execution.providers)
        files, forecast = execution.files(), execution.forecast()
        _name_runs(forecast, Runs(settings.runs))
        return as_json(request, files=files, forecast=forecast)


def _name_runs(forecast: list[dict[str, Any]], runs: Runs) -> None:
    """Add to the report of each step the runs that made the results it would use."""
    every = {key: digest for step in forecast for key, digest in step.get("results", {}).items()}
    held = runs_with(runs, every)
    for step in forecast:
        named = list(dict.fromkeys(held[key] for key in step.pop("results", ()) if key in held))
        if named:
            step["runs"] = named
            step["reason"] += f", from {', '.join(named)}"
