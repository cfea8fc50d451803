"""Names of physical quantities, as sentences, labels and titles write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from helio.errors import RequestError, did_you_mean
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import ABS_B, ELECTRONS, FAST_ELECTRONS, IONS, POSITION, PROTONS, B
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import N as DENSITY
from helio.knowledge.quantities import T as TEMPERATURE
from helio.knowledge.quantities import V as SPEED

Kind = Literal["vector", "scalar", "spectrum", "index"]


@dataclass(frozen=True)
class QuantityWords:
    """The symbol, the title and the phrases that name one quantity.

    Parameters
    ----------
    symbol : str
        As labels write it.
    kind : str
        An index belongs to the Earth and not to a spacecraft.
    phrases : tuple of str
        As people write it, in the notation of `phrase_pattern`.
    title : str
        As titles write it.
    """

    quantity: str
    symbol: str
    kind: Kind
    phrases: tuple[str, ...]
    title: str

    @property
    def pattern(self) -> str:
        """The regular expression that matches all phrases that name the quantity."""
        return any_phrase(self.phrases)


def _row(quantity: str, symbol: str, kind: Kind, *phrases: str, title: str = "") -> QuantityWords:
    return QuantityWords(quantity, symbol, kind, phrases, title or quantity)


# Where a phrase of one quantity contains one of another, the longer phrase comes first.
WORDS: tuple[QuantityWords, ...] = (
    _row("dynamic pressure", "Pdyn", "scalar", "solar-wind? dynamic/ram/flow pressure", "p_dyn/pdyn",
         "solar-wind pressure"),
    _row("Alfvén Mach number", "MA", "scalar", "alfvén/alfvénic? mach number?", "m_a"),
    _row("Alfvén speed", "VA", "scalar", "alfvén/alfvénic speed/velocity", "v_a"),
    _row("plasma beta", "beta", "scalar", "proton? plasma? beta", "β"),
    _row("clock angle", "clock", "scalar", "imf? clock angle"),
    _row("cone angle", "cone", "scalar", "imf? cone angle"),
    _row(PROTONS, "protons", "spectrum", "energetic proton/ion/particle", "proton/ion flux", "sep",
         "solar energetic particle"),
    _row(FAST_ELECTRONS, "fast_electrons", "spectrum", "energetic electron", "electron flux"),
    _row(IONS, "ions", "spectrum", "ion/proton energy? flux? spectrogram/spectra/spectrum", "ion/proton energy flux"),
    _row(ELECTRONS, "electrons", "spectrum", "electron energy? flux? spectrogram/spectra/spectrum",
         "electron energy flux"),
    _row(ABS_B, "Bmag", "scalar", "magnetic? field strength/magnitude/intensity", "total magnetic? field",
         "bmag/btot/btotal/b_mag/b_tot/b_total", "|b|", "b magnitude", "magnitude of the magnetic? field"),
    _row(B, "B", "vector", "interplanetary? magnetic field vector?", "interplanetary? magneticfield vector?", "b field",
         "bfield", "imf", "mag data?", "b/field vector", "all? three? component of the? magnetic field",
         "all? three? component of the? b", title="magnetic field"),
    _row(DENSITY, "n", "scalar", "proton/ion/plasma/number/solar-wind* density", "n_p/np"),
    _row(TEMPERATURE, "T", "scalar", "proton/ion/plasma/solar-wind* temperature"),
    _row(VELOCITY, "Vvec", "vector", "bulk/flow/plasma/proton/ion/solar-wind* velocity vector?", title="velocity"),
    _row(SPEED, "V", "scalar", "bulk/flow/plasma/proton/solar-wind* speed", "v_sw/vsw"),
    _row("SYM-H", "SYMH", "index", "sym-h/symh/sym_h index?"),
    _row("Dst", "Dst", "index", "dst index?"),
    _row("Kp", "Kp", "index", "kp index?"),
    _row("AE", "AE", "index", "ae index?", "auroral electrojet index?"),
    _row("AL", "AL", "index", "al index", "AL"),
    _row("AU", "AU", "index", "au index", "AU"),
    _row(POSITION, "position", "vector", "position/orbit/ephemeris/trajectory"),
    _row("heliocentric distance", "R", "scalar", "heliocentric/radial distance", "distance from/to the sun"),
)  # fmt: skip
_BY_NAME = {row.quantity: row for row in WORDS}
INDICES = tuple(row.quantity for row in WORDS if row.kind == "index")
VECTORS = tuple(row.quantity for row in WORDS if row.kind == "vector")
SPECTRA = tuple(row.quantity for row in WORDS if row.kind == "spectrum")

# "by" is a word and By a component.
COMPONENTS: tuple[tuple[str, str], ...] = (
    (B, r"(?:imf )?(?:(?-i:B)_?[xyzrtn]|b_?[xz]|b_[xyzrtn])"),
    (VELOCITY, r"v_?[xyzrtn]"),
)


def symbol(quantity: str) -> str:
    """Return the symbol of a quantity, such as B, which labels contain."""
    row = _BY_NAME.get(quantity)
    return row.symbol if row else re.sub(r"\W+", "", quantity)


def title(quantity: str) -> str:
    """Return the name of a quantity, as titles of figures write it."""
    row = _BY_NAME.get(quantity)
    return row.title if row else quantity


def quantity_named(text: str) -> tuple[str, str]:
    """Find the quantity that a name, a symbol or a phrase means, and which component of it, if the text names one.

    >>> quantity_named("Bz"), quantity_named("ram pressure")
    (('magnetic field vector', 'z'), ('dynamic pressure', ''))

    Raises
    ------
    RequestError
        No quantity has this name; the advice gives similar names.
    """
    plain = " ".join(text.split())
    for row in WORDS:
        if plain.casefold() in (row.quantity.casefold(), row.symbol.casefold()):
            return row.quantity, ""
    component = re.fullmatch(r"([bv])_?([xyzrtn])", plain, re.IGNORECASE)
    if component:
        return B if component[1].lower() == "b" else VELOCITY, component[2].lower()
    if plain.casefold() == "field":
        return B, ""
    for row in WORDS:
        if re.fullmatch(row.pattern, plain, re.IGNORECASE):
            return row.quantity, ""
    names = [name for row in WORDS for name in (row.quantity, row.title)]
    raise RequestError(
        f"no quantity is called '{text}'",
        advice=did_you_mean(
            text, names, otherwise=f"choose one of the quantities: {', '.join(row.quantity for row in WORDS)}"
        ),
    )
