"""Choose the length of a window where every usual choice gives the same picture, so that helio need not ask."""

from __future__ import annotations

from helio.time_range import Duration

LEAST_RECORDS = {"despike": 11, "power_spectrum": 64, "power_spectrogram": 32}
"""Least number of records in a window: the tools that have a usual window."""
_PARTS = {"power_spectrum": 10, "power_spectrogram": 50}
"""How many windows fit in the time range, at least if the series has enough records."""
_ROUND = {
    "ms": (100, 200, 500),
    "s": (1, 2, 5, 10, 15, 20, 30),
    "min": (1, 2, 5, 10, 15, 20, 30),
    "h": (1, 2, 3, 6, 12),
    "d": (1, 2, 3, 5, 10, 20, 30),
}
_LENGTHS = [f"{number}{unit}" for unit, numbers in _ROUND.items() for number in numbers]


def has_usual_window(tool: str) -> bool:
    """Return whether a tool has a usual window."""
    return tool in LEAST_RECORDS


def usual_window(tool: str, cadence: float | None, span: float, least: float = 0.0) -> str:
    """Return the usual window of a tool, as a round duration.

    A power spectrum takes a tenth of the time range, a spectrogram a fiftieth, and neither too few records; a
    search for spikes takes a few records. If the cadence changes, only the time range counts.

    Parameters
    ----------
    cadence : float or None
        Seconds.
    span : float
        Length of the time range in seconds.
    least : float
        The least length of the window in seconds, such as five periods of the lowest frequency of a band.

    >>> usual_window("power_spectrum", 3.0, 86400.0), usual_window("despike", 60.0, 86400.0)
    ('2h', '10min')
    >>> usual_window("power_spectrogram", 60.0, 7200.0)
    '30min'
    """
    records = LEAST_RECORDS[tool] * (cadence or span / 1000)
    wanted = max(records, span / _PARTS[tool]) if tool in _PARTS else records
    wanted = max(wanted, least)
    return next(
        (length for length in reversed(_LENGTHS) if Duration(length).nanoseconds / 1e9 <= wanted), _LENGTHS[0]
    )
