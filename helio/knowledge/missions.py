"""Find the mission, spacecraft and instrument of a CDAWeb dataset; list other names of missions and spacecraft."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Craft:
    """The mission and the spacecraft of a dataset.

    Parameters
    ----------
    mission : str
        ``ACE``, ``MMS``, ``Van Allen Probes``.
    spacecraft : str
        ``MMS1``, ``RBSP-A``; the mission's name where it has one spacecraft.
    """

    mission: str
    spacecraft: str


# How the ids of each mission begin: pattern, mission, spacecraft (`\1` is the pattern's group). First match wins.
_IDS: tuple[tuple[str, str, str], ...] = (
    # SSCWeb's ids are names of spacecraft, before an @ with a cadence.
    (r"ACE(?:@|$)", "ACE", ""),
    (r"WIND(?:@|$)", "Wind", ""),
    (r"GEOTAIL(?:@|$)", "Geotail", ""),
    (r"ISS(?:@|$)", "ISS", ""),
    (r"THEMIS([A-E])(?:@|$)", "THEMIS", r"THEMIS-\1"),
    (r"CLUSTER([1-4])(?:@|$)", "Cluster", r"Cluster-\1"),
    (r"OMNI", "OMNI", ""),
    (r"AC_", "ACE", ""),
    (r"WI_|WIND_", "Wind", ""),
    (r"DSCOVR", "DSCOVR", ""),
    (r"IMAP", "IMAP", ""),
    (r"PSP_", "Parker Solar Probe", ""),
    (r"SOLO_", "Solar Orbiter", ""),
    (r"ST([AB])_", "STEREO", r"STEREO-\1"),
    (r"STEREO", "STEREO", ""),
    (r"MMS([1-4])", "MMS", r"MMS\1"),
    (r"MMS", "MMS", ""),
    (r"THG|THEMIS_R0_GMAG", "THEMIS", "THEMIS ground"),
    (r"TH([A-E])(?:_|PRED)", "THEMIS", r"THEMIS-\1"),
    (r"THEMIS", "THEMIS", ""),
    (r"RBSP-?([AB])", "Van Allen Probes", r"RBSP-\1"),
    (r"RBSP", "Van Allen Probes", ""),
    (r"C([1-4])_", "Cluster", r"Cluster-\1"),
    (r"CL_|CT_", "Cluster", ""),
    (r"VOYAGER-?([12])|VG([12])", "Voyager", r"Voyager-\1"),
    (r"UY_|ULYSSES", "Ulysses", ""),
    (r"GE_", "Geotail", ""),
    (r"(?:DN_MAGN-L2-HIRES|SCI_XRSF-L2-[A-Z0-9]+)_G0?(\d+)", "GOES", r"GOES-\1"),
    (r"G0_", "GOES", "GOES-10"),
    (r"(?:GOES|G)(\d+)_", "GOES", r"GOES-\1"),
    (r"SOHO|SO_", "SOHO", ""),
    (r"HELIOS([12])|HEL([12])", "Helios", r"Helios-\1"),
    (r"I([78])_|IMP(\d)", "IMP", r"IMP-\1"),
    (r"I([12])_", "ISIS", r"ISIS-\1"),
    (r"ISEE-?([123])", "ISEE", r"ISEE-\1"),
    (r"PIONEER-?(\d+)", "Pioneer", r"Pioneer-\1"),
    (r"PIONEERVENUS", "Pioneer Venus", ""),
    (r"PO_|POLAR", "Polar", ""),
    (r"ERG", "Arase", ""),
    (r"FA_|FAST", "FAST", ""),
    (r"IM_|IMAGE", "IMAGE", ""),
    (r"MVN_|MAVEN", "MAVEN", ""),
    (r"NEW[_-]?HORIZONS", "New Horizons", ""),
    (r"DMSP-?F?(\d+)", "DMSP", r"DMSP-F\1"),
    (r"DE(\d)?_", "Dynamics Explorer", r"DE-\1"),
    (r"NOAA-?(\d+)", "NOAA", r"NOAA-\1"),
    (r"METOP1", "MetOp", "MetOp-B"),  # the number is that of the satellite before its launch
    (r"METOP2", "MetOp", "MetOp-A"),
    (r"METOP3", "MetOp", "MetOp-C"),
    (r"TWINS([12])", "TWINS", r"TWINS-\1"),
    (r"EL([AB])_", "ELFIN", r"ELFIN-\1"),
    (r"IT_", "Interball", "Interball-Tail"),
    (r"IA_", "Interball", "Interball-Auroral"),
    (r"IG_", "Interball", "Interball ground"),
    (r"BAR_(\d[A-Z])_", "BARREL", r"BARREL-\1"),
    (r"SX_", "SAMPEX", ""),
    (r"EQ_", "Equator-S", ""),
    (r"TSS-?1R", "TSS-1R", ""),
    (r"L1_K0_GIFWALK", "LANL", ""),
    (r"L9_", "LANL", "LANL-1989-046"),
    (r"L0_", "LANL", "LANL-1990-095"),
    (r"L1_", "LANL", "LANL-1991-080"),
    (r"L4_", "LANL", "LANL-1994-084"),
    (r"L7_", "LANL", "LANL-97A"),
    (r"A1_", "LANL", "LANL-01A"),
    (r"A2_", "LANL", "LANL-02A"),
    (r"LANL-(\d\dA)|(\d{4}-\d{3})_", "LANL", r"LANL-\1"),
    (r"AIM_", "AIM", ""),
    (r"ALOUETTE(\d)", "Alouette", r"Alouette-\1"),
    (r"AMPTECCE", "AMPTE", "AMPTE-CCE"),
    (r"APOLLO(\d+)", "Apollo", r"Apollo-\1"),
    (r"ISS_|AWE_", "ISS", ""),
    (r"CASSINI", "Cassini", ""),
    (r"CLPS-BGM1", "Blue Ghost", ""),
    (r"CNOFS", "CNOFS", ""),
    (r"CRRES", "CRRES", ""),
    (r"DMSP", "DMSP", ""),
    (r"FORMOSAT(\d)", "FORMOSAT", r"FORMOSAT-\1"),
    (r"RS_", "FORMOSAT", "FORMOSAT-1"),
    (r"GENESIS", "Genesis", ""),
    (r"GOLD_", "GOLD", ""),
    (r"GPS_", "GPS", ""),
    (r"HK_", "Hawkeye", ""),
    (r"IBEX", "IBEX", ""),
    (r"ICON_", "ICON", ""),
    (r"MARINER(\d)", "Mariner", r"Mariner-\1"),
    (r"MESSENGER", "MESSENGER", ""),
    (r"MGS_", "Mars Global Surveyor", ""),
    (r"MSL_", "Mars Science Laboratory", ""),
    (r"REACH-VID-(\d+)", "REACH", r"REACH-\1"),
    (r"ST5-(\d+)", "ST5", r"ST5-\1"),
    (r"TIMED_", "TIMED", ""),
    (r"TWINS", "TWINS", ""),
    (r"CN_", "CANOPUS", ""),
    (r"DN_", "SuperDARN", ""),
    (r"FM_", "FMI", ""),
    (r"SE_", "SESAME", ""),
    (r"AEROCUBE-6-([AB])", "AeroCube", r"AeroCube-6\1"),
    (r"BIOSENTINEL", "BioSentinel", ""),
    (r"CIRBE", "CIRBE", ""),
    (r"CSSWE", "CSSWE", ""),
    (r"MUNIN", "Munin", ""),
    (r"SNOE", "SNOE", ""),
    (r"STPSAT-(\d)", "STPSat", r"STPSat-\1"),
    (r"DYNAMO-2", "Dynamo-2", ""),
    (r"ENDURANCE", "Endurance", ""),
    (r"RENU2", "RENU2", ""),
    (r"TOOWINDY", "Too-WINDY", ""),
    (r"PMC-TURBO", "PMC-Turbo", ""),
    (r"BEPICOLOMBO", "BepiColombo", ""),
    (r"COMETGS", "Grigg-Skjellerup", ""),
    (r"COMETHMP", "Honda-Mrkos-Pajdusakova", ""),
    (r"GIACOBINI", "Giacobini-Zinner", ""),
    (r"HALEBOPP", "Hale-Bopp", ""),
    (r"PHOBOS2", "Phobos-2", ""),
    (r"WILD2", "Wild-2", ""),
    (r"JUNO", "JUNO", ""),
)
_ANY_ID = re.compile(
    "|".join(f"(?P<id{number}>{pattern})" for number, (pattern, _, _) in enumerate(_IDS)), re.IGNORECASE
)

_COLLECTIVE = frozenset(
    {
        "Balloons",
        "Geosynchronous Investigations",
        "Ground-Based Investigations",
        "Smallsats/Cubesats",
        "Sounding Rockets",
    }
)
"""CDAWeb's groups that are no mission; the first piece of an id names it."""

BODIES = (
    *(
        "Earth",
        "Mars",
        "Mercury",
        "Venus",
        "Jupiter",
        "Saturn",
        "Uranus",
        "Neptune",
        "Pluto",
        "Borrelly",
        "Halley",
    ),
    *("Grigg-Skjellerup", "Honda-Mrkos-Pajdusakova", "Giacobini-Zinner", "Hale-Bopp", "Hyakutake", "Wild-2"),
)
"""Planets and comets: the archive has their positions only."""

# What people call them, beside the names above; matched as whole words, in any case.
ALIASES: dict[str, tuple[str, ...]] = {
    "ACE": ("advanced composition explorer",),
    "OMNI": ("omniweb", "hro"),
    "DSCOVR": ("deep space climate observatory",),
    "Parker Solar Probe": ("psp", "parker", "solar probe"),
    "Solar Orbiter": ("solo",),
    "STEREO-A": ("sta", "stereo a", "stereo ahead"),
    "STEREO-B": ("stb", "stereo b", "stereo behind"),
    "MMS": ("magnetospheric multiscale",),
    **{f"MMS{n}": (f"mms {n}", f"mms-{n}") for n in range(1, 5)},
    **{f"THEMIS-{p}": (f"th{p.lower()}", f"themis {p.lower()}") for p in "AD"},
    "THEMIS-E": ("themis e",),  # "the" is a word of every question
    "THEMIS-B": ("thb", "themis b", "artemis p1", "artemis-p1"),
    "THEMIS-C": ("thc", "themis c", "artemis p2", "artemis-p2"),
    "Van Allen Probes": ("rbsp", "van allen probe", "van allen", "radiation belt storm probes"),
    **{
        f"RBSP-{p}": (
            f"rbsp{p.lower()}",
            f"rbsp {p.lower()}",
            f"van allen probe {p.lower()}",
            f"van allen probes {p.lower()}",
        )
        for p in "AB"
    },
    **{
        f"Cluster-{n}": (f"c{n}", f"cluster {n}", f"cluster{n}", f"cluster {name}", name)
        for n, name in enumerate(("rumba", "salsa", "samba", "tango"), 1)
    },
    **{f"Voyager-{n}": (f"voyager {n}", f"voyager{n}", f"vg{n}", f"v{n}") for n in range(1, 3)},
    **{f"Helios-{n}": (f"helios {n}", f"helios{n}") for n in range(1, 3)},
    **{f"GOES-{n}": (f"goes {n}", f"goes{n}", f"g{n}") for n in range(6, 20)},
    **{f"Pioneer-{n}": (f"pioneer {n}", f"pioneer{n}") for n in range(6, 12)},
    **{f"ISEE-{n}": (f"isee {n}", f"isee{n}") for n in range(1, 4)},
    **{f"TWINS-{n}": (f"twins {n}", f"twins{n}") for n in range(1, 3)},
    **{f"ELFIN-{p}": (f"elfin {p.lower()}", f"el{p.lower()}") for p in "AB"},
    "IMP-8": ("imp 8", "imp8"),
    "Pioneer Venus": ("pvo", "pioneer venus orbiter"),
    "New Horizons": ("nh",),
    "MAVEN": ("mvn",),
    "Arase": ("erg", "arase (erg)"),
    "IMAGE": ("imager for magnetopause-to-aurora global exploration",),
    "Dynamics Explorer": ("de",),
    "DE-1": ("dynamics explorer 1", "dynamics explorer a"),
    "DE-2": ("dynamics explorer 2", "dynamics explorer b"),
    "CNOFS": ("c/nofs",),
    "AMPTE-CCE": ("cce",),
    "Hawkeye": ("hawkeye 1", "explorer 52"),
    "Equator-S": ("equator s",),
    "Interball-Tail": ("interball tail probe", "interball 1"),
    "Interball-Auroral": ("interball auroral probe", "interball 2"),
    "FORMOSAT-1": ("rocsat", "rocsat 1"),
    "ISS": ("international space station", "space station"),
    "Mars Global Surveyor": ("mgs",),
    "Mars Science Laboratory": ("msl", "curiosity"),
    "NOAA": ("poes",),
    **{f"DMSP-F0{number}": (f"dmsp f{number}", f"f{number}") for number in range(6, 10)},
    **{f"DMSP-F{number}": (f"dmsp {number}",) for number in range(12, 19)},
    **{f"NOAA-0{number}": (f"noaa {number}", f"noaa{number}") for number in range(5, 9)},
    "SuperDARN": ("darn",),
}

_SHORT = {
    "Parker Solar Probe": "PSP",
    "Solar Orbiter": "SolO",
    "STEREO-A": "STA",
    "STEREO-B": "STB",
}

# The last year of missions whose spacecraft returns nothing any more: what CDAWeb has of them does not go on.
_LAST_YEAR = {
    "Van Allen Probes": 2019,
    "Ulysses": 2009,
    "STEREO-B": 2014,
    "Helios": 1985,
    "IMP": 2006,
    "ISEE": 1990,
    "Pioneer": 2003,
    "Pioneer Venus": 1992,
    "Polar": 2008,
    "FAST": 2009,
    "IMAGE": 2005,
    "Dynamics Explorer": 1991,
    "Equator-S": 1998,
    "Interball": 2000,
    "SAMPEX": 2012,
    "Cassini": 2017,
    "MESSENGER": 2015,
    "Genesis": 2004,
    "Geotail": 2022,
    "TSS-1R": 1996,
    "AMPTE": 1989,
    "Apollo": 1977,
    "Alouette": 1972,
    "ISIS": 1990,
    "CRRES": 1991,
    "Hawkeye": 1978,
    "BARREL": 2016,
}

# Pieces of ids that name an instrument, and its name. Pieces of one mission stand under it and come first.
_INSTRUMENTS: dict[str, dict[str, str]] = {
    "ACE": {
        "SWE": "SWEPAM",
        "EPM": "EPAM",
        "ULE": "ULEIS",
        "SWI": "SWICS",
        "SW2": "SWICS",
        "SEP": "SEPICA",
    },
    "Wind": {"WAV": "WAVES", "WAVES": "WAVES", "WA": "WAVES", "EPA": "EPACT"},
    "Parker Solar Probe": {
        "MAG": "FIELDS MAG",
        "SCAM": "FIELDS SCaM",
        "RFS": "FIELDS RFS",
        "DFB": "FIELDS DFB",
        "TDS": "FIELDS TDS",
        "SPI": "SWEAP SPAN-I",
        "SPC": "SWEAP SPC",
        "SPE": "SWEAP SPAN-E",
        "SPA": "SWEAP SPAN-A",
        "SPB": "SWEAP SPAN-B",
        "EPIHI": "ISOIS EPI-Hi",
        "EPILO": "ISOIS EPI-Lo",
        "ISOIS": "ISOIS",
        "FLD": "FIELDS",
        "SWP": "SWEAP",
    },
    "Solar Orbiter": {
        "PAS": "SWA-PAS",
        "EAS": "SWA-EAS",
        "EAS1": "SWA-EAS",
        "EAS2": "SWA-EAS",
        "HIS": "SWA-HIS",
        "EPT": "EPD-EPT",
        "HET": "EPD-HET",
        "SIS": "EPD-SIS",
        "STEP": "EPD-STEP",
    },
    "STEREO": {
        "MAG": "IMPACT MAG",
        "MAGB": "IMPACT MAG",
        "MAGPLASMA": "IMPACT MAG and PLASTIC",
        "PLA": "PLASTIC",
        "HET": "IMPACT HET",
        "LET": "IMPACT LET",
        "SEPT": "IMPACT SEPT",
        "SIT": "IMPACT SIT",
        "SWEA": "IMPACT SWEA",
        "STE": "IMPACT STE",
        "WAV": "SWAVES",
    },
    "Cluster": {
        "PEA": "PEACE",
        "WHI": "WHISPER",
        "STA": "STAFF",
        "RAP": "RAPID",
        "ASP": "ASPOC",
    },
    "Van Allen Probes": {
        "HOPE": "ECT-HOPE",
        "MAGEIS": "ECT-MagEIS",
        "REPT": "ECT-REPT",
        "EMFISIS": "EMFISIS",
    },
    "Polar": {
        "HYD": "Hydra",
        "TIM": "TIMAS",
        "TID": "TIDE",
        "CAM": "CAMMICE",
        "CEP": "CEPPAD",
    },
    "Geotail": {"EPI": "EPIC"},
    "OMNI": {"OMNI2": "OMNI2", "HRO2": "HRO2"},  # what people name instead of an instrument
    "GOES": {"EP8": "EPS", "MAGN": "MAG", "XRSF": "XRS"},
    "SOHO": {"CEL": "CELIAS", "ERN": "ERNE", "CST": "COSTEP"},
    "Ulysses": {
        **dict.fromkeys(("RARA", "RARP", "PFRA", "PFRP", "R144", "WFBA", "WFBP", "WFEA", "WFEP"), "URAP"),
        **dict.fromkeys(("SWI", "SCS", "GLG"), "SWICS"),
        **dict.fromkeys(("BAE", "BAI"), "SWOOPS"),
        **dict.fromkeys(("LF15", "LF60", "LM12", "LM30", "LMDE", "WART", "WRTD"), "HI-SCALE"),
        "EPA": "EPAC",
    },
    "NOAA": {"SEM2": "SEM-2", "SEM": "SEM-1"},
    "MetOp": {"SEM2": "SEM-2"},
    "LANL": {"SPA": "SOPA"},
    "CRRES": {"MEA": "MEA"},
    "AMPTE": {"MEPA": "MEPA"},
    "MMS": {"EIS": "EPD-EIS"},
    "MAVEN": {"SWI": "SWIA", "SWE": "SWEA", "STA": "STATIC"},
    "THEMIS": {"MOM": "ESA and SST", "GMOM": "ESA and SST", "ESA": "ESA"},
    "": {
        piece: piece
        for piece in (
            *("MFI", "SWE", "3DP", "SMS", "EPACT", "SIS", "CRIS", "FC", "MAG", "RPW", "FGM", "FPI", "EDP", "HPCA"),
            *("SCM", "DSP", "EDI", "FEEPS", "MEC", "ASPOC", "SST", "EFI", "EFP", "EFW", "FBK", "FFT", "FIT", "ASI"),
            *("RBSPICE", "RPS", "CIS", "VHM", "SWOOPS", "EPHIN", "ERNE", "CELIAS", "CPI", "LEP", "MGF", "PWI"),
            *("EFD", "LECP", "CRS", "PLS", "PWS", "VIS", "UVI", "PIX", "MFE", "SABER", "GUVI", "TIDI", "PWE", "HEP"),
            *("LEPE", "LEPI", "MEPE", "MEPI", "XEP", "EPS", "EPEAD", "MAGED", "MPA", "SOPA", "SWAP", "PEPSSI"),
            *("SWEA", "SWIA", "STATIC", "SEP", "LPW", "COSTEP", "SWICS", "HET", "LET", "KET", "RPI", "EUV", "FUV"),
            *("CODIF", "HIA", "SSIES", "SSJ", "SSM", "MEPED", "SEM", "EPD", "FGS", "IVM", "MIGHTI", "RAD", "IBEX"),
        )
    },
}  # fmt: skip


_PARTS = (
    "DES",
    "DIS",
    "RAD1",
    "RAD2",
    "TNR",
    "HFR",
    "LFR",
    "QTN",
    "RFS",
    "EPAM",
    "HED",
    "LED",
    "PM",
    "GIM",
    "MERGED",
    "TMS",
    "MITPLASMA",
)
"""Names of sensors and receivers in ids of datasets."""


_ALSO_CALLED = {"SWAVES": "WAVES", "PM": "MTOF", "SQTN": "QTN", "TMS": "TEAMS", "MITPLASMA": "MIT"}


def short(craft: str) -> str:
    """Return the short name of a spacecraft, which labels of tables contain.

    >>> short("Parker Solar Probe"), short("RBSP-A")
    ('PSP', 'RBSPA')
    """
    return _SHORT.get(craft, craft).replace("-", "").replace(" ", "")


@lru_cache(maxsize=8192)
def craft_of(dataset_id: str, group: str = "") -> Craft:
    """Return the mission and the spacecraft of the dataset with this id.

    Parameters
    ----------
    group : str
        CDAWeb's observatory group of the dataset, used as the mission if the id has a beginning that helio does not
        know. Without it, such a dataset is a mission of its own.
    """
    match = _ANY_ID.match(dataset_id)
    if match and match.lastgroup and match.lastindex:
        # the last group to close is the whole pattern of one mission; the groups inside it follow it
        _, mission, spacecraft = _IDS[int(match.lastgroup.removeprefix("id"))]
        number = next((part for part in match.groups()[match.lastindex :] if part), "")
        named = spacecraft.replace(r"\1", number.upper()) if number or r"\1" not in spacecraft else ""
        return Craft(mission, named or mission)
    if "_HELIO1" in dataset_id.upper():  # one group holds the positions of planets, comets and probes
        group = dataset_id.partition("_")[0].title()
    elif group in _COLLECTIVE:
        group = dataset_id.partition("_")[0]
    mission = re.sub(r"\s*\(.*\)$", "", group) or dataset_id
    return Craft(mission, mission)


def instrument_of(dataset_id: str, mission: str) -> str:
    """Return the instrument that a dataset's id names, or an empty text."""
    pieces = re.split(r"[_-]", dataset_id.upper())
    if "MERGED" in pieces or "HELIO1HR" in pieces or "OMNI" in mission:
        return ""
    for table in (_INSTRUMENTS.get(mission, {}), _INSTRUMENTS[""]):
        for piece, name in table.items():
            if piece in pieces:
                return name
    return ""


@lru_cache(maxsize=8192)
def instrument_names(dataset_id: str) -> frozenset[str]:
    """Return all names of a dataset's instrument in capitals, as ids and people write them.

    >>> sorted(instrument_names("AC_H0_SWE")), sorted(instrument_names("SOLO_L2_SWA-PAS-GRND-MOM"))
    (['SWE', 'SWEPAM'], ['PAS', 'SWA', 'SWA-PAS'])
    """
    mission = craft_of(dataset_id).mission
    known = {*_INSTRUMENTS.get(mission, {}), *_INSTRUMENTS[""], *_PARTS}
    pieces = [piece for piece in re.split(r"[_-]", dataset_id.upper()) if piece in known]
    words = [word for word in instrument_of(dataset_id, mission).upper().split() if word != "AND"]
    parts = [
        part
        for word in (*words, *pieces)
        for part in (*word.split("-"), _ALSO_CALLED.get(word, ""))
        if len(part) > 1
    ]
    return frozenset((*pieces, *words, *parts)) - {"MAG", "MOM", "MERGED"}


INSTRUMENT_WORDS = frozenset(piece for pieces in _INSTRUMENTS.values() for piece in pieces)
"""Pieces of ids that name an instrument, in capitals."""


def has_ended(craft: Craft, year: int) -> bool:
    """Return whether the spacecraft stopped sending data at least two years before the given year began."""
    last = _LAST_YEAR.get(craft.spacecraft, _LAST_YEAR.get(craft.mission))
    return last is not None and last + 2 < year
