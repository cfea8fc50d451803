"""Read cadences from titles, ids and questions, where they appear as ``16-Second``, ``1HR`` or ``11 Hz``."""

from __future__ import annotations

import re

FINEST = 1e-6
"""Cadence, in seconds, that stands for the finest data."""
_SECONDS = {
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "m": 60.0,
    "min": 60.0,
    "mins": 60.0,
    "minute": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hrs": 3600.0,
    "hour": 3600.0,
    "hours": 3600.0,
    "day": 86400.0,
    "days": 86400.0,
}
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}
_WORDS = {
    "hourly": 3600.0,
    "daily": 86400.0,
    "minutely": 60.0,
    "minute data": 60.0,
    "half-hourly": 1800.0,
}
_SAID = re.compile(
    r"(?<![\w.])(?P<number>\d{1,9}(?:\.\d{1,9})?|one|two|three|four|five|ten)[\s_-]*"
    r"(?P<unit>ms|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|hz|s|m|h)(?![a-z0-9/])"
    r"|(?<![\w-])(?P<word>half-hourly|hourly|daily|minutely|minute data)(?!\w)",
    re.IGNORECASE,
)
_IN_ID = re.compile(
    r"(?<![0-9])(\d+)-?(SEC|S|MIN|MINUTE|M|HR|HOUR|H|DAY|SECONDS)(?![A-Z0-9])|OR_SSC", re.IGNORECASE
)


def cadences_in(text: str) -> tuple[float, ...]:
    """Return every cadence that a text names, in seconds, in the order of the text.

    >>> cadences_in("Magnetic Fields Investigation: 3 sec, 1 min, and hourly")
    (3.0, 60.0, 3600.0)
    >>> cadences_in("ACE Magnetic Field 16-Second Level 2 Data")
    (16.0,)
    >>> cadences_in("search coil at 2 Hz")
    (0.5,)
    """
    return tuple(seconds for _, seconds in said_cadences(text))


def said_cadences(text: str) -> list[tuple[str, float]]:
    """Return every cadence that a text names, as pairs of the words in the text and the seconds."""
    cadences: list[tuple[str, float]] = []
    for match in _SAID.finditer(text):
        if match["word"]:
            cadences.append((match[0], _WORDS[match["word"].lower()]))
            continue
        number = float(_NUMBERS.get(match["number"].lower(), match["number"]))
        unit = match["unit"]
        if number <= 0 or unit == "M":  # 5 M is five million, as in `5 MeV`
            continue
        seconds = 1 / number if unit.lower() == "hz" else number * _SECONDS[unit.lower()]
        if all(seconds != known for _, known in cadences):
            cadences.append((match[0], seconds))
    return cadences


def cadences_of(dataset_id: str, title: str) -> tuple[float, ...]:
    """Return the cadences in a dataset's id, otherwise the cadences in its title; the result may be empty.

    >>> cadences_of("OMNI_HRO_1MIN", "OMNI Combined, Definitive, 1-minute IMF and Plasma Data")
    (60.0,)
    >>> cadences_of("WI_PM_3DP", "Ion moments (computed on-board) @ 3 second (spin) resolution")
    (3.0,)
    """
    cadence = re.search(r"(?:at |@ )?([\w.]+[ -]\w+) cadence", title)
    if cadence and cadences_in(cadence[1]):  # `9 sec electron moments at 12 sec cadence`
        return cadences_in(cadence[1])
    if dataset_id.startswith("BAR_"):  # the ids of balloons: BAR_1H is no hour
        return cadences_in(title)
    from_id = tuple(
        float(number) * _SECONDS[unit.lower()]
        for number, unit in _IN_ID.findall(
            dataset_id.replace("1-MINUTE", "1MIN").replace("10-SECONDS", "10SEC")
        )
        if number and float(number) > 0
    )
    if from_id:
        return tuple(dict.fromkeys(from_id))
    hz = re.search(r"Hz", title)  # frequencies of spectra are no rates of records
    return tuple(seconds for words, seconds in said_cadences(title) if not (hz and "hz" in words.lower()))


def cadence_text(seconds: float) -> str:
    """Write a cadence for people: ``16 s``, ``1 min``, ``1 h``, ``1 day``."""
    for unit, length in (("day", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and (seconds / length).is_integer():
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:.4g} ms"
