"""Find the frame that a parameter's name or description states."""

from __future__ import annotations

import re

FRAMES = ("GSE", "GSM", "RTN", "SM", "GEO", "GEI")
"""Frames that helio's list of quantities uses, or into which a tool can rotate a vector."""
MEANINGS = {
    "GSE": "x from the Earth to the Sun, z to the north pole of the ecliptic",
    "GSM": "x from the Earth to the Sun, the Earth's magnetic dipole in the x–z plane, z towards north",
    "SM": "z along the Earth's magnetic dipole towards north, the Sun in the x–z plane",
    "GEO": "fixed to the Earth: z along its axis of rotation towards north, x through the meridian of Greenwich",
    "GEI": "z along the Earth's axis of rotation towards north, x to the vernal equinox",
    "RTN": "R from the Sun to the spacecraft, T = (the Sun's axis of rotation) × R, N completes the right-handed frame",
    "HEE": "centred at the Sun: x to the Earth, z to the north pole of the ecliptic",
    "HEEQ": "centred at the Sun: z along its axis of rotation, x in its equator to the meridian that faces the Earth",
    "HCI": "centred at the Sun: z along its axis of rotation, x to the ascending node of its equator on the ecliptic",
}
"""What the axes of frames are; Hapgood (1992), Planet. Space Sci. 40, 711; Fränz & Harper (2002), ibid. 50, 217."""
TURNABLE = tuple(frame for frame in FRAMES if frame != "RTN")
"""Frames between which a tool can rotate a vector."""
_WORDS = frozenset({
    "GSE", "GSM", "SM", "GEO", "GEI", "GCI", "J2000", "RTN", "HEEQ", "HCI", "HEE", "MSO", "VSO", "DBCS", "DMPA", "DSL",
    "SSL",
})  # fmt: skip
# Names of variables are also written in small letters: mms1_fgm_b_gse_srvy_l2. `geo` and `sm` are words of their own.
_SMALL = frozenset({"gse", "gsm", "rtn", "heeq", "hci", "dbcs", "dmpa", "dsl", "ssl"})
_SHORTEST = 3
"""Frame names with fewer letters than this are not compared with misspelt names."""
KNOWN_FRAMES = (
    *FRAMES, *sorted(_WORDS), "AGSE", "AGSM", "GSEQ", "HAE", "HGI", "HGRTN", "JSO", "KSM", "KSO", "LMN", "MSM", "SSE",
)  # fmt: skip
_EMBEDDED = re.compile(r"(?<![A-Z]{2})(?:GSE|GSM|RTN)(?![A-Z])")
_STATED = re.compile(rf"\bin (?:the )?({'|'.join(sorted(_WORDS))})\b(?!/)")


def stated_frame(name: str, description: str = "") -> str:
    """Return the frame stated in a name, or if none, in the description; empty unless exactly one frame is stated.

    >>> stated_frame("BGSEc"), stated_frame("mms1_fgm_b_gse_srvy_l2"), stated_frame("BZ_GSM1800")
    ('GSE', 'GSE', 'GSM')
    >>> stated_frame("P_VELS", "Proton velocity in GSE coordinates")
    'GSE'
    >>> stated_frame("gse_to_gsm"), stated_frame("B", "rotated from GSE")
    ('', '')
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    frames = {word.upper() for word in words if word in _WORDS or word in _SMALL} | set(
        _EMBEDDED.findall(name)
    )
    if not frames:
        frames = set(_STATED.findall(description))
    return frames.pop() if len(frames) == 1 else ""


def meant_frame(name: str) -> str:
    """Return the frame that a misspelt name means: one letter too many, or letters in the wrong order; otherwise empty.

    >>> meant_frame("GSEE"), meant_frame("gms"), meant_frame("GSE"), meant_frame("spacecraft")
    ('GSE', 'GSM', '', '')
    """
    word = name.strip().upper()
    if word in KNOWN_FRAMES:
        return ""
    shorter = {word[:index] + word[index + 1 :] for index in range(len(word))}
    return next(
        (
            frame
            for frame in KNOWN_FRAMES
            if len(frame) >= _SHORTEST and (frame in shorter or sorted(frame) == sorted(word))
        ),
        "",
    )
