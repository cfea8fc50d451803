"""The time axis: labels ``hh:mm``, with the date below where the date changes, from milliseconds to decades."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.time_range import EARLIEST, LATEST

_SECOND, _MINUTE, _DAY = 1000, 60_000, 86_400_000
_NS_MINUTE = 60 * 10**9
_NS_DAY = 1440 * _NS_MINUTE
_EVEN_STEPS = (
    *(seconds * 10**9 for seconds in (1, 2, 5, 10, 15, 30)),
    *(minutes * _NS_MINUTE for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)),
)

# plotly.js writes what follows the line break only where it differs from the tick before.
TICK_FORMATS: tuple[tuple[Any, Any, str], ...] = (
    (None, 9.99, "%H:%M:%S.%3f\n%Y-%m-%d"),
    (10, 99.9, "%H:%M:%S.%2f\n%Y-%m-%d"),
    (100, _SECOND - 1, "%H:%M:%S.%1f\n%Y-%m-%d"),
    (_SECOND, _MINUTE - 1, "%H:%M:%S\n%Y-%m-%d"),
    (_MINUTE, _DAY - 1, "%H:%M\n%Y-%m-%d"),
    ("M1", "M11", "%b\n%Y"),
    ("M12", None, "%Y"),
    (_DAY, "M1", "%m-%d\n%Y"),
)


def tick_formats() -> list[dict[str, Any]]:
    """Return plotly's formats of time labels for each distance of ticks, so that labels stay right after zooming."""
    return [{"dtickrange": [low, high], "value": value} for low, high, value in TICK_FORMATS]


def instant(text: object, where: str, edge: Literal["start", "stop"] = "start") -> np.datetime64:
    """Read an ISO time from a figure's spec; without an offset the time is in UTC.

    Parameters
    ----------
    text : object
        The time; or a time range as a variable gives it, ``"2024-05-10 to 2024-05-11"``.
    edge : "start" or "stop"
        The end of a time range to take.
    """
    if not isinstance(text, str):
        raise StepError(
            f"{where}: {text!r} is not a time", advice="write an ISO time in UTC, such as '2024-05-10T17:00'"
        )
    first, _, last = text.partition(" to ")
    try:
        moment = datetime.fromisoformat((last if last and edge == "stop" else first).strip())
    except ValueError as error:
        raise StepError(
            f"{where}: '{text}' is not a time", advice="write an ISO time in UTC, such as '2024-05-10T17:00'"
        ) from error
    # Years first: a zone may move a date beyond what datetime itself can hold.
    if not EARLIEST.year <= moment.year <= LATEST.year or not EARLIEST <= _utc(moment) <= LATEST:
        raise StepError(
            f"{where}: '{text}' is outside the range of times in nanoseconds",
            advice=f"choose a time from {EARLIEST.date()} to {LATEST.date()}",
        )
    return nanoseconds(moment)


def nanoseconds(moment: datetime) -> np.datetime64:
    """Convert a datetime to datetime64[ns]; a naive datetime is in UTC."""
    moment_ns: np.datetime64 = np.datetime64(_utc(moment), "us").astype("datetime64[ns]")
    return moment_ns


def clock_names(epoch: npt.NDArray[np.datetime64], *, date: bool = False) -> list[str]:
    """Write the times of records for a legend: ``13:05``; add seconds or the date if ``13:05`` alone is not clear.

    With `date` the day stands before every clock time.
    """
    for unit in ("m", "s", "ms", "us"):
        texts = np.datetime_as_string(epoch.astype(f"datetime64[{unit}]")).tolist()
        whole = unit == "m" and bool((epoch.astype("datetime64[m]") == epoch).all())
        if whole or (unit != "m" and len(set(texts)) == len(texts)):
            break
    days = {text[:10] for text in texts}
    if len(days) > 1 and all(text[10:] == "T00:00" for text in texts):
        return [text[:10] for text in texts]
    return [text[11:] if len(days) == 1 and not date else text.replace("T", " ") for text in texts]


def time_ticks(
    start: np.datetime64, stop: np.datetime64, most: int
) -> tuple[npt.NDArray[np.datetime64], list[str]]:
    """Return at most `most` even times from start to stop, and their texts: ``13:05``, with the date if it changes."""
    span = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    steps = (*(digit * 10**power for power in range(9) for digit in (1, 2, 5)), *_EVEN_STEPS)
    days = span // _NS_DAY
    steps = (*steps, *(digit * 10**power * _NS_DAY for power in range(6) for digit in (1, 2, 5)))
    step = next((step for step in steps if span // step < most), steps[-1])
    first = int(start.astype("datetime64[ns]").astype("i8"))
    ticks = np.arange(-(-first // step) * step, first + span + 1, step).astype("datetime64[ns]")
    if step >= _NS_DAY:
        texts = np.datetime_as_string(ticks, unit="D").tolist()
        return ticks, [text if days > 300 else text[5:] for text in texts]
    if step % _NS_MINUTE == 0:
        texts = np.datetime_as_string(ticks, unit="m").tolist()
    elif step % 10**9 == 0:
        texts = np.datetime_as_string(ticks, unit="s").tolist()
    else:
        texts = np.datetime_as_string(ticks, unit="ms" if step % 10**6 == 0 else "ns").tolist()
    dated = len({text[:10] for text in texts}) > 1
    return ticks, [text[5:].replace("T", " ") if dated else text[11:] for text in texts]


def as_datetime(moment: np.datetime64) -> datetime:
    """Convert a datetime64 to a naive datetime in UTC, to the µs."""
    plain: datetime = moment.astype("datetime64[us]").item()
    return plain


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
