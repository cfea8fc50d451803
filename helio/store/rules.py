"""Rules that decide results besides the versions of tools, and the changes of these rules.

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
    """A rule and its history.

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
        """Number of the rule: 1, plus 1 for each change."""
        return 1 + len(self.changes)


RULES: dict[str, Rule] = {
    "time ranges": Rule(
        "which interval the text of a time range means",
        ("since 0.2 A/B ends where B begins at any precision, and 12:00-12:30 is no offset from UTC",),
    ),
    "epochs": Rule(
        "which time a record gets, and which records of equal time are kept",
        (
            "since 0.2 records of a leap second are kept, and differences of epochs count leap seconds",
            "since 0.2 second 86400 of a day with a leap second is 23:59:60",
        ),
    ),
    "table facts": Rule(
        "unit, frame, components and kind of a table, and what enters its digest",
        (
            "since 0.2 three components are Cartesian only where the file says so, and whether an angle wraps does not "
            "depend on its values",
        ),
    ),
    "reading": Rule(
        "how files and replies become numbers, and which are refused",
        (
            "since 0.2 a wrong checksum in a CDF, most records left out, and a reply of two editions are refused",
            "since 0.2 packed times, times in several columns and offsets from UTC are read",
            "since 0.2 CSV and Parquet times beside a column of other offsets from UTC, in TAI, GPS or another scale, "
            "or with a minute and no hour are refused",
            "since 0.2 of two files in a folder that are of one dataset and span and of different versions, the newer "
            "one alone is read",
            "since 0.2 HAPI replies are refused that have numbers in big-endian order, records after the status 'no "
            "data', or a parameter that is described twice; a fill must be written as a plain number",
        ),
    ),
    "figures": Rule(
        "how a table is drawn",
        (
            "since 0.2 no cell of a spectrogram is smaller than a pixel, several in one show their highest value, "
            "and lines are drawn through every point in the page",
            "since 0.2 the footer of a figure from a folder names 'local files' and not the folder",
        ),
    ),
}


def rule_numbers() -> dict[str, int]:
    """Return the present number of every rule, for a record."""
    return {name: rule.number for name, rule in RULES.items()}


def changed_rules(
    old: Mapping[str, Any], new: Mapping[str, Any], rules: Mapping[str, Rule] = RULES
) -> tuple[str, ...]:
    """Say in words which rules changed between two records.

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
