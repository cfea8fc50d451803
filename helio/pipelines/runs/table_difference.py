"""Compare two tables: their facts, their records, and the size and time of the differences in each component."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helio.counts import number_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from helio.store.table import Table

_FACTS = ("unit", "name", "frame", "representation", "periods", "scale", "description")
_MOST_COMPONENTS = 12


@dataclass(frozen=True)
class LargestDifference:
    """Largest difference between two tables in one component, and its epoch.

    Parameters
    ----------
    value : float
        Absolute, in the unit of the table, or relative to the old value: 0.01 for one per cent.
    epoch : str
        The first epoch with this difference, ISO 8601, UTC.
    """

    value: float
    epoch: str


@dataclass(frozen=True)
class ComponentDifference:
    """Differences between two tables in one component, at the epochs that both tables have.

    Parameters
    ----------
    component : str
        Empty for a scalar, and for all bins of a spectrum.
    compared : int
        Number of values in both tables.
    changed : int
        Number of unequal values.
    absolute, relative : LargestDifference or None
        None where no value changed; the relative one is also None for periodic angles and for old values of 0.
    became_missing, appeared : int
        Number of values only in the old table, and only in the new one.
    """

    component: str
    compared: int
    changed: int
    absolute: LargestDifference | None = None
    relative: LargestDifference | None = None
    became_missing: int = 0
    appeared: int = 0

    @property
    def differs(self) -> bool:
        """Whether any value of the component differs."""
        return bool(self.changed or self.became_missing or self.appeared)

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs; an infinite difference becomes a text."""
        largest = {
            name: measure
            and {**vars(measure), "value": measure.value if math.isfinite(measure.value) else "infinite"}
            for name, measure in (("absolute", self.absolute), ("relative", self.relative))
        }
        return vars(self) | largest

    def in_words(self, unit: str) -> str:
        """Describe the differences of the component in one line, without the name of the component."""
        parts = []
        if self.changed:
            verb = "differs" if self.changed == 1 else "differ"
            parts.append(f"{self.changed:,} of {number_of(self.compared, 'value')} {verb}")
        if self.absolute is not None:
            parts[-1] += f", by at most {self.absolute.value:.3g}{f' {unit}' if unit else ''}"
            parts[-1] += f" at {self.absolute.epoch}"
        if self.relative is not None:
            same = self.absolute is not None and self.absolute.epoch == self.relative.epoch
            when = "" if same else f" at {self.relative.epoch}"
            parts[-1] += f" (relative: {_percent(self.relative.value)}{when})"
        if self.became_missing:
            parts.append(f"{number_of(self.became_missing, 'value')} became missing")
        if self.appeared:
            parts.append(f"{number_of(self.appeared, 'value')} appeared")
        return ", ".join(parts) or f"{number_of(self.compared, 'value')}, all the same"


@dataclass(frozen=True)
class TableDifference:
    """All differences between two tables.

    Parameters
    ----------
    facts : tuple of str
        Descriptions of changed facts: unit, frame, components and others.
    common, only_old, only_new : int
        Number of records with common epochs, and with epochs of only one table.
    components : tuple of ComponentDifference
        Compared components, in the order of the new table.
    not_compared : tuple of str
        Parts that could not be compared, and why.
    unit : str
        Unit of the differences; empty where the tables' units differ.
    """

    facts: tuple[str, ...] = ()
    common: int = 0
    only_old: int = 0
    only_new: int = 0
    components: tuple[ComponentDifference, ...] = ()
    not_compared: tuple[str, ...] = ()
    unit: str = ""

    @property
    def summary(self) -> str:
        """All changes in one line, with the component that has the most differences."""
        parts = list(self.facts)
        if self.only_old or self.only_new:
            parts.append(self._records())
        differing = [component for component in self.components if component.differs]
        if len(self.components) > 1 and differing:
            parts.append(f"{len(differing)} of {len(self.components)} components differ")
            worst = max(
                differing,
                key=lambda component: (component.changed, component.became_missing + component.appeared),
            )
            parts.append(f"{worst.component}: {worst.in_words(self.unit)}")
        elif self.components:
            parts += [component.in_words(self.unit) for component in differing]
        if self.components and not differing:
            parts.append("the values are the same")
        return "; ".join([*parts, *self.not_compared])

    @property
    def details(self) -> tuple[str, ...]:
        """Description of each component that differs, one per line; empty for tables with a single component."""
        if len(self.components) < 2:
            return ()
        lines = [
            f"{component.component}: {component.in_words(self.unit)}"
            for component in self.components
            if component.differs
        ]
        more = len(lines) - _MOST_COMPONENTS
        return (
            *lines[:_MOST_COMPONENTS],
            *([f"and {number_of(more, 'more component')}"] if more > 0 else []),
        )

    def _records(self) -> str:
        only = [
            f"{count} only in the {age} table"
            for count, age in ((self.only_old, "old"), (self.only_new, "new"))
            if count
        ]
        common = number_of(self.common, "common epoch") if self.common else "no common epoch"
        return f"{common}, {', '.join(only)}"

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs."""
        return {
            "facts": list(self.facts),
            "records": {"common": self.common, "only_old": self.only_old, "only_new": self.only_new},
            "components": [component.to_json() for component in self.components],
            "not_compared": list(self.not_compared),
            "unit": self.unit,
        }


def table_difference(old: Table, new: Table) -> TableDifference:
    """Compare two tables: their facts, and the values of each component at the epochs that both tables have.

    Periodic angles are compared the short way: 179° and −179° differ by two degrees.
    """
    import numpy as np

    facts = list(_facts(old, new))
    common, first, second = np.intersect1d(old.epoch, new.epoch, return_indices=True)
    records = (len(common), len(old) - len(common), len(new) - len(common))
    before, after = old.take(first), new.take(second)
    missing: list[str] = []
    compared: tuple[ComponentDifference, ...] = ()
    if not len(common):
        missing.append("the values were not compared: the tables have no common epoch")
    elif before.values.shape[1:] != after.values.shape[1:] and not (before.components and after.components):
        missing.append(f"the values were not compared: {_width(before)} → {_width(after)}")
    else:
        facts += _of_axes(before, after)
        compared = tuple(_of_values(before, after, missing))
    return TableDifference(
        tuple(facts), *records, compared, tuple(missing), new.unit if old.unit == new.unit else ""
    )


def _facts(old: Table, new: Table) -> Iterator[str]:
    for name in _FACTS:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield f"{name} {_shown(before)} → {_shown(after)}"
    if old.components != new.components:
        yield f"components {', '.join(old.components) or 'none'} → {', '.join(new.components) or 'none'}"
    if old.values.dtype != new.values.dtype:
        yield f"{old.values.dtype} → {new.values.dtype}"


def _shown(fact: Any) -> str:
    if isinstance(fact, tuple):  # periods, one for each component
        return ", ".join("unknown" if number is None else f"{number:.6g}" for number in fact) or "none"
    return f"'{fact}'"


def _of_axes(old: Table, new: Table) -> Iterator[str]:
    """Describe the differences between the bin axes of two tables with the same epochs."""
    import numpy as np

    for before, after in zip(old.axes, new.axes, strict=True):
        for name in ("label", "unit", "scale"):
            if getattr(before, name) != getattr(after, name):
                yield f"{name} of the bins {_shown(getattr(before, name))} → {_shown(getattr(after, name))}"
        same = before.parts.keys() == after.parts.keys() and all(
            np.array_equal(before.parts[part], after.parts[part], equal_nan=True) for part in before.parts
        )
        if not same:
            yield f"the bins differ{f' ({after.label})' if len(new.axes) > 1 and after.label else ''}"


def _of_values(old: Table, new: Table, missing: list[str]) -> Iterator[ComponentDifference]:
    if not new.components or not old.components:
        yield _of_component("", old, new, old.values, new.values, None)
        return
    for table, others, where in ((old, new, "old"), (new, old, "new")):
        only = [name for name in table.components if name not in others.components]
        if only:
            missing.append(f"{', '.join(only)} not compared: only in the {where} table")
    for index, name in enumerate(new.components):
        if name in old.components:
            old_index = old.components.index(name)
            periods = {_period(old, old_index), _period(new, index)}
            period = periods.pop() if len(periods) == 1 else None
            yield _of_component(name, old, new, old.values[:, old_index], new.values[:, index], period)


def _period(table: Table, index: int) -> float | None:
    return table.periods[index] if table.periods else None


def _of_component(
    name: str,
    old: Table,
    new: Table,
    before: npt.NDArray[np.floating[Any]],
    after: npt.NDArray[np.floating[Any]],
    period: float | None,
) -> ComponentDifference:
    import numpy as np

    if not name and old.periods and old.periods == new.periods:
        period = old.periods[0]
    before, after = before.astype(np.float64), after.astype(np.float64)
    known = ~np.isnan(before), ~np.isnan(after)
    both = known[0] & known[1]
    changed = both & (before != after)
    absolute = relative = None
    if changed.any():
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            apart = np.where(changed, np.abs(after - before), 0.0)
            if period:
                apart = np.minimum(apart % period, period - apart % period)
            parts = np.where(changed & (before != 0), apart / np.abs(before), 0.0)
        absolute = _largest(apart, new)
        if not period and np.any(parts > 0):
            relative = _largest(parts, new)
    return ComponentDifference(
        name,
        int(np.count_nonzero(both)),
        int(np.count_nonzero(changed)),
        absolute,
        relative,
        int(np.count_nonzero(known[0] & ~known[1])),
        int(np.count_nonzero(known[1] & ~known[0])),
    )


def _largest(values: npt.NDArray[np.floating[Any]], table: Table) -> LargestDifference:
    import numpy as np

    position = int(np.nanargmax(values))
    record = position // (values.size // len(values))
    return LargestDifference(float(values.reshape(-1)[position]), epoch_text(table.epoch[record]))


def epoch_text(epoch: np.datetime64) -> str:
    """Write an epoch as text, without zeros at the end.

    >>> import numpy as np
    >>> epoch_text(np.datetime64("2022-01-01T00:10:00.000000000"))
    '2022-01-01T00:10:00'
    """
    text = str(epoch)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(part: float) -> str:
    return f"{100 * part:.3g} %"


def _width(table: Table) -> str:
    wide = table.values.shape[1:]
    if table.components:
        return number_of(len(table.components), "component")
    return f"{' × '.join(map(str, wide))} bins" if wide else "one value for each record"
