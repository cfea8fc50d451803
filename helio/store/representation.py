"""Representation of a table's components: a Cartesian vector, spherical coordinates or a diagonal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from helio.store.component_names import TRIPLES, alike, differing
from helio.store.periods import is_angle_unit

Representation = Literal["", "cartesian", "spherical", "cylindrical", "diagonal", "none"]
"""How components describe a vector or tensor; an empty text if this is not known.

- ``cartesian``: along three orthogonal unit vectors, in one unit: x, y, z; R, T, N; the B_r, B_θ, B_φ of a field.
- ``spherical``: a length and two angles. ``cylindrical``: a radius, an angle and a height.
- ``diagonal``: the diagonal of a tensor, such as a temperature along three axes.
- ``none``: values that form no vector: fluxes in bands, statistics, errors.
"""
STATED: tuple[Representation, ...] = ("cartesian", "spherical", "cylindrical", "diagonal", "none")

_NUMBERED = frozenset("123")
_SPHERICAL = frozenset({"r", "theta", "phi"})
_LENGTHS = frozenset({"r", "rho", "radius", "distance", "altitude", "alt", "magnitude", "speed", "total"})
_LATITUDES = frozenset({"latitude", "lat", "colatitude", "colat", "theta", "elevation"})
_LONGITUDES = frozenset(
    {"longitude", "lon", "long", "longitude0", "longitude180", "phi", "azimuth", "lambda"}
)
_AXIS_SETS = frozenset(map(frozenset, TRIPLES)) - {_NUMBERED, _SPHERICAL}
_ALIGNED = (frozenset({"ar", "erp1", "erp2"}), frozenset({"arallel", "erp1", "erp2"}))
"""Endings of the names of components along and across a field, after a common first letter: ``par``, ``perp1``."""
_AXIS_WORDS = (
    frozenset({"radial", "tangential", "normal"}),
    frozenset({"north", "east", "down"}),
    frozenset({"north", "east", "vertical"}),
    frozenset({"east", "north", "up"}),
)
_FRAME_BEHIND = re.compile(r"[\s_\-(]+(?:gse|gsm|sm|geo|gei|gci|rtn|hci|heeq|hee|j2000|dsl|dmpa)\)?$")
_PAIRS = tuple(frozenset(letter * 2 for letter in axes) for axes in ("xyz", "rtn", "lmn"))

_SHORT: dict[str, Representation] = {
    "xyz": "cartesian",
    "rtp": "spherical",
    "rlp": "spherical",
    "rpz": "cylindrical",
}
_SHORT_WORD = re.compile(r"(?<![a-z])(xyz|rtp|rlp|rpz)(?![a-z])")
_IN_WORDS = re.compile(r"\bcartesian\b|\bx, ?y,? ?(?:and )?z\b|\bxyz\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:angular|spherical|polar|cylindrical) coord|\b(?:not|non|no)\b.{0,20}(?:cartesian|xyz|x, ?y)|non-?cartesian",
    re.IGNORECASE,
)
_STATISTIC = re.compile(
    r"^\W*(?:the )?(?:rms|variances?|std|sigma|errors?|uncertaint(?:y|ies)|minim(?:um|a)(?! variance)|maxim(?:um|a))\b"
    r"|\broot mean square\b|\bstandard deviations?\b|\bvariance of\b",
    re.IGNORECASE,
)
"""Pattern of descriptions that name a statistic or an error, but not of ``velocity (with error bars)``."""
_DENSITY_UNIT = re.compile(
    r"(?:[#N]?/|1/)(?:cc|[ckm]?m\^?3)|(?:#|N)?(?:cc|[ckm]?m\^?)-3|[ckm]?m\^-3", re.IGNORECASE
)
_ANGLE = re.compile(
    r"lat(?:itude)?\b|lon(?:g|gitude)?\b|azim|elev|theta|phi\b|angle|colat|polar", re.IGNORECASE
)
SPREAD = re.compile(
    r"(?:^|[\s_(\-])(?:std|sd|min|max|rms|err|errors?|sigma|unc|uncertainty|deviation)(?:$|[\s_)\-])",
    re.IGNORECASE,
)
"""Pattern of names of a component's statistic or error, which has no direction: ``Bx std``, ``Vx_err``."""

_TENSOR_UNIT = re.compile(r"[kMG]?eV|[kM]?K|deg ?K|[kMGnpµu]?Pa|dyn\w*/cm\^?2|erg/(?:cc|cm\^?3)|J/m\^?3")
_TENSOR_WORDS = re.compile(r"temperature|pressure|thermal (?:speed|velocity)", re.IGNORECASE)
_THERMAL = re.compile(r"thermal (?:speed|velocity)", re.IGNORECASE)
_ENERGY = re.compile(r"\b[kMG]?eV\b")


def representation_of(
    labels: Sequence[str], units: Sequence[str] = (), *, declared: Sequence[str] = (), description: str = ""
) -> Representation:
    """Find the representation of three components, with or without their magnitude, from the facts in a file.

    Declarations come first, then labels, then units; if they contradict each other, the result is unknown. The name
    of a frame is no evidence: GSE has spherical coordinates too.

    Parameters
    ----------
    labels : sequence of str
        Names of the components; numbers (``1``, ``2``, ``3``) or nothing where a file has none.
    units : sequence of str
        One for all of them, or one each.
    declared : sequence of str
        ISTP's REPRESENTATION_1 or HAPI's ``vectorComponents``, one text for each component or one for all:
        ``["r", "colatitude", "longitude"]``, ``["Rep_xyz_gsm"]``.
    description : str
        The word ``Cartesian`` in it declares a vector; words for a temperature or a pressure exclude it.

    Examples
    --------
    >>> representation_of(("Bx GSE", "By GSE", "Bz GSE"), ("nT",))
    'cartesian'
    >>> representation_of(("speed", "theta", "phi"), ("km/s", "deg", "deg"))
    'spherical'
    >>> representation_of(("H+", "He+", "O+"), ("cm^-3",), description="number densities in GSE")
    'none'
    """
    count = len(labels)
    if count not in (3, 4):
        return ""
    names = tuple(" ".join(label.split()) for label in labels[:3])
    single = units[0].strip() if len({unit.strip() for unit in units}) == 1 else ""
    by_units = _by_units(units[:3]) if len(units) == count else ""
    by_labels = _by_labels(names, single, description)
    by_declaration = _by_declaration(declared, count)
    statistic = _STATISTIC.search(description) is not None or all(SPREAD.search(name) for name in names)
    if statistic or _DENSITY_UNIT.fullmatch(single):
        return "none"
    if _tensor(names, single, description) and "cartesian" in (by_declaration, by_labels):
        return "diagonal"
    if by_declaration:
        angles_named = by_labels in ("spherical", "cylindrical")
        if by_declaration == "cartesian" and (by_units or angles_named or is_angle_unit(single)):
            return by_units if by_units in ("spherical", "cylindrical") else ""
        return by_declaration
    if by_units and by_labels not in ("", by_units):
        return "" if by_labels == "cartesian" else by_units
    representation = by_labels or by_units
    # A description counts only where labels and units say nothing.
    unlabelled = not any(name and not name.isdigit() for name in names)
    if (
        not representation
        and unlabelled
        and not is_angle_unit(single)
        and not _tensor(names, single, description)
    ):
        return "cartesian" if _IN_WORDS.search(description) and not _OTHERWISE.search(description) else ""
    return representation


def declaring_words(components: Sequence[str], representation: Representation) -> tuple[str, ...]:
    """Return a word for each component; in a file that helio writes, these words state the representation.

    ISTP's REPRESENTATION_1 and HAPI's vectorComponents do it like that.

    Returns
    -------
    tuple of str
        Empty where the order of the components is unknown, or these standards have no words for it.

    Examples
    --------
    >>> declaring_words(("Bx GSE", "By GSE", "Bz GSE", "B"), "cartesian")
    ('x', 'y', 'z', 'magnitude')
    >>> declaring_words(("V_r", "V_theta", "V_phi"), "spherical")
    ('r', 'theta', 'phi')
    >>> declaring_words(("Tpar", "Tperp1", "Tperp2"), "diagonal")
    ()
    """
    if len(components) not in (3, 4) or representation not in ("cartesian", "spherical", "cylindrical"):
        return ()
    names = tuple(" ".join(name.split()).casefold() for name in components[:3])
    letters = [_FRAME_BEHIND.sub("", letter) for letter in differing(names)]
    words = next(
        (
            names_or_letters
            for names_or_letters in (names, letters)
            if _by_words(names_or_letters) == representation
        ),
        None,
    )
    if words is None and representation == "cartesian":
        words = ("x", "y", "z")
    return () if words is None else (*words, *(["magnitude"] if len(components) == 4 else []))


def _by_declaration(declared: Sequence[str], count: int) -> Representation:
    words = [text.strip().casefold() for text in declared if text.strip()]
    if len(words) == 1:
        short = _SHORT_WORD.search(words[0].replace("_", " "))
        return _SHORT[short[1]] if short else next((stated for stated in STATED if words[0] == stated), "")
    if len(words) not in (3, count):
        return ""
    return _by_words(words[:3])


def _by_words(words: Sequence[str]) -> Representation:
    """Find the representation from names of coordinates: x, y, z; r, colatitude, longitude; north, east, down."""
    chosen = frozenset(words)
    if chosen in _AXIS_SETS or chosen in _AXIS_WORDS:
        return "cartesian"
    lengths, latitudes, longitudes = (len(chosen & known) for known in (_LENGTHS, _LATITUDES, _LONGITUDES))
    if lengths == latitudes == longitudes == 1:
        return "spherical"
    if lengths == longitudes == 1 and "z" in chosen:
        return "cylindrical"
    return ""


def _by_labels(names: tuple[str, ...], unit: str, description: str) -> Representation:
    if all(_ENERGY.search(name) for name in names):
        return "none"
    letters = [_FRAME_BEHIND.sub("", letter) for letter in differing(names)]
    plain = _by_words([name.casefold() for name in names])
    if frozenset(letters) in _PAIRS or (_tensor(names, unit, description) and frozenset(letters) in _ALIGNED):
        return "diagonal"
    if plain in ("spherical", "cylindrical"):
        return plain
    last = frozenset(_last_words(names))
    if plain == "cartesian" or frozenset(letters) in _AXIS_SETS or last in _AXIS_SETS or last in _AXIS_WORDS:
        return "" if is_angle_unit(unit) else "cartesian"
    if any(_ANGLE.search(name) for name in names):
        # a field has components along r, θ and φ, each in the unit of the field: Br, Btheta, Bphi
        stem = alike([name.casefold() for name in names]) > 0
        local = _by_words(letters) in ("spherical", "cylindrical") and letters[0] in ("r", "rho")
        if local and stem and unit and not is_angle_unit(unit):
            return "cartesian"
        lengths = [name for name in names if not _ANGLE.search(name)]
        return "spherical" if len(lengths) == 1 else ""
    return ""


def _by_units(units: Sequence[str]) -> Representation:
    """Find the representation from units that differ: with angles spherical or cylindrical, otherwise no vector."""
    if len({unit.strip() for unit in units}) < 2:
        return ""
    angles = sum(is_angle_unit(unit) for unit in units)
    others = {unit.strip() for unit in units if not is_angle_unit(unit)}
    if len(others) == 1 and angles in (1, 2):
        return "spherical" if angles == 2 else "cylindrical"
    return "none"


def _tensor(names: tuple[str, ...], unit: str, description: str) -> bool:
    """Return whether components are of a temperature, a pressure or a thermal speed, which form no vector."""
    words = _THERMAL if unit else _TENSOR_WORDS
    return (
        _TENSOR_UNIT.fullmatch(unit) is not None or words.search(" ".join((*names, description))) is not None
    )


def _last_words(names: Sequence[str]) -> list[str]:
    return [name.casefold().split(" ")[-1] if " " in name else "" for name in names]
