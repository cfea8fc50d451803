"""Rules that influence the results of all steps, besides the versions of the tools, and how these rules changed.

A run record keeps the number of every rule. When two runs differ, or a run comes out differently today, the changes
between their numbers are named in words.

To change a rule, add one line to its tuple in `RULES`, with the version that brings the change: this raises its
number. Never remove or reorder lines. Raise the version of a tool as well when it returns other numbers, so that
stored results are computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rule:
    """A rule by which helio computes results, and its changes since the first release.

    Parameters
    ----------
    about : str
        The subject of the rule.
    changes : tuple of str
        One sentence for each change, oldest first, as a user reads it: ``"since 0.2 …"``.
    """

    about: str
    changes: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """Return the version of the rule: 1 at first, and one more with each change."""
        return 1 + len(self.changes)


RULES: dict[str, Rule] = {
    "time ranges": Rule(
        "the interval that a text means as a time range",
        ("since 0.2 a range A/B ends at the start of B, and 12:00-12:30 is not read as an offset from UTC",),
    ),
    "epochs": Rule(
        "the epoch of a record, and the choice among records of equal epoch",
        (
            "since 0.2 records of a leap second are kept, and differences of epochs count leap seconds",
            "since 0.2 second 86400 of a day with a leap second is 23:59:60",
        ),
    ),
    "table facts": Rule(
        "unit, frame, components and kind of a table, and the facts in its digest",
        (
            "since 0.2 three components are Cartesian only where the file says so, and whether an angle wraps does not "
            "depend on its values",
        ),
    ),
    "reading": Rule(
        "how helio reads numbers from files and replies, and which of these helio refuses",
        (
            "since 0.2 helio refuses a CDF with a wrong checksum, data with most records dropped, and mixed editions",
            "since 0.2 helio reads packed times, times in several columns and offsets from UTC",
            "since 0.2 helio refuses CSV and Parquet times in TAI, GPS or another scale, times next to a column of "
            "other offsets from UTC, and times with a minute but no hour",
            "since 0.2 helio reads only the newest version of a file in a folder",
            "since 0.2 helio refuses HAPI replies with numbers in big-endian order, with records after the status 'no "
            "data', with a parameter that is described twice, or with a fill value that is no plain number",
        ),
    ),
    "figures": Rule(
        "how a table is drawn",
        (
            "since 0.2 a pixel of a spectrogram shows the highest value of its cells, and lines pass through every "
            "point within the page",
            "since 0.2 the footer of a figure from a folder names 'local files' and not the folder",
        ),
    ),
}


def rule_numbers() -> dict[str, int]:
    """Return the current version of every rule, by the rule's name, to write into a record."""
    return {name: rule.number for name, rule in RULES.items()}


def changed_rules(
    old: Mapping[str, Any], new: Mapping[str, Any], rules: Mapping[str, Rule] = RULES
) -> tuple[str, ...]:
    """Describe which rules for computing results changed between two run records.

    Parameters
    ----------
    old, new : mapping
        Rule name to number, as records keep them. A rule that is missing has the number 1: records made before
        there were numbers have none.

    Examples
    --------
    >>> rules = {"reading": Rule("…", ("since 0.2 files with a wrong checksum are refused",))}
    >>> changed_rules({}, {"reading": 2}, rules)
    ('reading: since 0.2 files with a wrong checksum are refused',)
    """
    changes: list[str] = []
    for name in dict.fromkeys((*rules, *old, *new)):
        low, high = sorted((int(old.get(name, 1)), int(new.get(name, 1))))
        known = rules.get(name, Rule("")).changes
        changes += [f"{name}: {change}" for change in known[low - 1 : high - 1]]
        if high > max(low, 1 + len(known)):
            changes.append(f"{name}: changed by a newer version of helio (rule {high})")
    return tuple(changes)
