"""Normalise the words of titles, ids and questions: plurals, spellings and synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

# What means the same thing: a concept, and every phrase that the field uses for it. In a question a phrase stands for
# its concept; in a title it adds the concept. Written in the form that `tokens` gives: no plurals, no hyphens.
CONCEPTS: dict[str, tuple[str, ...]] = {
    "magneticfield": (
        "magnetic field",
        "b field",
        "bfield",
        "imf",
        "interplanetary magnetic field",
        "fluxgate magnetometer",
        "flux gate magnetometer",
        "fluxgate",
        "magnetometer",
        "dc magnetic field",
        "magnetic field vector",
        "magnetic vector",
        "b vector",
    ),
    "searchcoil": ("search coil", "search coil magnetometer", "searchcoil", "scm", "ac magnetic field"),
    "electricfield": ("electric field", "e field", "efield", "dce", "dc electric field"),
    "plasma": ("plasma", "plasma moment", "bulk parameter", "solar wind plasma", "thermal plasma"),
    "moment": ("moment", "mom", "bulk velocity", "bulk speed"),
    "energetic": (
        "energetic particle",
        "energetic",
        "sep",
        "solar energetic particle",
        "suprathermal",
        "high energy particle",
    ),
    "relativistic": ("relativistic electron", "relativistic", "ultrarelativistic", "mev electron", "killer electron"),
    "energyspectrum": (
        "energy spectrogram",
        "energy flux",
        "eflux",
        "energy time spectrogram",
        "energy spectra",
        "energy spectrum",
        "differential energy flux",
        "def",
    ),
    "spectrum": ("spectrogram", "spectra", "spectrum", "spectral", "power spectra", "dynamic spectrum", "psd", "spec"),
    "wave": ("wave", "chorus", "hiss", "whistler", "plasma wave", "emic"),
    "spectralmatrix": ("spectral matrix",),
    "radio": ("radio", "type iii", "type ii", "radio burst"),
    "waveform": ("waveform", "wave form"),
    "thermalnoise": ("quasi thermal noise", "qtn", "sqtn", "thermal noise"),
    "position": ("position", "orbit", "ephemeris", "ephemeri", "trajectory", "location", "ephermi",
        "heliocentric distance"),
    "attitude": ("attitude",),
    "proton": ("proton",),
    "ion": ("ion",),
    "electron": ("electron",),
    "alpha": ("alpha", "helium", "he++"),
    "composition": ("composition", "charge state", "q state", "heavy ion", "elemental"),
    "cosmicray": ("cosmic ray", "gcr"),
    "density": ("density", "number density", "np", "dens"),
    "temperature": ("temperature", "temp", "thermal speed"),
    "velocity": ("velocity", "speed", "flow speed", "vel"),
    "pressure": ("dynamic pressure", "ram pressure", "flow pressure", "pressure"),
    "pitchangle": ("pitch angle", "pitch angle distribution", "pad", "strahl"),
    "anisotropy": ("anisotropy", "anisotropic"),
    "spectrometer": ("spectrometer",),
    "electrostaticanalyzer": ("electrostatic analyzer", "electrostatic analyser", "esa"),
    "solidstatetelescope": ("solid state telescope", "sst"),
    "faradaycup": ("faraday cup", "fc"),
    "symh": ("sym h", "symh", "sym h index"),
    "asyh": ("asy h", "asyh"),
    "dst": ("dst", "dst index", "storm index", "ring current index"),
    "kp": ("kp", "kp index", "planetary index"),
    "ae": ("ae", "ae index", "auroral electrojet", "auroral electrojet index", "electrojet"),
    "f107": ("f10", "f107", "f10 7", "solar radio flux", "f10 index"),
    "burst": ("burst", "brst", "burst mode"),
    "survey": ("survey", "srvy", "surv"),
    "fast": ("fast", "fast survey"),
    "slow": ("slow",),
    "normal": ("normal", "normal mode"),
    "keyparameter": ("key parameter", "k0", "quicklook", "quick look"),
    "preliminary": ("preliminary", "prelim", "real time", "realtime"),
    "lowlatency": ("low latency", "ll02", "ll"),
    "level1": ("level 1", "l1", "level1", "level l1"),
    "level2": ("level 2", "l2", "level2", "level l2"),
    "level3": ("level 3", "l3", "level3", "level l3"),
    "highresolution": ("high resolution", "hires", "high res", "hi res", "full resolution", "full cadence",
        "highest cadence"),
    "spinresolution": ("spin resolution", "spin", "spin averaged", "spin fit"),
    "merged": ("merged", "combined"),
    "sunward": ("sunward", "sun", "sun direction"),
    "antisunward": ("antisunward", "anti sunward", "asun", "anti sun"),
    "airglow": ("airglow", "nightglow"),
    "aurora": ("aurora", "auroral"),
    "xray": ("x ray", "xray"),
    "image": ("image", "imager", "imaging", "camera"),
    "bowshocknose": ("bow shock", "bow shock nose", "nose", "time shifted", "nose of the earth bow shock"),
    "groundmagnetometer": ("ground magnetometer", "ground based magnetometer", "ground based vector magnetic field"),
    "highenergytelescope": ("high energy telescope", "het"),
    "solarwind": ("solar wind", "sw", "interplanetary"),
    "spacecraftpotential": ("spacecraft potential", "scpot", "sc potential"),
    "dust": ("dust", "dust impact"),
    "geosynchronous": ("geosynchronous", "geostationary"),
    "ionosphere": ("ionosphere", "ionospheric"),
    "neutralatom": ("energetic neutral atom", "ena"),
}  # fmt: skip

# Where something is measured rather than what: a magnetometer's title does not say that it is in the solar wind.
CONTEXT = frozenset({"solarwind", "ionosphere", "geosynchronous"})

# Instruments by what they measure: a dataset of one is about the concept, also where its title is silent.
MEASURES: dict[str, str] = {
    **dict.fromkeys(("MFI", "MAG", "FGM", "VHM", "MGF", "IMPACT MAG", "FIELDS MAG", "MFE", "FGS"), "magneticfield"),
    **dict.fromkeys(("SSM", "FGL"), "magneticfield"),
    **dict.fromkeys(("SWEPAM", "SWE", "SWA-PAS", "SWEAP SPC", "SWOOPS", "FC", "PLASTIC"), "plasma solarwind proton"),
    **dict.fromkeys(("SWEAP SPAN-I",), "plasma solarwind ion"),
    **dict.fromkeys(("SWA-EAS", "SWEA", "SWEAP SPAN-E", "IMPACT SWEA"), "plasma electron"),
    **dict.fromkeys(("EPAM", "SIS", "ERNE", "EPIC", "EPD-EPT", "EPD-HET", "IMPACT HET", "EPHIN"), "energetic"),
    **dict.fromkeys(("FEEPS", "EPD-EIS", "ISOIS EPI-Hi", "ISOIS EPI-Lo", "LECP", "SST"), "energetic"),
    **dict.fromkeys(("ECT-REPT",), "energetic relativistic electron"),
    **dict.fromkeys(("ECT-MagEIS", "ECT-HOPE"), "energetic"),
    **dict.fromkeys(("WAVES", "SWAVES", "FIELDS RFS"), "wave radio"),
    **dict.fromkeys(("PWS", "PWI", "PWE"), "wave"),
    **dict.fromkeys(("EDP", "EFI", "EFW"), "electricfield"),
    **dict.fromkeys(("SCM", "STAFF"), "searchcoil"),
    **dict.fromkeys(("SEM",), "euv"),
    **dict.fromkeys(("CRIS",), "cosmicray gcr"),
    **dict.fromkeys(("SWICS", "SEPICA", "SWA-HIS"), "composition"),
    **dict.fromkeys(("MEA",), "energetic electron"),
    **dict.fromkeys(("SEM-2", "SEM-1", "SOPA", "EPAC", "HI-SCALE", "MEPA"), "energetic"),
    **dict.fromkeys(("URAP",), "wave radio"),
}  # fmt: skip

# Names of instruments that a question may spell otherwise than an id does.
SPELLINGS: dict[str, str] = {
    "span i": "spi",
    "spani": "spi",
    "span e": "spe",
    "spane": "spe",
    "span ion": "spi",
    "span electron": "spe",
    "swepam": "swe",
    "epam": "epm",
    "swics": "swi",
    "magei": "mageis",
    "mageis": "mageis",
    "whisper": "whi",
    "rapid": "rap",
    "peace": "pea",
    "epi hi": "epihi",
    "epi lo": "epilo",
    "plastic": "pla",
    "swave": "wav",
    "drift": "flow",
    "hdz": "hez",
    "dual ion": "dis",
    "dual electron": "des",
}

# Phrases of a question that ask for one of their words: a wave instrument's title has `plasma` too, and one of the
# solar wind `solar`.
ASKED: dict[str, str] = {"plasma moment": "moment", "solar energetic": "energetic"}

# Of data measured at the first Lagrange point; L1 alone is also a level of data.
AT_L1 = re.compile(
    r"\b(?:(?:at|from|near|around) (?:the )?l1\b|l1 (?:point|monitor)s?\b|lagrang\w+(?: point)?(?: l?1)?\b)"
)
CRAFT_AT_L1 = ("ACE", "Wind", "SOHO", "DSCOVR")

_GREEK = str.maketrans({"α": "alpha", "β": "beta", "γ": "gamma", "μ": "u"})
_STOP = frozenset(
    [
        *("a", "an", "and", "the", "of", "in", "for", "from", "with", "on", "at", "to", "by", "or", "is", "are", "as"),
        *("data", "dataset", "datasets", "measurement", "measurements", "all", "both", "using", "used", "per"),
        *("i", "me", "show", "find", "get", "please", "s"),
    ]
)  # fmt: skip
_LONGEST = max(len(phrase.split()) for phrases in CONCEPTS.values() for phrase in phrases)


def plain(text: str) -> str:
    """Remove the accents from the letters of a text.

    >>> plain("électron Ångström α")
    'electron Angstrom alpha'
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text).translate(_GREEK)
    return "".join(character for character in apart if not unicodedata.combining(character))


def tokens(text: str) -> list[str]:
    """Split a text into lower-case singular words, and split ``SYM_H``, ``B-field`` and ``BGSEc`` into their parts.

    >>> tokens("Proton densities, B-field (GSM)")
    ['proton', 'density', 'b', 'field', 'gsm']
    """
    return [singular(word) for word in _TOKEN.findall(_CAMEL.sub(" ", text).lower()) if word not in _STOP]


def singular(word: str) -> str:
    """Return the singular of a lower-case English noun.

    >>> singular("densities"), singular("components"), singular("gas")
    ('density', 'component', 'gas')
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "gas")):
        return word[:-1]
    return word


def _table(phrases: dict[str, str]) -> dict[tuple[str, ...], str]:
    return {tuple(tokens(phrase)) or tuple(phrase.split()): meaning for phrase, meaning in phrases.items()}


_PHRASES = _table({phrase: concept for concept, phrases in CONCEPTS.items() for phrase in phrases})
_BEGIN = {words[0] for words in _PHRASES}
"""The words that a phrase of a concept begins with."""
_SPELT = _table(SPELLINGS)
_ASKED = _table(ASKED)


def concepts(words: Sequence[str]) -> list[str]:
    """Return the concepts, such as ``magneticfield``, that phrases made of these words name."""
    names: list[str] = []
    for start, first in enumerate(words):
        if first not in _BEGIN:
            continue
        for length in range(min(_LONGEST, len(words) - start), 0, -1):
            concept = _PHRASES.get(tuple(words[start : start + length]))
            if concept:
                names.append(concept)
    return names


@dataclass(frozen=True)
class Clause:
    """A part of a question with one meaning: its words, and the concept or instrument that they name.

    Parameters
    ----------
    words : tuple of str
        As in the question.
    concept : str
        Concept that the words stand for; empty if none.
    spelt : str
        Spelling in ids of the instrument that the words name; empty if none.
    """

    words: tuple[str, ...]
    concept: str = ""
    spelt: str = ""

    @property
    def related(self) -> tuple[tuple[str, float], ...]:
        """Concepts that are similar to the concept of this part of the question, each with a weight below 1."""
        return _RELATED.get(self.concept, ())


def clauses(words: Sequence[str]) -> list[Clause]:
    """Split the words of a question into parts with a meaning: known phrases, the longest possible, or single words.

    >>> clauses(tokens("B field GSM"))
    [Clause(words=('b', 'field'), concept='magneticfield', spelt=''), Clause(words=('gsm',), concept='', spelt='')]
    """
    parts: list[Clause] = []
    start = 0
    while start < len(words):
        for length in range(min(_LONGEST, len(words) - start), 0, -1):
            phrase = tuple(words[start : start + length])
            answer = (_ASKED[phrase],) if phrase in _ASKED else phrase
            concept, spelt = _PHRASES.get(answer, ""), _SPELT.get(phrase, "")
            if concept or spelt or length == 1:
                parts.append(Clause(answer, concept, spelt))
                start += length
                break
    return parts


# Protons are most of the ions that are measured, and a flux against energy is a spectrum.
_RELATED: dict[str, tuple[tuple[str, float], ...]] = {
    "ion": (("proton", 0.7),),
    "proton": (("ion", 0.5),),
    "spectrum": (("energyspectrum", 0.5),),
    "energyspectrum": (("spectrum", 0.4),),
    "plasma": (("moment", 0.6),),
    "moment": (("plasma", 0.3),),
    "radio": (("wave", 0.4),),
}
