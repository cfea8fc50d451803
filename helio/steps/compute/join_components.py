"""A vector joined from components that are separate parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import FrameMismatch, StepError
from helio.sources.istp import frame_of, stem_of
from helio.steps.compute.derived import on_one_clock
from helio.steps.compute.lone_component import letter_of
from helio.steps.quantity import Quantity, same_frame, same_unit
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.component_names import axis_letters
from helio.store.periods import known_periods
from helio.store.representation import representation_of
from helio.store.table import Table, merge_sources


@tool(
    version=2,
    context=RECORD,
    gives=Result(unit="{series}", frame="{frame}|{series:last}|?", kind="vector"),
    same=(MatchingTables("unit", ("series",)), MatchingTables("frame", ("series",), after_first=True)),
    synonyms="combine_components merge_components stack_components make_vector",
)
def join_components(
    series: list[Annotated[Table, Quantity(kind="scalar")]],
    *,
    names: list[str],
    frame: str = "",
    name: str = "",
) -> Table:
    """Put series side by side as the components of one vector.

    Parameters
    ----------
    series : list of Table, each of shape (n,)
        In the order of the components, in one unit and on one set of epochs: OMNI's ``BX_GSE``, ``BY_GSM``, ``BZ_GSM``.
    names : list of str
        Names of the components, one for each series: ``["Bx", "By", "Bz"]``.
    frame : str
        Frame of the vector, where the series do not state it: OMNI's B_x is called GSE, and is the same in GSM.
    name : str
        Name of the vector; default: the common part of the names of the components, ``B``.

    Returns
    -------
    Table, shape (n, len(series))
        float64 unless all are float32, in their unit.

    Raises
    ------
    UnitMismatch, FrameMismatch, ClockMismatch
        When the series differ in unit, frame or epochs. Only x of GSE and GSM, which is the same, may be mixed.
    StepError
        When there are fewer than two series, when there are not as many names as series, when two names are equal,
        or when the name of a series says that it is a different component.

    References
    ----------
    OMNIWeb, format of the high-resolution OMNI data: "Bx, nT (GSE, GSM)".

    Examples
    --------
    A vector from OMNI's three series, of which x is the same in GSE and GSM.

    >>> from helio.steps.examples import series
    >>> bx, by, bz = series([3.0], "nT", "Bx"), series([4.0], "nT", "By"), series([-5.0], "nT", "Bz")
    >>> joined = join_components([bx, by, bz], names=["Bx", "By", "Bz"], frame="GSM")
    >>> joined.values, joined.name, joined.frame
    (array([[ 3.,  4., -5.]]), 'B', 'GSM')
    """
    if len(series) < 2:
        raise StepError("a vector has at least two components", advice="name several labels in source_labels")
    if len(names) != len(series) or len(set(names)) != len(names) or not all(map(str.strip, names)):
        raise StepError(
            f"{len(series)} series need {len(series)} different names, but 'names' has: "
            f"{', '.join(names) or 'none'}",
            advice='write names: ["Bx", "By", "Bz"], in the order of source_labels',
        )
    letters = {name: letter for letter, name in axis_letters(tuple(names)).items()}
    for component, name_of_it in zip(series, names, strict=True):
        own_letter, letter = letter_of(component), letters.get(name_of_it, "")
        if {own_letter, letter} <= {"x", "y", "z"} and own_letter != letter:
            raise StepError(
                f"'names' gives '{component.name}' the name {name_of_it}, but its own name says that it is the "
                f"component {own_letter}",
                advice="write 'names' in the same order as 'source_labels'",
            )
    first = series[0]
    for other in series[1:]:
        same_unit(first, other)
    joint = _common_frame(
        series, frame.strip(), next((names.index(key) for key in letters if letters[key] == "x"), 0)
    )
    inputs = on_one_clock(*series)
    return replace(
        first,
        values=np.stack([component.values for component in series], axis=1),
        components=tuple(names),
        stated_representation=representation_of(names, (first.unit,)),
        stated_periods=known_periods(
            [period for component in series for period in component.periods or (None,)]
        ),
        frame=joint,
        name=name.strip() or stem_of(tuple(names)) or "vector",
        description="",
        scale="linear",
        sources=merge_sources(inputs),
        notes=tuple(dict.fromkeys(note for component in inputs for note in component.notes)),
    )


def _common_frame(series: list[Table], stated: str, x: int) -> str:
    """Return the stated frame, otherwise the frame that the series state; `x` is the number of the x component."""
    known = [component.frame or frame_of("", {"LABLAXIS": component.name}) for component in series]
    last = len(known) - 1 if x < len(known) - 1 else 0
    expected = stated or known[last]
    for index, (component, frame) in enumerate(zip(series, known, strict=True)):
        if index == x and {frame.upper(), expected.upper()} == {"GSE", "GSM"}:
            continue
        if stated and frame and frame.casefold() != stated.casefold():
            raise FrameMismatch(
                f"'frame' is {stated}, but '{component.name}' is in {frame}",
                advice=f"choose components in {stated}, or leave out 'frame'",
            )
        if not stated:
            same_frame(series[last], component, (expected, frame))
    return expected
