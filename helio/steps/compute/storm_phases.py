"""Geomagnetic storms and their phases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.derived import derived
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import counted
from helio.store.table import Table


@tool(
    version=1,
    context=whole_range("a storm lasts from the quiet time before it to the quiet time after it"),
    gives=Result(
        frame="",
        by={
            "give": {
                "phase": Result(unit="", kind="scalar"),
                "onset": Result(unit="nT", kind="scalar"),
                "minimum": Result(unit="nT", kind="scalar"),
                "durations": Result(unit="h", kind="vector"),
            }
        },
    ),
    synonyms="storm_times geomagnetic_storms find_storms storm_onset storm_list",
)
def storm_phases(
    index: Annotated[Table, Quantity("nT", kind="scalar")],
    *,
    threshold: float = -50.0,
    quiet: float = -15.0,
    give: Literal["phase", "onset", "minimum", "durations"] = "phase",
) -> Table:
    """Find geomagnetic storms in SYM-H or Dst: the onset of the main phase, the minimum and the end of the recovery.

    Parameters
    ----------
    index : Table, shape (n,)
        SYM-H or Dst, nT.
    threshold : float
        A storm reaches this value or less, nT: −50 moderate, −100 intense, −250 the greatest storms.
    quiet : float
        Where the index is at or above this value, nT, there is no storm.
    give : "phase", "onset", "minimum" or "durations"
        The kind of result; see below.

    Returns
    -------
    Table
        ``phase``, shape (n,), without a unit: 0 outside storms, 1 in the main phase, 2 in the recovery phase; NaN
        where the index is missing.
        ``onset``, shape (m,): one record for each storm with a known onset, at the onset of its main phase: the last
        sample before the minimum that is at or above `quiet`; its value is the index.
        ``minimum``, shape (m,): one record for each storm, at its lowest value, which is the value of the record.
        ``durations``, shape (m, 2), in h, at the minima: of the main phase, from the onset to the minimum, and of the
        recovery phase, from the minimum to the first sample at or above `quiet`. NaN where the series begins or ends
        in the storm.
        `superposed_epoch` takes the epochs of onsets or minima as zero times. A series without a storm gives no
        records. The description lists the number of storms; a note says how many samples are missing in them.

    Raises
    ------
    StepError
        When `quiet` is not above `threshold`.

    Notes
    -----
    Between two quiet times there is one storm, with one minimum, even if the index falls and rises several times.
    The increase of the initial phase, before the onset, is not marked.

    References
    ----------
    Walach & Grocott, J. Geophys. Res. Space Phys. 124, 5828 (2019), for SYM-H, with −80 nT and −15 nT; Gonzalez et al.,
    J. Geophys. Res. 99, 5771 (1994), for the thresholds in Dst.

    Examples
    --------
    Dst of a storm, hour by hour:

    >>> from helio.steps.examples import series
    >>> dst = series([5.0, -10.0, -60.0, -110.0, -70.0, -30.0, -12.0], "nT", "Dst", every="1h")
    >>> storm_phases(dst).values
    array([0., 1., 1., 2., 2., 2., 0.])
    >>> storm_phases(dst, give="durations").values
    array([[2., 3.]])
    """
    if not quiet > threshold:
        raise StepError(
            f"the quiet level of {quiet:g} nT is not above the threshold of {threshold:g} nT",
            advice="write threshold: -50 and quiet: -15",
        )
    storms = _storms(index.values.astype(np.float64), threshold, quiet)
    lowest = f", lowest {min(storm.lowest for storm in storms):g} nT" if storms else ""
    found = f"{number_of(len(storms), 'storm')} of {index.name or 'the index'} at or below {threshold:g} nT{lowest}"
    made = _phases(index, storms) if give == "phase" else _events(index, storms, give)
    missing = sum(int(np.isnan(index.values[storm.begins : storm.ends]).sum()) for storm in storms)
    if missing:
        made = replace(made, notes=(*made.notes, f"missing in the storms: {number_of(missing, 'sample')}"))
    return replace(made, description=found)


@dataclass(frozen=True)
class _Storm:
    """Numbers of the records of a storm; the onset and the end are None if they are not in the series."""

    onset: int | None
    minimum: int
    end: int | None
    lowest: float
    records: int

    @property
    def begins(self) -> int:
        return 0 if self.onset is None else self.onset

    @property
    def ends(self) -> int:
        return self.records if self.end is None else self.end


def _storms(values: npt.NDArray[np.float64], threshold: float, quiet: float) -> list[_Storm]:
    valid = np.flatnonzero(np.isfinite(values))
    disturbed = np.pad(values[valid] < quiet, 1).astype(np.int8)
    starts, stops = (np.flatnonzero(np.diff(disturbed) == step) for step in (1, -1))
    storms = []
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        minimum = int(valid[start + int(values[valid[start:stop]].argmin())])
        if values[minimum] > threshold:
            continue
        storms.append(
            _Storm(
                onset=int(valid[start - 1]) if start else None,
                minimum=minimum,
                end=int(valid[stop]) if stop < valid.size else None,
                lowest=float(values[minimum]),
                records=values.size,
            )
        )
    return storms


def _phases(index: Table, storms: list[_Storm]) -> Table:
    phase = np.zeros(len(index))
    for storm in storms:
        phase[storm.begins : storm.minimum] = 1.0
        phase[storm.minimum : storm.ends] = 2.0
    phase[~np.isfinite(index.values)] = np.nan
    return derived((index,), phase, unit="", name="storm phase", description="")


def _events(index: Table, storms: list[_Storm], give: Literal["onset", "minimum", "durations"]) -> Table:
    if give == "onset":
        records = [storm.onset for storm in storms if storm.onset is not None]
    else:
        records = [storm.minimum for storm in storms]
    chosen = index.take(np.array(records, dtype=np.int64))
    if give != "durations":
        return derived(
            (chosen,),
            chosen.values.astype(np.float64),
            unit="nT",
            name=f"{index.name} at the {'onset of the main phase' if give == 'onset' else 'minimum'}".strip(),
            description="",
        )
    hours = counted(index.epoch) / 3.6e12
    durations = np.full((len(storms), 2), np.nan)
    for row, storm in zip(durations, storms, strict=True):
        if storm.onset is not None:
            row[0] = hours[storm.minimum] - hours[storm.onset]
        if storm.end is not None:
            row[1] = hours[storm.end] - hours[storm.minimum]
    made = derived(
        (chosen,),
        durations,
        unit="h",
        name="duration",
        description="",
        components=("main phase", "recovery phase"),
    )
    return replace(made, stated_representation="none")
