"""Names of vector components, and the letters that distinguish them."""

from __future__ import annotations

# Letters that distinguish components of a Cartesian vector, in the order of a right-handed vector: x, y, z; R, T, N;
# boundary-normal L, M, N; north, east and centre or down, also as H, E, Z; east, north, up; unit vectors; local
# spherical ones; numbers.
TRIPLES = {
    frozenset(triple.split()): tuple(triple.split())
    for triple in (
        "x y z",
        "r t n",
        "l m n",
        "n e c",
        "n e d",
        "n e z",
        "h e z",
        "e n u",
        "i j k",
        "u v w",
        "r theta phi",
        "1 2 3",
    )
}
"""Usual names of three components, by the set of the letters that distinguish them."""


def axis_letters(names: tuple[str, ...]) -> dict[str, str]:
    """Map letters such as x, y, z to the names of the Cartesian components; return an empty dict if no letters fit.

    >>> axis_letters(("Bx GSE", "By GSE", "Bz GSE", "B total"))
    {'x': 'Bx GSE', 'y': 'By GSE', 'z': 'Bz GSE'}
    >>> axis_letters(("P1", "P7"))
    {}
    """
    if len(names) not in (3, 4):
        return {}
    letters = differing(names[:3])
    return dict(zip(letters, names[:3], strict=True)) if frozenset(letters) in TRIPLES else {}


def differing(names: tuple[str, ...]) -> list[str]:
    """Return the names without the beginning and the end that all names have in common.

    >>> differing(("Vx_err", "Vy_err", "Vz_err"))
    ['x', 'y', 'z']
    """
    folded = [name.strip().casefold() for name in names]
    begin = alike(folded)
    end = alike([name[begin:][::-1] for name in folded])
    return [name[begin : len(name) - end] for name in folded]


def alike(names: list[str]) -> int:
    """Return the number of letters with which all names begin in the same way."""
    columns = enumerate(zip(*names, strict=False))
    return next((index for index, letters in columns if len(set(letters)) > 1), min(map(len, names)))
