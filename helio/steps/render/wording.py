"""Texts on a figure: units, axis titles and time ranges, broken into lines of the available width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from helio.knowledge.unit_spelling import pretty_unit
from helio.store.source_file import SourceFile
from helio.store.table import Table

_SUBSCRIPT = re.compile(
    r"((?<!\w)[^\W\d_]{1,2})_([^\W_∥⊥]{0,5}[∥⊥]?(?:×[^\W_])?)(?<!_)(?![\w×])|(?<=⟩)_([^\W_]+)"
)
"""A symbol of one or two letters, or an average, with its subscript: ``V_A``, ``V_E×B``, ``⟨B_r⟩_10min``."""

_FORMULA = re.compile(r"\$([^\s$\\]+)\$(?!\w)")
"""A formula of TeX without commands: ``$n_p$``."""

_EXPONENT = re.compile(r"(?<=\w)\^(?:\{([-−]?\d+)\}|([-−]?\d+))")

FONT_FAMILY = "DejaVu Sans, Verdana, Arial, sans-serif"
"""DejaVu Sans is first, because it has every superscript, and browsers on Linux have it."""

_COMPONENT = re.compile(r"([A-Z])_?[xyzrtnXYZRTN]((?: \S+)?)")
"""Name of a component of a vector, perhaps with its frame: ``Bx GSE``, ``B_R``."""


def inert(text: str) -> str:
    """Escape characters that plotly would read as markup, in texts from data or files."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quantity(table: Table, fallback: str) -> str:
    """Return the name of a table's quantity with its frame: ``B GSE``."""
    name = table.name or fallback
    if table.frame and table.frame.lower() not in name.lower():
        name = f"{name} {table.frame}"
    return name


def unaveraged(name: str) -> str:
    """Return the name of the quantity of which a name is a running average: ``Bz GSE`` for ``⟨Bz⟩_10min GSE``."""
    return re.sub(r"(?:med)?⟨(.+)⟩_\w+", r"\1", name)


def as_axis(names: Sequence[str]) -> list[str]:
    """Return the names of an axis with several lines: a vector for its components, without averages of what is there.

    >>> as_axis(["Bx GSE", "Bz GSE"]), as_axis(["Bx GSE", "Bx GSM"]), as_axis(["Bz"])
    (['B GSE'], ['Bx GSE', 'Bx GSM'], ['Bz'])
    >>> as_axis(["⟨Bz⟩_1h"]), as_axis(["Bz", "⟨Bz⟩_1h"]), as_axis(["Bx GSE", "⟨Bz⟩_1h GSE", "|B|"])
    (['⟨Bz⟩_1h'], ['Bz'], ['B GSE'])
    """
    if len(names) < 2:
        return [*names]
    names = list(dict.fromkeys(unaveraged(name) for name in names))
    parts = [part for name in names if (part := _COMPONENT.fullmatch(name))]
    vectors = {f"{part[1]}{part[2]}" for part in parts}
    magnitudes = {f"|{part[1]}|" for part in parts}
    is_vector = len(parts) > 1 and len(vectors) == 1 and len(parts) + len(magnitudes & {*names}) == len(names)
    return [*vectors] if is_vector else names


def typeset(text: str) -> str:
    """Lower the subscripts of symbols, behind an underscore, and raise exponents; leave other names as they are.

    >>> typeset("V_A, ⟨Bz⟩_10min [nT]"), typeset("V_E×B, |B_R| and T_∥ in AC_H2_MFI")
    ('V<sub>A</sub>, ⟨Bz⟩<sub>10min</sub> [nT]', 'V<sub>E×B</sub>, |B<sub>R</sub>| and T<sub>∥</sub> in AC_H2_MFI')
    >>> typeset("N_p [cm^-3]"), typeset("V (km s^{-1})")
    ('N<sub>p</sub> [cm<sup>−3</sup>]', 'V (km s<sup>−1</sup>)')
    >>> typeset("med⟨B_r⟩_1h RTN, $n_{p}$")
    'med⟨B<sub>r</sub>⟩<sub>1h</sub> RTN, n<sub>p</sub>'
    """
    plain = _FORMULA.sub(lambda formula: re.sub(r"_\{(\w+)\}", r"_\1", formula[1]), text)
    lowered = _SUBSCRIPT.sub(lambda match: f"{match[1] or ''}<sub>{match[2] or match[3]}</sub>", plain)
    return _EXPONENT.sub(lambda match: f"<sup>{(match[1] or match[2]).replace('-', '−')}</sup>", lowered)


def bracketed(unit: str) -> str:
    """Write a unit in brackets, ``[nT]``; return an empty text if there is no unit."""
    return f"[{pretty_unit(unit)}]" if unit.strip() else ""


def text_width(text: str, font: float) -> float:
    """Estimate the width of a text in pixels; the characters of DejaVu Sans are 0.6 em wide on average."""
    return 0.6 * font * len(text)


def wrap(text: str, room: float, font: float, lines: int) -> list[str]:
    """Break a text at spaces into at most `lines` lines of `room` pixels; an ellipsis marks text that does not fit."""
    letters = max(4, int(room / (0.6 * font)))
    wrapped: list[str] = []
    for word in re.split(r"\s+", text.strip()):
        if wrapped and len(wrapped[-1]) + 1 + len(word) <= letters:
            wrapped[-1] += " " + word
            continue
        while len(word) > letters and len(wrapped) < lines - 1:
            # Words of files have no spaces: mms1_dis_numberdensity_fast breaks at an underscore.
            cut = word.rfind("_", 1, letters) + 1 or letters
            wrapped.append(word[:cut])
            word = word[cut:]
        wrapped.append(word)
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], " ".join(wrapped[lines - 1 :])]
    return [line if len(line) <= letters else line[: letters - 1] + "…" for line in wrapped]


def axis_title(name: str, unit: str, room: float, font: float) -> dict[str, Any]:
    """Return plotly's text and font of an axis title ``B GSE [nT]``, on two lines if it is wider than `room`.

    Letters shrink to 0.65 of `font` before anything is broken further or cut.
    """
    brackets = bracketed(unit)
    title = f"{name} {brackets}".strip()
    if text_width(title, font) <= room:
        return {"text": inert(title), "font": {"size": font}}
    parts = [part for part in (name, brackets) if part]
    small = round(max(0.65 * font, min(font, room / (0.6 * max(map(len, parts))))), 1)
    lines = [line for part in parts for line in wrap(part, room, small, 2)]
    return {"text": "<br>".join(inert(line) for line in lines), "font": {"size": small}}


def written_range(start: datetime, stop: datetime) -> str:
    """Write a time range as ``2021-10-28 00:00 – 10-29 00:00 UT``, with seconds only if they are not zero."""
    if start.microsecond or stop.microsecond:
        clock, digits = "%H:%M:%S.%f", -3
    elif start.second or stop.second:
        clock, digits = "%H:%M:%S", None
    else:
        clock, digits = "%H:%M", None
    first = f"{start:%Y-%m-%d} {start.strftime(clock)[:digits]}"
    last = stop.strftime(clock)[:digits]
    if stop.date() != start.date():
        day = f"{stop:%m-%d}" if stop.year == start.year else f"{stop:%Y-%m-%d}"
        last = f"{day} {last}"
    return f"{first} – {last} UT"


def cited_sources(sources: Sequence[SourceFile]) -> str:
    """Write datasets, versions and providers in a list: ``STA_L1_HET v01, PSP_FLD_L2_MAG_RTN_1MIN v02 (CDAWeb)``."""
    served: dict[str, dict[str, list[str]]] = {}
    for source in sources:
        versions = served.setdefault(source.provider, {}).setdefault(source.dataset_id, [])
        if source.version and source.version not in versions:
            versions.append(source.version)
    parts = []
    for provider, datasets in served.items():
        listed = ", ".join(f"{name} {_versions(versions)}".strip() for name, versions in datasets.items())
        parts.append(f"{listed} ({provider})" if provider else listed)
    return "; ".join(parts)


def _versions(versions: Sequence[str]) -> str:
    if not versions:
        return ""
    ordered = sorted(versions, key=lambda text: [int(part) for part in re.findall(r"\d+", text)])
    named = [text if text.startswith(("v", "V")) else f"v{text}" for text in ordered]
    return named[0] if len(named) == 1 else f"{named[0]}–{named[-1]}"
