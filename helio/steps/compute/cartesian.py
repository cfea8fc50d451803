"""The three Cartesian components of a vector, and the length of a vector."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.lone_component import hold_length
from helio.steps.compute.possible import not_negative
from helio.store.component_names import TRIPLES, alike, differing
from helio.store.representation import SPREAD
from helio.store.table import Table

Values = npt.NDArray[np.float64]

BLOCK = 16384
"""Number of records computed at a time, so that intermediate results stay in the processor's cache."""

# What files call the magnitude they carry beside a vector: MMS `Bt` and `R`, others `|B|`, `B total`,
# `Magnitude`.
_MAGNITUDE = re.compile(r"\|.*\||R|[A-Z]_?(?:t|tot|total|mag)|.*\b(?:total|magnitude)\b.*", re.IGNORECASE)


def cartesian(vector: Table, what: str, *, spreads: bool = False) -> Values:
    """Return the three Cartesian components of a vector, as float64 of shape (n, 3); callers must not change the array.

    The components are in the order x, y, z or R, T, N, whatever the order of the table's columns.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Components that are known to be Cartesian. A fourth component is left out if its name says that it is the
        magnitude (``|B|``, ``Bt``, ``R``).
    what : str
        What needs the components, for the error message: ``"a magnitude"``.
    spreads : bool
        Whether to accept standard deviations and extremes of components, which are not the components of one vector.

    Raises
    ------
    StepError
        When the table does not have three components, or they are not known to be Cartesian: a speed and two angles,
        fluxes in three bands.
    """
    names = cartesian_names(vector, what, spreads=spreads)
    values = vector.values[:, :3]
    if names != vector.components[:3]:
        values = values[:, [vector.components.index(name) for name in names]]
    return values.astype(np.float64, copy=False)


def cartesian_names(vector: Table, what: str, *, spreads: bool = False) -> tuple[str, str, str]:
    """Return the names of the components in the order x, y, z; raise the same errors as the function `cartesian`."""
    names = vector.components
    if not names:
        raise StepError(
            f"{what} needs a vector, but '{vector.name}' is a {vector.kind}",
            advice="choose a parameter with three components",
        )
    if len(names) != 3 and not (len(names) == 4 and _MAGNITUDE.fullmatch(names[3].strip())):
        raise StepError(
            f"{what} needs three components, but '{vector.name}' has {len(names)}: {', '.join(names)}",
            advice="first use the tool 'components' to take three of them"
            if len(names) > 3
            else "first join three components, with the tool join_components",
        )
    if vector.representation != "cartesian" and not (spreads and _are_spreads(names[:3])):
        raise _not_cartesian(vector, what)
    return _in_order(names[0], names[1], names[2])


def length_of(table: Table, what: str) -> Values:
    """Return the values of a series, or the lengths of a vector, as float64: for instance speeds or field strengths.

    Returns
    -------
    array, shape (n,)
        Never negative. NaN where the table has NaN, where a series is negative, and where anything is infinite.

    Raises
    ------
    StepError
        When the table is a single component of a vector, or is not a vector.
    """
    if table.kind == "scalar":
        hold_length(table, what)
        return not_negative(table)
    x, y, z = cartesian(table, what).T
    total: Values = x * x
    total += y * y
    total += z * z
    np.sqrt(total, out=total)
    total[np.isinf(total)] = np.nan
    return total


def along_axes(values: Values, axes: Values) -> Values:
    """Project vectors of shape (n, 3) onto three axes, the rows of `axes`.

    Each record is computed alone, with additions in a fixed order. The last digits of a matrix product would depend
    on the machine, on the threads and on the other records.
    """
    turned = np.empty((len(values), 3))
    sums, product = np.empty(BLOCK), np.empty(BLOCK)
    for first in range(0, len(values), BLOCK):
        x, y, z = np.ascontiguousarray(values[first : first + BLOCK].T)
        total, part = sums[: len(x)], product[: len(x)]
        for column, (along_x, along_y, along_z) in enumerate(axes.tolist()):
            np.multiply(x, along_x, out=total)
            np.multiply(y, along_y, out=part)
            total += part
            np.multiply(z, along_z, out=part)
            total += part
            turned[first : first + BLOCK, column] = total
    return turned


def renamed(names: tuple[str, ...], letters: tuple[str, str, str]) -> tuple[str, str, str]:
    """Rename the components of a rotated vector after its new axes: ``Bx`` becomes ``B_L``, ``B_T`` becomes ``By``."""
    begin = alike([name.strip() for name in names])
    stem = names[0].strip()[:begin].rstrip("_ ")
    if not stem:
        return letters
    joint = "" if letters == ("x", "y", "z") else "_"
    return f"{stem}{joint}{letters[0]}", f"{stem}{joint}{letters[1]}", f"{stem}{joint}{letters[2]}"


def _in_order(*names: str) -> tuple[str, str, str]:
    """Put names of components in the order x, y, z of their letters; leave names without these letters as they are."""
    letters = differing(names)
    # `z`, `y`, `x_gse` differ in more than letters, and yet begin with them
    for known in (letters, [letter[:1] for letter in letters]):
        order = TRIPLES.get(frozenset(known))
        if order is not None and (known is letters or order in (("x", "y", "z"), ("r", "t", "n"))):
            first, second, third = (names[known.index(letter)] for letter in order)
            return first, second, third
    return names[0], names[1], names[2]


def _are_spreads(names: tuple[str, ...]) -> bool:
    """Return whether three series are the same statistic of components: ``Bx std``, ``By std``, ``Bz std``."""
    return all(SPREAD.search(name) for name in names) and frozenset(differing(names)) in TRIPLES


def _not_cartesian(vector: Table, what: str) -> StepError:
    names = ", ".join(vector.components[:3])
    if vector.representation:
        known = (
            "are not the components of one vector"
            if vector.representation == "none"
            else f"are {vector.representation}"
        )
        return StepError(
            f"{what} needs Cartesian components, but the components of '{vector.name}' ({names}) {known}",
            advice="choose a parameter with Cartesian components: x, y, z or R, T, N",
        )
    return StepError(
        f"{what} needs Cartesian components, but the file does not say whether the components of "
        f"'{vector.name}' ({names}) are Cartesian",
        advice="if they are Cartesian, declare this first, with the tool declare_quantity: "
        'representation "cartesian"',
    )
