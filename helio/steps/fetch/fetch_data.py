"""Fetch parameters of a dataset over a time range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from helio.counts import number_of
from helio.errors import DataError, NoUsableData, UnknownDataset
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.provider import Provider, Providers
from helio.steps.fetch.choices import ABSENT, Candidate, choices_of
from helio.steps.fetch.first_look import look_first
from helio.steps.fetch.whole_intervals import refuse_empty_intervals
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration, TimeRange


@dataclass(frozen=True)
class Attempt:
    """A dataset that a fetch tried, and whether the fetch used it."""

    dataset_id: str
    parameters: tuple[str, ...]
    outcome: str
    """``"used"``, or the reason why this dataset has no usable data."""


class NoCandidate(NoUsableData):
    """The error if no dataset that a fetch may use has usable data; it lists every dataset that the fetch tried."""

    def __init__(self, message: str, *, advice: str = "", attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(message, advice=advice)
        self.attempts = attempts


@dataclass(frozen=True)
class FetchResult:
    """The result of a fetch: a table for each label, and every dataset that the fetch tried."""

    tables: dict[str, Table]
    attempts: tuple[Attempt, ...]


@tool(
    version=3,
    context=RECORD,
    needs=(("dataset_id", "candidates"), ("parameter_id", "parameters", "candidates")),
    synonyms=(
        "fetch get_data download_data load_data download retrieve_data get_dataset "
        "fetch_dataset fetch_parameter fetch_parameters load_dataset read_data"
    ),
)
def fetch_data(
    providers: Providers,
    *,
    time_range: TimeRange,
    dataset_id: str = "",
    parameter_id: str = "",
    parameters: Sequence[str] = (),
    candidates: Sequence[str | Candidate] = (),
    output_label: str = "",
    provider: str = "",
    each_interval: Duration | None = None,
) -> FetchResult:
    """Fetch one or several parameters of a dataset.

    Parameters
    ----------
    providers : Providers
        The provider of each dataset.
    time_range : TimeRange
        Half-open interval [start, stop) in UTC.
    dataset_id : str
        The dataset's CDAWeb id: ``STA_L1_HET``.
    parameter_id : str
        One parameter of the dataset: ``Proton_Flux``.
    parameters : list of str
        Several parameters of the dataset, each under its own label.
    candidates : list
        Datasets in order of preference; the first with usable data is used, under ``output_label``.
    output_label : str
        The label of the result; default: ``DATASET.PARAMETER``.
    provider : str
        The provider of the dataset, when neither the run nor the catalogue names it: ``cdaweb``, ``swpc``, ``ncei``,
        ``ssc`` for positions of spacecraft, ``sample``, or ``hapi:NAME`` for a HAPI server, such as
        ``hapi:INTERMAGNET``.
    each_interval : Duration
        Refuse a range in which an interval of this length, counted from midnight UTC, has no data: ``"1d"``. Default:
        gaps are allowed.

    Returns
    -------
    FetchResult
        A table for each label; units are in helio's spelling, fill values are NaN.

    Raises
    ------
    UnknownDataset, UnknownParameter, NoData, DamagedFile
        Raised by the provider.
    ServerUnavailable, RateLimited
        The server does not answer or is busy, after some attempts. ``"retries": 3, "retry_delay": "5min"`` beside
        ``tool_args`` tries the step again later.
    NoUsableData
        Every value of a parameter is a fill value, or an interval of `each_interval` has no data.

    Examples
    --------
    Parker Solar Probe's magnetic field, from the samples that come with helio:

    >>> from datetime import datetime
    >>> from helio.sources.archives import Archives
    >>> from helio.sources.cdf import CdfReader
    >>> day = TimeRange(datetime(2020, 1, 4), datetime(2020, 1, 5))
    >>> chosen = {"dataset_id": "PSP_FLD_L2_MAG_RTN_1MIN", "parameter_id": "psp_fld_l2_mag_RTN_1min"}
    >>> with CdfReader() as reader:
    ...     fetched = fetch_data(Archives(reader, "sample"), time_range=day, output_label="B", **chosen)
    >>> field = fetched.tables["B"]
    >>> field.unit, field.frame, len(field), np.nanmean(field.values, axis=0).round(1)
    ('nT', 'RTN', 118, array([-0.1, -3.8,  1.3], dtype=float32))
    """
    choices = choices_of(
        {
            "dataset_id": dataset_id,
            "parameter_id": parameter_id,
            "parameters": parameters,
            "candidates": candidates,
            "provider": provider,
        }
    )
    attempts: list[Attempt] = []
    failures: list[DataError] = []
    for choice in choices:
        archive = providers.choose(choice.provider)
        try:
            tables = _fetch_usable(archive, choice.dataset_id, choice.parameters, time_range, each_interval)
        except ABSENT as error:
            attempts.append(Attempt(choice.dataset_id, choice.parameters, error.message))
            failures.append(error)
            continue
        attempts.append(Attempt(choice.dataset_id, choice.parameters, "used"))
        return FetchResult(_labelled(tables, choice.dataset_id, output_label), tuple(attempts))
    if len(failures) == 1:
        raise failures[0]
    raise NoCandidate(
        "no candidate has usable data: "
        + "; ".join(f"{attempt.dataset_id}: {attempt.outcome}" for attempt in attempts),
        advice="choose another --archive, or datasets that `helio archive` lists for it"
        if all(isinstance(failure, UnknownDataset) for failure in failures)
        else "choose another time range, or list more datasets in 'candidates'",
        attempts=tuple(attempts),
    ) from failures[-1]


def _fetch_usable(
    archive: Provider,
    dataset_id: str,
    parameters: Sequence[str],
    time_range: TimeRange,
    each_interval: Duration | None,
) -> dict[str, Table]:
    look_first(archive, dataset_id, parameters, time_range)
    tables = archive.fetch(dataset_id, parameters, time_range)
    for name, table in tables.items():
        if not np.isfinite(table.values).any():
            raise NoUsableData(
                f"{dataset_id} {name} has {number_of(len(table), 'record')} in {time_range}, but all values "
                "are fill values",
                advice="choose another parameter, dataset or time range",
            )
        if each_interval is not None:
            refuse_empty_intervals(table, each_interval, time_range, dataset_id=dataset_id, parameter=name)
    return {
        name: replace(
            table,
            unit=canonical_unit(table.unit),
            axes=tuple(replace(axis, unit=canonical_unit(axis.unit)) for axis in table.axes),
        )
        for name, table in tables.items()
    }


def _labelled(tables: dict[str, Table], dataset_id: str, output_label: str) -> dict[str, Table]:
    if output_label and len(tables) == 1:
        return dict(zip([output_label], tables.values(), strict=True))
    return {f"{dataset_id}.{name}": table for name, table in tables.items()}
