"""Chosen components of a vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import StepError
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.periods import known_periods
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(
        like="vector",
        kind="scalar|vector",
        by={"keep": {"one": Result(kind="scalar"), "several": Result(kind="vector")}},
    ),
    synonyms="select_components take_components extract_components pick_components",
)
def components(vector: Annotated[Table, Quantity(kind="vector")], *, keep: list[str]) -> Table:
    """Take components of a vector by name, in the given order.

    Parameters
    ----------
    vector : Table, shape (n, k)
        Components in any unit and frame.
    keep : list of str
        Names of components in exact spelling, each once; or the letters that distinguish the components: ``x``,
        ``y``, ``z`` of ``Bx GSE``, ``By GSE``, ``Bz GSE``, and ``r``, ``t``, ``n``, so that a template does not
        depend on the names in a file.

    Returns
    -------
    Table, shape (n, len(keep)); (n,) for one name
        Values, unit and frame are unchanged. One component alone is a scalar with the component's name.

    Raises
    ------
    StepError
        When a name is not among the components, or is given twice, or none is given.

    References
    ----------
    ISTP Metadata Guidelines, LABL_PTR_1: the names of components. https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html

    Examples
    --------
    Of B_x, B_y and B_z the last one, by its letter:

    >>> from helio.steps.examples import vector
    >>> bz = components(vector([[3.0, 4.0, -5.0]], "nT"), keep=["z"])
    >>> bz.values, bz.name, bz.frame
    (array([-5.]), 'Bz', 'GSE')
    """
    known = ", ".join(vector.components)
    if not vector.components:
        raise StepError(f"'{vector.name}' is a {vector.kind}, so it has no components")
    if not keep:
        raise StepError(
            "'keep' is empty, but must name at least one component",
            advice=f"choose from the components: {known}",
        )
    keep = [vector.component_name(name) or name for name in keep]
    unknown = [name for name in keep if name not in vector.components]
    if unknown:
        raise StepError(
            f"no component is called '{unknown[0]}'", advice=f"choose from the components: {known}"
        )
    if len(set(keep)) != len(keep):
        raise StepError(
            f"'keep' names a component twice: {', '.join(keep)}",
            advice=f"choose from the components: {known}",
        )
    if len(keep) == 1:
        return vector.component(keep[0])
    columns = [vector.components.index(name) for name in keep]
    whole = set(columns[:3]) == {0, 1, 2}
    return replace(
        vector,
        values=np.ascontiguousarray(vector.values[:, columns]),
        components=tuple(keep),
        stated_representation=vector.representation if whole else "none",
        stated_periods=known_periods([vector.periods[column] for column in columns])
        if vector.periods
        else (),
    )
