"""The name and description of a vector after a rotation into another frame."""

from __future__ import annotations

import re
from typing import TypedDict

from helio.store.table import Table

_SPELT_OUT = {
    "GSE": r"geocentric[ -]solar[ -]ecliptic",
    "GSM": r"geocentric[ -]solar[ -](?:magnetospheric|magnetic)",
    "SM": r"solar[ -]magnetic",
    "GEO": r"geographic",
    "GEI": r"geocentric[ -]equatorial[ -]inertial",
    "RTN": r"radial[ -]tangential[ -]normal",
}
# Frames whose letters stand for nothing else, also inside a name: `UceGSE`, `BGSEc`.
_PLAIN = frozenset({"GSE", "GSM", "RTN", "HEEQ", "HCI", "J2000", "GEI", "GCI", "VSO", "DMPA", "DBCS", "DSL"})


class Words(TypedDict):
    """The name and description of a table."""

    name: str
    description: str


def words_in_frame(vector: Table, frame: str) -> Words:
    """Replace the old frame by the new frame in the name and description of a vector.

    Files write the frame into both: ``Magnetic field vector in GSE cartesian coordinates``, which is wrong for the
    rotated vector.
    """
    return {
        "name": _in_frame(vector.name, vector.frame, frame),
        "description": _in_frame(vector.description, vector.frame, frame),
    }


def _in_frame(text: str, old: str, new: str) -> str:
    if not old.strip() or old.upper() == new.upper():
        return text
    short = re.escape(old.upper())
    spelt = _SPELT_OUT.get(old.upper())
    if spelt:
        text = re.sub(rf"\b{spelt}\b(?:\s*\({short}\))?", new, text, flags=re.IGNORECASE)
    word = rf"(?<![A-Za-z0-9]){short}(?![A-Za-z0-9])"
    if old.upper() in _PLAIN:
        text = re.sub(short, new, text)
    return re.sub(
        word,
        lambda match: new.lower() if match[0].islower() else new,
        text,
        flags=re.IGNORECASE if len(old) > 2 else 0,
    )
