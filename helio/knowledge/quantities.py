"""The datasets, frames and units of physical quantities, by spacecraft: helio uses them to replace a spacecraft.

Only quantities in this list can be swapped between spacecraft; an error names those that cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from helio.errors import RequestError, UnknownDataset, UnknownParameter, did_you_mean
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry
from helio.knowledge.missions import ALIASES, craft_of, instrument_names


@cache
def _instruments(dataset: str, parameters: tuple[str, ...]) -> frozenset[str]:
    named = (part for name in parameters for part in name.split("__")[0].upper().split("_"))
    return instrument_names(dataset) | ({*named} & OF_PARAMETERS)


@dataclass(frozen=True)
class QuantitySource:
    """A dataset and the parameters in it that hold a quantity measured by a spacecraft.

    Parameters
    ----------
    quantity : str
        ``magnetic field vector``, ``proton density``.
    spacecraft : str
        Name of the spacecraft, as in helio.knowledge.missions.
    parameters : tuple of str
        One parameter, or three components if the archive stores them separately.
    frame : str
        Frame, such as ``GSE``, ``GSM`` or ``RTN``; empty for a quantity without a direction.
    unit : str
        Canonical.
    cadence : float or None
        Seconds between records; None where it changes.
    note : str
        How the data differ from the same quantity of other spacecraft.
    """

    quantity: str
    spacecraft: str
    dataset: str
    parameters: tuple[str, ...]
    frame: str
    unit: str
    cadence: float | None
    note: str = ""

    @cached_property
    def instruments(self) -> frozenset[str]:
        """All names of the instrument, also of one that only the parameters name, such as HIA of CIS."""
        return _instruments(self.dataset, self.parameters)

    def alike(self, other: QuantitySource) -> bool:
        """Return whether a figure may show one source instead of the other: same frame and unit, similar cadence."""
        shapes = (self.quantity, self.frame, self.unit, len(self.parameters))
        if shapes != (other.quantity, other.frame, other.unit, len(other.parameters)):
            return False
        return bool(self.cadence and other.cadence) and 0.5 <= (self.cadence or 1) / (other.cadence or 1) <= 2


@dataclass(frozen=True)
class Swap:
    """The replacement of a parameter by the same quantity from another spacecraft.

    Parameters
    ----------
    differences : tuple of str
        The differences besides the spacecraft, in words; empty where no difference is known.
    """

    quantity: str
    dataset: str
    parameters: tuple[str, ...]
    frame: str
    unit: str
    differences: tuple[str, ...]


B, ABS_B = "magnetic field vector", "magnetic field magnitude"
N, V, VECTOR_V, T = "proton density", "bulk speed", "bulk velocity vector", "proton temperature"
IONS = "ion energy spectrogram"
ELECTRONS = "electron energy spectrogram"
PROTONS, FAST_ELECTRONS = "energetic protons", "energetic electrons"
POSITION, DISTANCE = "position", "heliocentric distance"
LATITUDE, LONGITUDE = "heliographic latitude", "heliographic longitude"
CARRINGTON_LONGITUDE = "Carrington longitude"
L_SHELL, MLT = "L shell", "magnetic local time"
ALPHAS, ALPHA_RATIO = "alpha density", "alpha to proton ratio"
PSP, SOLO = "Parker Solar Probe", "Solar Orbiter"
PSP_HOURLY, SOLO_HOURLY = "PSP_COHO1HR_MERGED_MAG_PLASMA", "SOLO_COHO1HR_MERGED_MAG_PLASMA"
LAST = "the fourth component is the magnitude"
NOSE = "shifted to the bow shock's nose"
QUALITY, FLAGS = "see quality_factor", "see magInvalid, magFill"
DQF = "2016-06-03 to 2019-06-27; see DQF"
TENFOLD_KP = "stored as ten times Kp"
REDUCED, REDUCED_IONS = "reduced mode, which may be empty", "all ions; reduced mode, which may be empty"
FULL, FULL_IONS = "full mode", "all ions; full mode"
PER_NUCLEON = "cm^-2 s^-1 sr^-1 (MeV/n)^-1"
NE, TE, THERMAL = "electron density", "electron temperature", "thermal speed"
T_PARALLEL, T_PERPENDICULAR = "parallel ion temperature", "perpendicular ion temperature"
TE_PARALLEL, TE_PERPENDICULAR = "parallel electron temperature", "perpendicular electron temperature"
ALPHA_V, MODEL_B = "alpha velocity vector", "model magnetic field"
ELECTRON_V, ELECTRON_SPEED = "electron velocity vector", "electron speed"
E, RADIO, POTENTIAL = "electric field vector", "radio spectrogram", "spacecraft potential"
OF_PARAMETERS = frozenset({"HIA", "CODIF", "SWIA", "SWEA", "STATIC", "LPW", "FGS", "FGL"})
"""Instruments that the names of parameters say where the dataset has several."""
_INTEGRAL = "cm^-2 s^-1 sr^-1"
PER_KEV = "cm^-2 s^-1 sr^-1 keV^-1"
PARTIAL = "partial density, above 30 eV"
PARTIAL_T, PARTIAL_TE = "protons above 30 eV", "electrons above 200 eV"
_KEFLUX = "keV/(cm^2 s sr keV)"
_FLUX = "cm^-2 s^-1 sr^-1 MeV^-1"
_EFLUX = "eV/(cm^2 s sr eV)"

# Quantity, spacecraft, dataset, parameters, frame, unit, cadence, note. The first of a spacecraft, quantity and frame
# is preferred, the others are fallbacks in order. `{n}` and `{p}` run over the spacecraft of a family.
_TABLE: tuple[tuple[str, str, str, str, str, str, float | None, str], ...] = (
    (B, "ACE", "AC_H0_MFI", "BGSEc", "GSE", "nT", 16, ""),
    (B, "ACE", "AC_H3_MFI", "BGSEc", "GSE", "nT", 1, ""),
    (B, "ACE", "AC_H2_MFI", "BGSEc", "GSE", "nT", 3600, ""),
    (B, "ACE", "AC_K1_MFI", "BGSEc", "GSE", "nT", 16, "preliminary"),
    (B, "ACE", "AC_H0_MFI", "BGSM", "GSM", "nT", 16, ""),
    (B, "ACE", "AC_H3_MFI", "BGSM", "GSM", "nT", 1, ""),
    (B, "ACE", "AC_H3_MFI", "BRTN", "RTN", "nT", 1, ""),
    (ABS_B, "ACE", "AC_H0_MFI", "Magnitude", "", "nT", 16, ""),
    (ABS_B, "ACE", "AC_H3_MFI", "Magnitude", "", "nT", 1, ""),
    (N, "ACE", "AC_H0_SWE", "Np", "", "cm^-3", 64, "ends 2024-07-09"),
    (N, "ACE", "AC_K0_SWE", "Np", "", "cm^-3", 300, "preliminary"),
    (N, "ACE", "AC_H2_SWE", "Np", "", "cm^-3", 3600, "ends 2024-07-09"),
    (V, "ACE", "AC_H0_SWE", "Vp", "", "km/s", 64, "ends 2024-07-09"),
    (V, "ACE", "AC_K0_SWE", "Vp", "", "km/s", 300, "preliminary"),
    (V, "ACE", "AC_H2_SWE", "Vp", "", "km/s", 3600, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H0_SWE", "V_GSE", "GSE", "km/s", 64, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H0_SWE", "V_GSM", "GSM", "km/s", 64, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H0_SWE", "V_RTN", "RTN", "km/s", 64, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H2_SWE", "V_GSE", "GSE", "km/s", 3600, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H2_SWE", "V_GSM", "GSM", "km/s", 3600, "ends 2024-07-09"),
    (VECTOR_V, "ACE", "AC_H2_SWE", "V_RTN", "RTN", "km/s", 3600, "ends 2024-07-09"),
    (T, "ACE", "AC_H0_SWE", "Tpr", "", "K", 64, "radial component; ends 2024-07-09"),
    (T, "ACE", "AC_K0_SWE", "Tpr", "", "K", 300, "radial component; preliminary"),
    (T, "ACE", "AC_H2_SWE", "Tpr", "", "K", 3600, "radial component; ends 2024-07-09"),
    (POSITION, "ACE", "AC_H0_MFI", "SC_pos_GSE", "GSE", "km", 16, ""),
    (B, "Wind", "WI_H0_MFI", "BGSE", "GSE", "nT", 60, ""),
    (B, "Wind", "WI_H0_MFI", "B3GSE", "GSE", "nT", 3, ""),
    (B, "Wind", "WI_H2_MFI", "BGSE", "GSE", "nT", 0.092, ""),
    (B, "Wind", "WI_H0_MFI", "BGSM", "GSM", "nT", 60, ""),
    (B, "Wind", "WI_H0_MFI", "B3GSM", "GSM", "nT", 3, ""),
    (B, "Wind", "WI_H3-RTN_MFI", "BRTN", "RTN", "nT", 60, ""),
    (ABS_B, "Wind", "WI_H0_MFI", "BF1", "", "nT", 60, ""),
    (ABS_B, "Wind", "WI_H0_MFI", "B3F1", "", "nT", 3, ""),
    (N, "Wind", "WI_H1_SWE", "Proton_Np_nonlin", "", "cm^-3", 92, "fit; see fit_flag"),
    (N, "Wind", "WI_PM_3DP", "P_DENS", "", "cm^-3", 3, "see VALID"),
    (N, "Wind", "WI_K0_SWE", "Np", "", "cm^-3", 92, "preliminary; see QF_Np"),
    (V, "Wind", "WI_H1_SWE", "Proton_V_nonlin", "", "km/s", 92, "fit; see fit_flag"),
    (VECTOR_V, "Wind", "WI_PM_3DP", "P_VELS", "GSE", "km/s", 3, "see VALID"),
    (VECTOR_V, "Wind", "WI_K0_SWE", "V_GSE", "GSE", "km/s", 92, "preliminary; see QF_V"),
    (VECTOR_V, "Wind", "WI_K0_SWE", "V_GSM", "GSM", "km/s", 92, "preliminary; see QF_V"),
    (T, "Wind", "WI_PM_3DP", "P_TEMP", "", "eV", 3, "see VALID"),
    (PROTONS, "Wind", "WI_SOSP_3DP", "FLUX", "", "cm^-2 s^-1 sr^-1 eV^-1", 24, "70 keV to 6.8 MeV"),
    (FAST_ELECTRONS, "Wind", "WI_SFSP_3DP", "FLUX", "", "cm^-2 s^-1 sr^-1 eV^-1", 24, "27 to 520 keV"),
    (POSITION, "Wind", "WI_H0_MFI", "PGSE", "GSE", "R_E", 60, ""),
    (B, "DSCOVR", "DSCOVR_H0_MAG", "B1GSE", "GSE", "nT", 1, ""),
    (B, "DSCOVR", "DSCOVR_H0_MAG", "B1RTN", "RTN", "nT", 1, ""),
    (ABS_B, "DSCOVR", "DSCOVR_H0_MAG", "B1F1", "", "nT", 1, ""),
    (N, "DSCOVR", "DSCOVR_H1_FC", "Np", "", "cm^-3", 60, DQF),
    (VECTOR_V, "DSCOVR", "DSCOVR_H1_FC", "V_GSE", "GSE", "km/s", 60, DQF),
    (T, "DSCOVR", "DSCOVR_H1_FC", "THERMAL_TEMP", "", "K", 60, DQF),
    (B, "OMNI", "OMNI_HRO_1MIN", "BX_GSE BY_GSE BZ_GSE", "GSE", "nT", 60, NOSE),
    (B, "OMNI", "OMNI_HRO_1MIN", "BX_GSE BY_GSM BZ_GSM", "GSM", "nT", 60, NOSE),
    (B, "OMNI", "OMNI2_H0_MRG1HR", "BX_GSE BY_GSM BZ_GSM", "GSM", "nT", 3600, NOSE),
    (B, "OMNI", "OMNI_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "OMNI", "OMNI_HRO_1MIN", "F", "", "nT", 60, NOSE),
    (N, "OMNI", "OMNI_HRO_1MIN", "proton_density", "", "cm^-3", 60, NOSE),
    (N, "OMNI", "OMNI2_H0_MRG1HR", "N", "", "cm^-3", 3600, NOSE),
    (V, "OMNI", "OMNI_HRO_1MIN", "flow_speed", "", "km/s", 60, NOSE),
    (V, "OMNI", "OMNI2_H0_MRG1HR", "V", "", "km/s", 3600, NOSE),
    (VECTOR_V, "OMNI", "OMNI_HRO_1MIN", "Vx Vy Vz", "GSE", "km/s", 60, NOSE),
    (T, "OMNI", "OMNI_HRO_1MIN", "T", "", "K", 60, NOSE),
    (T, "OMNI", "OMNI2_H0_MRG1HR", "T", "", "K", 3600, NOSE),
    (ABS_B, "OMNI", "OMNI2_H0_MRG1HR", "ABS_B", "", "nT", 3600, NOSE),
    ("dynamic pressure", "OMNI", "OMNI_HRO_1MIN", "Pressure", "", "nPa", 60, NOSE),
    ("dynamic pressure", "OMNI", "OMNI2_H0_MRG1HR", "Pressure", "", "nPa", 3600, NOSE),
    ("dynamic pressure", "Wind", "WI_K0_SWE", "Pressure", "", "nPa", 92, "preliminary"),
    ("dynamic pressure", "STEREO-A", "STA_L2_MAGPLASMA_1M", "Dynamic_Pressure", "", "nPa", 60, ""),
    ("dynamic pressure", "STEREO-B", "STB_L2_MAGPLASMA_1M", "Dynamic_Pressure", "", "nPa", 60, ""),
    ("SYM-H", "OMNI", "OMNI_HRO_1MIN", "SYM_H", "", "nT", 60, ""),
    ("Dst", "OMNI", "OMNI2_H0_MRG1HR", "DST", "", "nT", 3600, ""),
    ("Kp", "OMNI", "OMNI2_H0_MRG1HR", "KP", "", "", 3600, TENFOLD_KP),
    ("AE", "OMNI", "OMNI_HRO_1MIN", "AE_INDEX", "", "nT", 60, ""),
    ("AE", "OMNI", "OMNI2_H0_MRG1HR", "AE", "", "nT", 3600, ""),
    ("AL", "OMNI", "OMNI_HRO_1MIN", "AL_INDEX", "", "nT", 60, ""),
    ("AU", "OMNI", "OMNI_HRO_1MIN", "AU_INDEX", "", "nT", 60, ""),
    ("plasma beta", "OMNI", "OMNI_HRO_1MIN", "Beta", "", "", 60, ""),
    ("Alfvén Mach number", "OMNI", "OMNI_HRO_1MIN", "Mach_num", "", "", 60, ""),
    ("plasma beta", "OMNI", "OMNI2_H0_MRG1HR", "Beta", "", "", 3600, NOSE),
    ("Alfvén Mach number", "OMNI", "OMNI2_H0_MRG1HR", "Mach_num", "", "", 3600, NOSE),
    (B, PSP, "PSP_FLD_L2_MAG_RTN_1MIN", "psp_fld_l2_mag_RTN_1min", "RTN", "nT", 60, ""),
    (B, PSP, "PSP_FLD_L2_MAG_RTN_4_SA_PER_CYC", "psp_fld_l2_mag_RTN_4_Sa_per_Cyc", "RTN", "nT", 0.22, ""),
    (B, PSP, PSP_HOURLY, "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, PSP, PSP_HOURLY, "B", "", "nT", 3600, ""),
    (N, PSP, "PSP_SWP_SPI_SF00_L3_MOM", "DENS", "", "cm^-3", None, "partial moment"),
    (N, PSP, "PSP_SWP_SPC_L3I", "np_moment_gd", "", "cm^-3", None, ""),
    (N, PSP, PSP_HOURLY, "protonDensity", "", "cm^-3", 3600, ""),
    (V, PSP, PSP_HOURLY, "ProtonSpeed", "", "km/s", 3600, ""),
    (VECTOR_V, PSP, "PSP_SWP_SPI_SF00_L3_MOM", "VEL_RTN_SUN", "RTN", "km/s", None, "partial moment"),
    (VECTOR_V, PSP, "PSP_SWP_SPC_L3I", "vp_moment_RTN_gd", "RTN", "", None, "in km/s, without a unit in the archive"),
    (T, PSP, "PSP_SWP_SPI_SF00_L3_MOM", "TEMP", "", "eV", None, "partial moment"),
    (T, PSP, PSP_HOURLY, "protonTemp", "", "K", 3600, ""),
    (IONS, PSP, "PSP_SWP_SPI_SF00_L3_MOM", "EFLUX_VS_ENERGY", "", _EFLUX, None, "part of the sky"),
    (DISTANCE, PSP, "PSP_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (B, SOLO, "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", "B_RTN", "RTN", "nT", 60, ""),
    (B, SOLO, "SOLO_L2_MAG-RTN-NORMAL", "B_RTN", "RTN", "nT", 0.125, ""),
    (B, SOLO, SOLO_HOURLY, "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, SOLO, SOLO_HOURLY, "B", "", "nT", 3600, ""),
    (N, SOLO, "SOLO_L2_SWA-PAS-GRND-MOM", "N", "", "cm^-3", 4, QUALITY),
    (N, SOLO, SOLO_HOURLY, "protonDensity", "", "cm^-3", 3600, ""),
    (V, SOLO, SOLO_HOURLY, "ProtonSpeed", "", "km/s", 3600, ""),
    (VECTOR_V, SOLO, "SOLO_L2_SWA-PAS-GRND-MOM", "V_RTN", "RTN", "km/s", 4, QUALITY),
    (T, SOLO, "SOLO_L2_SWA-PAS-GRND-MOM", "T", "", "eV", 4, QUALITY),
    (T, SOLO, SOLO_HOURLY, "protonTemp", "", "K", 3600, ""),
    (IONS, SOLO, "SOLO_L2_SWA-PAS-EFLUX", "eflux", "", "eV/(cm^2 s eV)", 4, QUALITY),
    (PROTONS, SOLO, "SOLO_L2_EPD-EPT-SUN-RATES", "Ion_Flux", "", _FLUX, 1, "ions, sunward"),
    (FAST_ELECTRONS, SOLO, "SOLO_L2_EPD-EPT-SUN-RATES", "Electron_Flux", "", _FLUX, 1, "sunward"),
    (DISTANCE, SOLO, "SOLO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (B, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "BFIELDRTN", "RTN", "nT", 60, ""),
    (B, "STEREO-A", "STA_L1_MAG_RTN", "BFIELD", "RTN", "nT", 0.125, LAST),
    (ABS_B, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "BTOTAL", "", "nT", 60, ""),
    (N, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "Np", "", "cm^-3", 60, ""),
    (N, "STEREO-{p}", "ST{p}_L2_PLA_1DMAX_1MIN", "proton_number_density", "", "cm^-3", 60, ""),
    (V, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "Vp", "", "km/s", 60, ""),
    (V, "STEREO-{p}", "ST{p}_L2_PLA_1DMAX_1MIN", "proton_bulk_speed", "", "km/s", 60, ""),
    (T, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "Tp", "", "K", 60, ""),
    (T, "STEREO-{p}", "ST{p}_L2_PLA_1DMAX_1MIN", "proton_temperature", "", "K", 60, ""),
    (PROTONS, "STEREO-{p}", "ST{p}_L1_HET", "Proton_Flux", "", PER_NUCLEON, 60, "13.6 to 100 MeV"),
    (FAST_ELECTRONS, "STEREO-{p}", "ST{p}_L1_HET", "Electron_Flux", "", PER_NUCLEON, 60, "0.7 to 4 MeV"),
    (DISTANCE, "STEREO-{p}", "ST{p}_L2_MAGPLASMA_1M", "R", "", "AU", 60, ""),
    (N, "SOHO", "SOHO_CELIAS-PM_5MIN", "N_p", "", "cm^-3", 300, ""),
    (V, "SOHO", "SOHO_CELIAS-PM_5MIN", "V_p", "", "km/s", 300, ""),
    (PROTONS, "SOHO", "SOHO_ERNE-HED_L2-1MIN", "PH", "", _FLUX, 60, "13 to 130 MeV"),
    (THERMAL, "Wind", "WI_H1_SWE", "Proton_W_nonlin", "", "km/s", 92, "fit; see fit_flag"),
    (THERMAL, "Wind", "WI_K0_SWE", "THERMAL_SPD", "", "km/s", 92, "preliminary"),
    (THERMAL, "SOHO", "SOHO_CELIAS-PM_5MIN", "Vth_p", "", "km/s", 300, ""),
    (THERMAL, "STEREO-{p}", "ST{p}_L2_PLA_1DMAX_1MIN", "proton_thermal_speed", "", "km/s", 60, ""),
    (THERMAL, PSP, "PSP_SWP_SPC_L3I", "wp_moment_gd", "", "km/s", None, ""),
    (THERMAL, "DSCOVR", "DSCOVR_H1_FC", "THERMAL_SPD", "", "km/s", 60, DQF),
    (NE, "Wind", "WI_H5_SWE", "N_elec", "", "cm^-3", 12, ""),
    (NE, "Wind", "WI_H0_WAV", "Ne", "", "cm^-3", None, "plasma line; see Ne_Quality"),
    (NE, "Wind", "WI_EM_3DP", "E_DENS", "", "cm^-3", 3, "not corrected for the spacecraft potential"),
    (TE, "Wind", "WI_H5_SWE", "T_elec", "", "K", 12, ""),
    (TE, "Wind", "WI_EM_3DP", "E_TEMP", "", "eV", 3, "not corrected for the spacecraft potential"),
    (NE, PSP, "PSP_FLD_L3_SQTN_RFS_V1V2", "electron_density", "", "cm^-3", None, "quasi-thermal noise"),
    (NE, PSP, "PSP_FLD_L3_RFS_LFR_QTN", "N_elec", "", "cm^-3", None, "quasi-thermal noise"),
    (NE, "MMS{n}", "MMS{n}_FPI_FAST_L2_DES-MOMS", "mms{n}_des_numberdensity_fast", "", "cm^-3", 4.5, ""),
    (NE, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peer_density", "", "cm^-3", 3, REDUCED),
    (TE, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peer_avgtemp", "", "eV", 3, REDUCED),
    (IONS, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-PA-L3", "FPDO", "", PER_KEV, None, "protons"),
    (ELECTRONS, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-PA-L3", "FEDO", "", PER_KEV, None, ""),
    (N, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-MOM-L3", "Dens_p_30", "", "cm^-3", None, PARTIAL),
    (FAST_ELECTRONS, "RBSP-{p}", "RBSP{p}_REL03_ECT-MAGEIS-L2", "FESA", "", PER_KEV, None, "20 keV to 4 MeV"),
    (FAST_ELECTRONS, "RBSP-{p}", "RBSP{p}_REL03_ECT-REPT-SCI-L2", "FESA", "", _FLUX, None, "2 to 20 MeV"),
    (PROTONS, "RBSP-{p}", "RBSP{p}_REL03_ECT-REPT-SCI-L2", "FPSA", "", _FLUX, None, "20 to 120 MeV"),
    (IONS, "Arase", "ERG_LEPI_L2_OMNIFLUX", "FPDO", "", PER_KEV, None, "protons"),
    (ELECTRONS, "Arase", "ERG_LEPE_L2_OMNIFLUX", "FEDO", "", "cm^-2 s^-1 sr^-1 eV^-1", None, ""),
    (FAST_ELECTRONS, "Arase", "ERG_HEP_L2_OMNIFLUX", "FEDO_L", "", PER_KEV, None, ""),
    (POSITION, "Arase", "ERG_ORB_L2", "pos_gsm", "GSM", "R_E", None, ""),
    (POSITION, "Arase", "ERG_ORB_L2", "pos_gse", "GSE", "R_E", None, ""),
    (B, "Geotail", "GE_EDA3SEC_MGF", "BGSE", "GSE", "nT", 3, "ends 2006-11-20"),
    (B, "Geotail", "GE_EDA3SEC_MGF", "BGSM", "GSM", "nT", 3, "ends 2006-11-20"),
    (N, "Geotail", "GE_H0_CPI", "SW_P_Den", "", "cm^-3", None, "ions of the solar wind"),
    (VECTOR_V, "Geotail", "GE_H0_CPI", "SW_Vc", "GSE", "km/s", None, "ions of the solar wind"),
    (T, "Geotail", "GE_H0_CPI", "SW_T", "", "K", None, "ions of the solar wind"),
    (POSITION, "Geotail", "GE_OR_DEF", "GSE_POS", "GSE", "km", None, ""),
    (POSITION, "Geotail", "GE_OR_DEF", "GSM_POS", "GSM", "km", None, ""),
    (B, "IMP-8", "I8_15SEC_MAG", "B_Vector_GSE", "GSE", "nT", 15, ""),
    (B, "IMP-8", "I8_15SEC_MAG", "B_Vector_GSM", "GSM", "nT", 15, ""),
    (ABS_B, "IMP-8", "I8_15SEC_MAG", "F1_Average_B_15s", "", "nT", 15, ""),
    (N, "IMP-8", "I8_H0_MITPLASMA", "proton_density_fit", "", "cm^-3", None, "any region"),
    (V, "IMP-8", "I8_H0_MITPLASMA", "V_fit", "", "km/s", None, "any region"),
    (B, "Helios-{v}", "HELIOS{v}_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "Helios-{v}", "HELIOS{v}_COHO1HR_MERGED_MAG_PLASMA", "B", "", "nT", 3600, ""),
    (N, "Helios-{v}", "HELIOS{v}_40SEC_MAG-PLASMA", "Np", "", "cm^-3", 40, ""),
    (V, "Helios-{v}", "HELIOS{v}_40SEC_MAG-PLASMA", "Vp", "", "km/s", 40, ""),
    (T, "Helios-{v}", "HELIOS{v}_40SEC_MAG-PLASMA", "Tp", "", "K", 40, ""),
    (N, "Helios-{v}", "HELIOS{v}_COHO1HR_MERGED_MAG_PLASMA", "protonDensity", "", "cm^-3", 3600, ""),
    (V, "Helios-{v}", "HELIOS{v}_COHO1HR_MERGED_MAG_PLASMA", "flowSpeed", "", "km/s", 3600, ""),
    (T, "Helios-{v}", "HELIOS{v}_COHO1HR_MERGED_MAG_PLASMA", "protonTemp", "", "K", 3600, ""),
    (DISTANCE, "Helios-{v}", "HELIOS{v}_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (B, "Polar", "PO_K0_MFE", "B_GSE", "GSE", "nT", None, ""),
    (B, "Polar", "PO_K0_MFE", "B_GSM", "GSM", "nT", None, ""),
    (ABS_B, "Polar", "PO_K0_MFE", "BT", "", "nT", None, ""),
    (B, "GOES-{g}", "GOES{g}_K0_MAG", "B_GSM_c", "GSM", "nT", None, ""),
    (B, "GOES-{g}", "GOES{g}_K0_MAG", "B_GSE_c", "GSE", "nT", None, ""),
    (N, "Cluster-{c}", "C{c}_PP_CIS", "N_p__C{c}_PP_CIS", "", "cm^-3", None, ""),
    (VECTOR_V, "Cluster-{c}", "C{c}_PP_CIS", "V_p_xyz_gse__C{c}_PP_CIS", "GSE", "km/s", None, ""),
    (N, "New Horizons", "NEW_HORIZONS_SWAP_SOLAR-WIND", "n", "", "cm^-3", None, ""),
    (V, "New Horizons", "NEW_HORIZONS_SWAP_SOLAR-WIND", "v", "", "km/s", None, ""),
    (T, "New Horizons", "NEW_HORIZONS_SWAP_SOLAR-WIND", "t", "", "K", None, ""),
    (DISTANCE, "New Horizons", "NEW_HORIZONS_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "heliocentricDistance", "", "AU", 3600, ""),
    (T, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "protonTempLarge", "", "K", 3600, "upper estimate"),
    (T, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "protonTemp", "", "K", 3600, ""),
    ("electric field", "OMNI", "OMNI_HRO_1MIN", "E", "", "mV/m", 60, NOSE),
    ("SYM-D", "OMNI", "OMNI_HRO_1MIN", "SYM_D", "", "nT", 60, ""),
    ("ASY-H", "OMNI", "OMNI_HRO_1MIN", "ASY_H", "", "nT", 60, ""),
    ("polar cap index", "OMNI", "OMNI_HRO_1MIN", "PC_N_INDEX", "", "", 60, "northern"),
    ("ap", "OMNI", "OMNI2_H0_MRG1HR", "AP_INDEX", "", "nT", 3600, ""),
    ("F10.7", "OMNI", "OMNI2_H0_MRG1HR", "F10_INDEX", "", "", 3600, ""),
    ("sunspot number", "OMNI", "OMNI2_H0_MRG1HR", "R", "", "", 3600, ""),
    ("solar Lyman alpha", "OMNI", "OMNI2_H0_MRG1HR", "Solar_Lyman_alpha", "", "W/m^2", 3600, ""),
    (PROTONS, "ACE", "AC_H1_EPM", "P7", "", _FLUX, 300, "ions, 1.05 to 1.91 MeV"),
    (FAST_ELECTRONS, "ACE", "AC_H1_EPM", "DE4", "", _FLUX, 300, "175 to 315 keV"),
    (B, "MMS{n}", "MMS{n}_FGM_SRVY_L2", "mms{n}_fgm_b_gse_srvy_l2", "GSE", "nT", None, LAST),
    (B, "MMS{n}", "MMS{n}_FGM_BRST_L2", "mms{n}_fgm_b_gse_brst_l2", "GSE", "nT", 1 / 128, LAST),
    (B, "MMS{n}", "MMS{n}_FGM_SRVY_L2", "mms{n}_fgm_b_gsm_srvy_l2", "GSM", "nT", None, LAST),
    (B, "MMS{n}", "MMS{n}_FGM_BRST_L2", "mms{n}_fgm_b_gsm_brst_l2", "GSM", "nT", 1 / 128, LAST),
    (N, "MMS{n}", "MMS{n}_FPI_FAST_L2_DIS-MOMS", "mms{n}_dis_numberdensity_fast", "", "cm^-3", 4.5, "all ions"),
    (N, "MMS{n}", "MMS{n}_FPI_BRST_L2_DIS-MOMS", "mms{n}_dis_numberdensity_brst", "", "cm^-3", 0.15, "all ions"),
    (VECTOR_V, "MMS{n}", "MMS{n}_FPI_FAST_L2_DIS-MOMS", "mms{n}_dis_bulkv_gse_fast", "GSE", "km/s", 4.5, "all ions"),
    (VECTOR_V, "MMS{n}", "MMS{n}_FPI_BRST_L2_DIS-MOMS", "mms{n}_dis_bulkv_gse_brst", "GSE", "km/s", 0.15, "all ions"),
    (IONS, "MMS{n}", "MMS{n}_FPI_FAST_L2_DIS-MOMS", "mms{n}_dis_energyspectr_omni_fast", "", _KEFLUX, 4.5, ""),
    (IONS, "MMS{n}", "MMS{n}_FPI_BRST_L2_DIS-MOMS", "mms{n}_dis_energyspectr_omni_brst", "", _KEFLUX, 0.15, ""),
    (ELECTRONS, "MMS{n}", "MMS{n}_FPI_FAST_L2_DES-MOMS", "mms{n}_des_energyspectr_omni_fast", "", _KEFLUX, 4.5, ""),
    (POSITION, "MMS{n}", "MMS{n}_MEC_SRVY_L2_EPHT89D", "mms{n}_mec_r_gsm", "GSM", "km", 30, ""),
    (B, "THEMIS-{p}", "TH{p}_L2_FGM", "th{p}_fgs_gse", "GSE", "nT", 3, "good ones: th?_fgs_gseQ"),
    (B, "THEMIS-{p}", "TH{p}_L2_FGM", "th{p}_fgs_gsm", "GSM", "nT", 3, "good ones: th?_fgs_gsmQ"),
    (ABS_B, "THEMIS-{p}", "TH{p}_L2_FGM", "th{p}_fgs_btotal", "", "nT", 3, "all qualities"),
    (B, "THEMIS-{p}", "TH{p}_L2_FGM", "th{p}_fgl_gse", "GSE", "nT", 0.25, "good ones: th?_fgl_gseQ"),
    (B, "THEMIS-{p}", "TH{p}_L2_FGM", "th{p}_fgl_gsm", "GSM", "nT", 0.25, "good ones: th?_fgl_gsmQ"),
    (N, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peir_density", "", "cm^-3", 3, REDUCED_IONS),
    (N, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_density", "", "cm^-3", None, FULL_IONS),
    (VECTOR_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peir_velocity_gse", "GSE", "km/s", 3, REDUCED_IONS),
    (VECTOR_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peir_velocity_gsm", "GSM", "km/s", 3, REDUCED_IONS),
    (T, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peir_avgtemp", "", "eV", 3, REDUCED_IONS),
    (IONS, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peir_en_eflux", "", _EFLUX, 3, REDUCED),
    (IONS, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_en_eflux", "", _EFLUX, None, FULL),
    (ELECTRONS, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peer_en_eflux", "", _EFLUX, 3, REDUCED),
    (FAST_ELECTRONS, "THEMIS-{p}", "TH{p}_L2_SST", "th{p}_psef_en_eflux", "", _EFLUX, None, ""),
    (POSITION, "THEMIS-{p}", "TH{p}_OR_SSC", "XYZ_GSM", "GSM", "R_E", 60, ""),
    (POSITION, "THEMIS-{p}", "TH{p}_OR_SSC", "XYZ_GSE", "GSE", "R_E", 60, ""),
    (B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GSM_EMFISIS-L3", "Mag", "GSM", "nT", 4, FLAGS),
    (B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GSE_EMFISIS-L3", "Mag", "GSE", "nT", 4, FLAGS),
    (B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-SM_EMFISIS-L3", "Mag", "SM", "nT", 4, FLAGS),
    (B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GEO_EMFISIS-L3", "Mag", "GEO", "nT", 4, FLAGS),
    (B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GEI_EMFISIS-L3", "Mag", "GEI", "nT", 4, FLAGS),
    (ABS_B, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GSM_EMFISIS-L3", "Magnitude", "", "nT", 4, FLAGS),
    (B, "Cluster-{n}", "C{n}_CP_FGM_SPIN", "B_vec_xyz_gse__C{n}_CP_FGM_SPIN", "GSE", "nT", 4, ""),
    (B, "Cluster-{n}", "C{n}_CP_FGM_5VPS", "B_vec_xyz_gse__C{n}_CP_FGM_5VPS", "GSE", "nT", 0.2, ""),
    (ABS_B, "Cluster-{n}", "C{n}_CP_FGM_SPIN", "B_mag__C{n}_CP_FGM_SPIN", "", "nT", 4, ""),
    (B, "Arase", "ERG_MGF_L2_8SEC", "mag_8sec_gse", "GSE", "nT", 8, ""),
    (B, "Arase", "ERG_MGF_L2_8SEC", "mag_8sec_gsm", "GSM", "nT", 8, ""),
    (B, "Arase", "ERG_MGF_L2_8SEC", "mag_8sec_sm", "SM", "nT", 8, ""),
    (ABS_B, "Arase", "ERG_MGF_L2_8SEC", "magt_8sec", "", "nT", 8, ""),
    (POSITION, "RBSP-{p}", "RBSP-{p}_MAGNETOMETER_4SEC-GSM_EMFISIS-L3", "coordinates", "GSM", "km", 4, ""),
    (B, "MAVEN", "MVN_MAG_L2-SUNSTATE-1SEC", "OB_B", "MSO", "nT", 1, ""),
    (N, "MAVEN", "MVN_SWI_L2_ONBOARDSVYMOM", "density", "", "cm^-3", None, "all ions; see quality_flag"),
    (VECTOR_V, "MAVEN", "MVN_SWI_L2_ONBOARDSVYMOM", "velocity_mso", "MSO", "km/s", None, "all ions; see quality_flag"),
    (IONS, "MAVEN", "MVN_SWI_L2_ONBOARDSVYSPEC", "spectra_diff_en_fluxes", "", _EFLUX, None, ""),
    (POSITION, "MAVEN", "MVN_MAG_L2-SUNSTATE-1SEC", "POSN", "MSO", "km", 1, ""),
    (B, "Ulysses", "UY_1MIN_VHM", "B_RTN", "RTN", "nT", 60, ""),
    (B, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "Ulysses", "UY_1MIN_VHM", "B_MAG", "", "nT", 60, ""),
    (ABS_B, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "ABS_B", "", "nT", 3600, ""),
    (N, "Ulysses", "UY_PROTON-MOMENTS_SWOOPS", "dens", "", "cm^-3", None, ""),
    (N, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "protonDensity", "", "cm^-3", 3600, ""),
    (V, "Ulysses", "UY_PROTON-MOMENTS_SWOOPS", "V_MAG", "", "km/s", None, ""),
    (V, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "plasmaFlowSpeed", "", "km/s", 3600, ""),
    (B, "Voyager-{v}", "VOYAGER{v}_48S_MAG-VIM", "BR BT BN", "RTN", "nT", 48, ""),
    (B, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "Voyager-{v}", "VOYAGER{v}_48S_MAG-VIM", "F1", "", "nT", 48, ""),
    (ABS_B, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "ABS_B", "", "nT", 3600, ""),
    (DISTANCE, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "heliocentricDistance", "", "AU",
     3600, ""),
    (VECTOR_V, "Voyager-{v}", "VOYAGER{v}_PLS_HIRES_PLASMA_DATA", "V_rtn", "RTN", "km/s", None, ""),
    (VECTOR_V, "Voyager-2", "VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH", "V_rtn", "RTN", "km/s", None, "heliosheath"),
    (VECTOR_V, "Ulysses", "UY_PROTON-MOMENTS_SWOOPS", "VR VT VN", "RTN", "km/s", None, ""),
    (VECTOR_V, "STEREO-A", "STA_L2_PLA_1DMAX_1MIN", "proton_Vr_RTN proton_Vt_RTN proton_Vn_RTN", "RTN", "km/s", 60, ""),
    (VECTOR_V, "Wind", "WI_K0_SWE_RTN", "V_RTN", "RTN", "km/s", 92, "preliminary"),
    (N, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "protonDensity", "", "cm^-3", 3600, ""),
    (V, "Voyager-{v}", "VOYAGER{v}_COHO1HR_MERGED_MAG_PLASMA", "V", "", "km/s", 3600, ""),
    (V, "Voyager-{v}", "VOYAGER{v}_PLS_HIRES_PLASMA_DATA", "V", "", "km/s", None, ""),
    (V, "Voyager-2", "VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH", "V", "", "km/s", None, "heliosheath"),
    (N, "Voyager-2", "VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH", "dens", "", "cm^-3", None, "heliosheath"),
    (T, "Voyager-2", "VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH", "T", "", "eV", None, "heliosheath"),
    ("magnetosonic Mach number", "OMNI", "OMNI_HRO_1MIN", "Mgs_mach_num", "", "", 60, ""),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_10", "", _INTEGRAL, 3600, ">10 MeV"),
    (PROTONS, "OMNI", "OMNI_HRO_5MIN", "PR-FLX_10", "", _INTEGRAL, 300, ">10 MeV"),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_1", "", _INTEGRAL, 3600, ">1 MeV"),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_2", "", _INTEGRAL, 3600, ">2 MeV"),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_4", "", _INTEGRAL, 3600, ">4 MeV"),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_30", "", _INTEGRAL, 3600, ">30 MeV"),
    (PROTONS, "OMNI", "OMNI2_H0_MRG1HR", "PR-FLX_60", "", _INTEGRAL, 3600, ">60 MeV"),
    (ALPHA_RATIO, "OMNI", "OMNI2_H0_MRG1HR", "Ratio", "", "", 3600, NOSE),
    (ALPHA_RATIO, "ACE", "AC_H0_SWE", "alpha_ratio", "", "", 64, "ends 2024-07-09"),
    ("O7/O6", "ACE", "AC_H3_SW2", "O7to6", "", "", 7200, "from 2012"),
    ("O7/O6", "ACE", "AC_H2_SWI", "O7to6", "", "", 3600, "until 2011"),
    ("O7/O6", "ACE", "AC_H3_SWI", "O7to6", "", "", 7200, "until 2011"),
    ("C6/C5", "ACE", "AC_H3_SW2", "C6to5", "", "", 7200, "from 2012"),
    ("C6/C5", "ACE", "AC_H2_SWI", "C6to5", "", "", 3600, "until 2011"),
    ("C6/C5", "ACE", "AC_H3_SWI", "C6to5", "", "", 7200, "until 2011"),
    ("Fe/O", "ACE", "AC_H3_SW2", "FetoO", "", "", 7200, "from 2012"),
    ("Fe/O", "ACE", "AC_H3_SWI", "FetoO", "", "", 7200, "until 2011"),
    ("mean iron charge", "ACE", "AC_H3_SW2", "avqFe", "", "ionic charge", 7200, "from 2012"),
    ("mean iron charge", "ACE", "AC_H2_SWI", "avqFe", "", "ionic charge", 3600, "until 2011"),
    ("mean iron charge", "ACE", "AC_H3_SWI", "avqFe", "", "ionic charge", 7200, "until 2011"),
    (RADIO, "Wind", "WI_L2_WAV_RAD1", "PSD_V2_SP", "", "V^2/Hz", None, ""),
    (RADIO, "Wind", "WI_L2_WAV_RAD2", "PSD_V2_SP", "", "V^2/Hz", None, ""),
    (RADIO, "Wind", "WI_L2_WAV_TNR", "PSD_V2", "", "V^2/Hz", None, ""),
    (RADIO, "STEREO-{p}", "ST{p}_L3_WAV_HFR", "PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (RADIO, "STEREO-{p}", "ST{p}_L3_WAV_LFR", "PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (RADIO, PSP, "PSP_FLD_L3_RFS_HFR", "psp_fld_l3_rfs_hfr_PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (RADIO, PSP, "PSP_FLD_L3_RFS_LFR", "psp_fld_l3_rfs_lfr_PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (RADIO, SOLO, "SOLO_L3_RPW-HFR-SURV-FLUX", "PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (RADIO, SOLO, "SOLO_L3_RPW-TNR-SURV-FLUX", "PSD_FLUX", "", "W/(m^2 Hz)", None, ""),
    (NE, SOLO, "SOLO_L3_RPW-BIA-DENSITY-10-SECONDS", "DENSITY", "", "cm^-3", 10, ""),
    (PROTONS, SOLO, "SOLO_L2_EPD-HET-SUN-RATES", "H_Flux", "", _FLUX, None, "sunward"),
    (FAST_ELECTRONS, SOLO, "SOLO_L2_EPD-HET-SUN-RATES", "Electron_Flux", "", _FLUX, None, "sunward"),
    (PROTONS, "SOHO", "SOHO_COSTEP-EPHIN_L3I-5MIN", "P_int", "", _FLUX, 300, "4 to 53 MeV"),
    ("O7/O6", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "O7_O6_RATIO", "", "", 600, ""),
    ("C6/C5", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "C6_C5_RATIO", "", "", 600, ""),
    ("Fe/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "FE_O_ABUN", "", "", 600, ""),
    ("mean iron charge", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "FE_AVE_CHARGE", "", "", 600, ""),
    ("O7/O6", "Ulysses", "UY_M1_SCS", "RATO7_O6", "", "", 12600, ""),
    ("C6/C5", "Ulysses", "UY_M1_SCS", "RATC6_C5", "", "", 12600, ""),
    ("mean iron charge", "Ulysses", "UY_M1_SCS", "FECHARGE", "", "", 12600, ""),
    ("mean iron charge", "STEREO-{p}", "ST{p}_L2_PLA_IRON_Q_2HR", "Fe_aveQ", "", "Charge state", 7200, ""),
    (NE, "MMS{n}", "MMS{n}_FPI_BRST_L2_DES-MOMS", "mms{n}_des_numberdensity_brst", "", "cm^-3", 0.03, ""),
    (ELECTRONS, "MMS{n}", "MMS{n}_FPI_BRST_L2_DES-MOMS", "mms{n}_des_energyspectr_omni_brst", "", _KEFLUX, 0.03, ""),
    (E, "MMS{n}", "MMS{n}_EDP_FAST_L2_DCE", "mms{n}_edp_dce_gse_fast_l2", "GSE", "mV/m", 1 / 32, ""),
    (E, "MMS{n}", "MMS{n}_EDP_BRST_L2_DCE", "mms{n}_edp_dce_gse_brst_l2", "GSE", "mV/m", 1 / 8192, ""),
    (POTENTIAL, "MMS{n}", "MMS{n}_EDP_FAST_L2_SCPOT", "mms{n}_edp_scpot_fast_l2", "", "V", None, ""),
    (POTENTIAL, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_sc_pot", "", "V", None, FULL_IONS),
    (POSITION, "MMS{n}", "MMS{n}_MEC_SRVY_L2_EPHT89D", "mms{n}_mec_r_gse", "GSE", "km", 30, ""),
    (E, "THEMIS-{p}", "TH{p}_L2_EFI", "th{p}_efs_dot0_gse", "GSE", "mV/m", 3, "from E·B = 0"),
    (E, "THEMIS-{p}", "TH{p}_L2_EFI", "th{p}_efs_dot0_gsm", "GSM", "mV/m", 3, "from E·B = 0"),
    (NE, "RBSP-{p}", "RBSP-{p}_DENSITY_EMFISIS-L4", "density", "", "cm^-3", None, "from the upper-hybrid line"),
    (N, "Cluster-{c}", "C{c}_PP_CIS", "N_HIA__C{c}_PP_CIS", "", "cm^-3", None, "HIA: all ions"),
    (VECTOR_V, "Cluster-{c}", "C{c}_PP_CIS", "V_HIA_xyz_gse__C{c}_PP_CIS", "GSE", "km/s", None, "HIA: all ions"),
    (NE, "Cluster-{n}", "C{n}_PP_PEA", "N_e_den__C{n}_PP_PEA", "", "cm^-3", None, ""),
    (NE, "Cluster-{n}", "C{n}_PP_WHI", "N_e_res__C{n}_PP_WHI", "", "cm^-3", None, ""),
    (FAST_ELECTRONS, "GOES-{e}", "GOES{e}_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN", "E2W_COR_FLUX", "", _INTEGRAL, 60,
     ">2 MeV, westward"),
    (FAST_ELECTRONS, "GOES-{e}", "GOES{e}_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN", "E1W_COR_FLUX", "", _INTEGRAL, 60,
     ">0.8 MeV, westward"),
    (ABS_B, "GOES-{g}", "G{g}_L2_MAG", "g{g}_b_tot", "", "nT", None, ""),
    (ELECTRONS, "MAVEN", "MVN_SWE_L2_SVYSPEC", "diff_en_fluxes", "", _EFLUX, None, ""),
    (NE, "MAVEN", "MVN_INSITU_KP-4SEC", "LPW_Electron_density", "", "cm^-3", 4, ""),
    (NE, "MAVEN", "MVN_INSITU_KP-4SEC", "SWEA_Electron_density", "", "cm^-3", 4, ""),
    (T, "MAVEN", "MVN_INSITU_KP-4SEC", "SWIA_Hplus_temperature", "", "eV", 4, ""),
    ("dynamic pressure", "MAVEN", "MVN_INSITU_KP-4SEC", "SWIA_dynamic_pressure", "", "nPa", 4, ""),
    (B, "ISEE-3", "ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA", "B_se", "GSE", "nT", 120, ""),
    (ABS_B, "ISEE-3", "ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA", "B_mag", "", "nT", 120, ""),
    (N, "ISEE-3", "ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA", "Np", "", "cm^-3", 120, ""),
    (V, "ISEE-3", "ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA", "Vp", "", "km/s", 120, ""),
    (T, "ISEE-3", "ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA", "Temp", "", "K", 120, ""),
    (N, "Pioneer Venus", "PIONEERVENUS_COHO1HR_MERGED_MAG_PLASMA", "protonDensity", "", "cm^-3", 3600, ""),
    (V, "Pioneer Venus", "PIONEERVENUS_MERGED_SOLAR-WIND_10M", "solar_wind_speed", "", "km/s", 600, ""),
    (ABS_B, "Pioneer Venus", "PIONEERVENUS_MERGED_SOLAR-WIND_10M", "B", "", "nT", 600, ""),
    (V, "Pioneer Venus", "PIONEERVENUS_COHO1HR_MERGED_MAG_PLASMA", "flowSpeed", "", "km/s", 3600, ""),
    (B, "Pioneer-{t}", "PIONEER{t}_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "Pioneer-{t}", "PIONEER{t}_COHO1HR_MERGED_MAG_PLASMA", "B", "", "nT", 3600, ""),
    (N, "Pioneer-{t}", "PIONEER{t}_COHO1HR_MERGED_MAG_PLASMA", "protonDensity", "", "cm^-3", 3600, ""),
    (V, "Pioneer-{t}", "PIONEER{t}_COHO1HR_MERGED_MAG_PLASMA", "flowSpeed", "", "km/s", 3600, ""),
    (DISTANCE, "Pioneer-{t}", "PIONEER{t}_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (B, "Cassini", "CASSINI_MAG_1MIN_MAGNETIC_FIELD", "B_comp", "", "nT", 60, "to 2004; no frame is stated"),
    (ABS_B, "Cassini", "CASSINI_MAG_1MIN_MAGNETIC_FIELD", "B_mag", "", "nT", 60, "to 2004"),
    (B, "MESSENGER", "MESSENGER_MAG_RTN", "B_radial B_tangential B_normal", "RTN", "nT", None, "all qualities"),
    (B, "ISEE-{i}", "ISEE{i}_60SEC_MFI", "BX_GSE BY_GSE BZ_GSE", "GSE", "nT", 60, ""),
    (B, "ISEE-{i}", "ISEE{i}_60SEC_MFI", "BX_GSM BY_GSM BZ_GSM", "GSM", "nT", 60, ""),
    (ABS_B, "ISEE-{i}", "ISEE{i}_60SEC_MFI", "BTOT", "", "nT", 60, ""),
    (ABS_B, "ISEE-{i}", "ISEE{i}_4SEC_MFI", "BT", "", "nT", 4, "12-second average"),
    (N, "ISEE-1", "ISEE1_H2_FPE", "DEN", "", "cm^-3", 24, "solar wind"),
    (V, "ISEE-1", "ISEE1_H2_FPE", "Speed", "", "km/s", 24, "solar wind"),
    (ABS_B, "ISEE-3", "ISEE-3_MAG_1MIN_MAGNETIC_FIELD", "B_mag", "", "nT", 60, ""),
    (N, "Genesis", "GENESIS_3DL2_GIM", "Proton_Density", "", "cm^-3", None, ""),
    (V, "Genesis", "GENESIS_3DL2_GIM", "Proton_Speed", "", "km/s", None, ""),
    (T, "Genesis", "GENESIS_3DL2_GIM", "Proton_Temperature", "", "K", None, ""),
    (VECTOR_V, "Genesis", "GENESIS_3DL2_GIM", "Proton_Velocity_gse", "GSE", "km/s", None, ""),
    (VECTOR_V, "Genesis", "GENESIS_3DL2_GIM", "Proton_Velocity_rtn", "RTN", "km/s", None, ""),
    (B, "Pioneer Venus", "PIONEERVENUS_COHO1HR_MERGED_MAG_PLASMA", "BR BT BN", "RTN", "nT", 3600, ""),
    (ABS_B, "Pioneer Venus", "PIONEERVENUS_COHO1HR_MERGED_MAG_PLASMA", "B", "", "nT", 3600, ""),
    (T, "Pioneer Venus", "PIONEERVENUS_COHO1HR_MERGED_MAG_PLASMA", "protonTemp", "", "K", 3600, ""),
    (B, "GOES-{e}", "DN_MAGN-L2-HIRES_G{e}", "b_gsm", "GSM", "nT", 0.512, ""),
    (B, "GOES-{e}", "DN_MAGN-L2-HIRES_G{e}", "b_gse", "GSE", "nT", 0.512, ""),
    (B, "GOES-{r}", "DN_MAGN-L2-HIRES_G{r}", "b_gsm", "GSM", "nT", 0.1, ""),
    (B, "GOES-{r}", "DN_MAGN-L2-HIRES_G{r}", "b_gse", "GSE", "nT", 0.1, ""),
    (B, "GOES-{h}", "G{h}_K0_MAG", "B_GSM_c", "GSM", "nT", None, ""),
    (B, "GOES-{h}", "G{h}_K0_MAG", "B_GSE_c", "GSE", "nT", None, ""),
    (ALPHAS, "Wind", "WI_H1_SWE", "Alpha_Na_nonlin", "", "cm^-3", 92, "fit; see fit_flag"),
    (ALPHAS, "Wind", "WI_PM_3DP", "A_DENS", "", "cm^-3", 3, "see VALID"),
    (ALPHAS, PSP, "PSP_SWP_SPI_SF0A_L3_MOM", "DENS", "", "cm^-3", None, "partial moment"),
    (ALPHAS, "Ulysses", "UY_ALPHA-MOMENTS_SWOOPS", "dens", "", "cm^-3", None, ""),
    (ALPHAS, "Ulysses", "UY_COHO1HR_MERGED_MAG_PLASMA", "alphaDensity", "", "cm^-3", 3600, ""),
    (ALPHAS, "Helios-{v}", "HELIOS{v}_40SEC_MAG-PLASMA", "N_a", "", "cm^-3", 40, ""),
    (ALPHAS, "STEREO-A", "STA_L2_PLA_ALPHA_RA_1DMAX_10MIN", "alpha_density", "", "cm^-3", 600, "ends 2010-12-31"),
    (ALPHA_RATIO, "STEREO-A", "STA_L2_PLA_ALPHA_RA_1DMAX_10MIN", "Na_Np", "", "", 600, "ends 2010-12-31"),
    (ALPHA_RATIO, "Genesis", "GENESIS_3DL2_GIM", "Alpha_Proton_ratio", "", "", None, ""),
    ("He/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "HE_O_ABUN", "", "", 600, ""),
    ("C/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "C_O_ABUN", "", "", 600, ""),
    ("Ne/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "NE_O_ABUN", "", "", 600, ""),
    ("Mg/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "MG_O_ABUN", "", "", 600, ""),
    ("Si/O", SOLO, "SOLO_L3_SWA-HIS-COMP-10MIN", "SI_O_ABUN", "", "", 600, ""),
    (ALPHA_RATIO, "OMNI", "OMNI_HRO2_1MIN", "NaNp_Ratio", "", "", 60, NOSE),
    (N, "Wind", "WI_H1_SWE", "Proton_Np_moment", "", "cm^-3", 92, "moment"),
    (V, "Wind", "WI_H1_SWE", "Proton_V_moment", "", "km/s", 92, "moment"),
    (THERMAL, "Wind", "WI_H1_SWE", "Proton_W_moment", "", "km/s", 92, "moment"),
    (DISTANCE, "Cassini", "CASSINI_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "MESSENGER", "MESSENGER_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "JUNO", "JUNO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Galileo", "GALILEO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Giotto", "GIOTTO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Dawn", "DAWN_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Rosetta", "ROSETTA_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "BepiColombo", "BEPICOLOMBO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Sakigake", "SAKIGAKE_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Suisei", "SUISEI_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Phobos-2", "PHOBOS2_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "MAVEN", "MAVEN_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "ISEE-3", "ISEE-3_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "SOHO", "SOHO_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (DISTANCE, "Wind", "WIND_HELIO1HR_POSITION", "RAD_AU", "", "AU", 3600, ""),
    (LATITUDE, "Ulysses", "ULYSSES_HELIO1HR_POSITION", "HGI_LAT", "", "deg", 3600, ""),
    (LATITUDE, "STEREO-A", "STA_HELIO1HR_POSITION", "HGI_LAT", "", "deg", 3600, ""),
    (LATITUDE, "STEREO-B", "STB_HELIO1HR_POSITION", "HGI_LAT", "", "deg", 3600, ""),
    (T_PARALLEL, "MMS{n}", "MMS{n}_FPI_FAST_L2_DIS-MOMS", "mms{n}_dis_temppara_fast", "", "eV", 4.5, "all ions"),
    (T_PARALLEL, "MMS{n}", "MMS{n}_FPI_BRST_L2_DIS-MOMS", "mms{n}_dis_temppara_brst", "", "eV", 0.15, "all ions"),
    (T_PARALLEL, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-MOM-L3", "Tpar_p_30", "", "eV", None, PARTIAL_T),
    (T_PARALLEL, "Ulysses", "UY_PROTON-MOMENTS_SWOOPS", "Tpar", "", "K", None, ""),
    (T_PERPENDICULAR, "MMS{n}", "MMS{n}_FPI_FAST_L2_DIS-MOMS", "mms{n}_dis_tempperp_fast", "", "eV", 4.5, "all ions"),
    (T_PERPENDICULAR, "MMS{n}", "MMS{n}_FPI_BRST_L2_DIS-MOMS", "mms{n}_dis_tempperp_brst", "", "eV", 0.15, "all ions"),
    (T_PERPENDICULAR, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-MOM-L3", "Tperp_p_30", "", "eV", None, PARTIAL_T),
    (T_PERPENDICULAR, "Ulysses", "UY_PROTON-MOMENTS_SWOOPS", "Tper", "", "K", None, ""),
    (TE_PARALLEL, "MMS{n}", "MMS{n}_FPI_FAST_L2_DES-MOMS", "mms{n}_des_temppara_fast", "", "eV", 4.5, ""),
    (TE_PARALLEL, "MMS{n}", "MMS{n}_FPI_BRST_L2_DES-MOMS", "mms{n}_des_temppara_brst", "", "eV", 0.03, ""),
    (TE_PARALLEL, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-MOM-L3", "Tpar_e_200", "", "eV", None, PARTIAL_TE),
    (TE_PARALLEL, "Cluster-{n}", "C{n}_PP_PEA", "T_e_par__C{n}_PP_PEA", "", "MK", None, ""),
    (TE_PARALLEL, "Wind", "WI_H5_SWE", "Te_pal", "", "K", 12, ""),
    (TE_PERPENDICULAR, "MMS{n}", "MMS{n}_FPI_FAST_L2_DES-MOMS", "mms{n}_des_tempperp_fast", "", "eV", 4.5, ""),
    (TE_PERPENDICULAR, "MMS{n}", "MMS{n}_FPI_BRST_L2_DES-MOMS", "mms{n}_des_tempperp_brst", "", "eV", 0.03, ""),
    (TE_PERPENDICULAR, "RBSP-{p}", "RBSP{p}_REL04_ECT-HOPE-MOM-L3", "Tperp_e_200", "", "eV", None, PARTIAL_TE),
    (TE_PERPENDICULAR, "Cluster-{n}", "C{n}_PP_PEA", "T_e_perp__C{n}_PP_PEA", "", "MK", None, ""),
    (TE_PERPENDICULAR, "Wind", "WI_H5_SWE", "Te_per", "", "K", 12, ""),
    (ELECTRON_V, "MMS{n}", "MMS{n}_FPI_FAST_L2_DES-MOMS", "mms{n}_des_bulkv_gse_fast", "GSE", "km/s", 4.5, ""),
    (ELECTRON_V, "MMS{n}", "MMS{n}_FPI_BRST_L2_DES-MOMS", "mms{n}_des_bulkv_gse_brst", "GSE", "km/s", 0.03, ""),
    (ELECTRON_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peer_velocity_gse", "GSE", "km/s", 3, REDUCED),
    (ELECTRON_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peer_velocity_gsm", "GSM", "km/s", 3, REDUCED),
    (VECTOR_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_velocity_gse", "GSE", "km/s", None, FULL_IONS),
    (VECTOR_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_velocity_gsm", "GSM", "km/s", None, FULL_IONS),
    (T, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peif_avgtemp", "", "eV", None, FULL_IONS),
    (NE, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peef_density", "", "cm^-3", None, FULL),
    (TE, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peef_avgtemp", "", "eV", None, FULL),
    (ELECTRON_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peef_velocity_gse", "GSE", "km/s", None, FULL),
    (ELECTRON_V, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peef_velocity_gsm", "GSM", "km/s", None, FULL),
    (ELECTRONS, "THEMIS-{p}", "TH{p}_L2_ESA", "th{p}_peef_en_eflux", "", _EFLUX, None, FULL),
    (ELECTRON_V, "Cluster-{n}", "C{n}_PP_PEA", "V_e_xyz_gse__C{n}_PP_PEA", "GSE", "km/s", None, ""),
    (ELECTRON_V, "Wind", "WI_H5_SWE", "U_eGSE", "GSE", "km/s", 12, ""),
    (ELECTRON_V, "Wind", "WI_EM_3DP", "E_VELS", "GSE", "km/s", 3, "not corrected for the spacecraft potential"),
    (ALPHA_V, "Wind", "WI_PM_3DP", "A_VELS", "GSE", "km/s", 3, "see VALID"),
    (ALPHA_V, "Ulysses", "UY_ALPHA-MOMENTS_SWOOPS", "VR VT VN", "RTN", "km/s", None, ""),
    (MODEL_B, "Arase", "ERG_MGF_L2_8SEC", "igrf_8sec_gsm", "GSM", "nT", 8, "IGRF"),
    (MODEL_B, "Arase", "ERG_MGF_L2_8SEC", "igrf_8sec_gse", "GSE", "nT", 8, "IGRF"),
    (MODEL_B, "Arase", "ERG_MGF_L2_8SEC", "igrf_8sec_sm", "SM", "nT", 8, "IGRF"),
    (POSITION, "GOES-{s}", "GOES{s}_EPHEMERIS_SSC", "XYZ_GSM", "GSM", "R_E", 60, ""),
    (POSITION, "GOES-{s}", "GOES{s}_EPHEMERIS_SSC", "XYZ_GSE", "GSE", "R_E", 60, ""),
    (POSITION, "Cluster-{n}", "C{n}_CP_FGM_SPIN", "sc_pos_xyz_gse__C{n}_CP_FGM_SPIN", "GSE", "km", None, ""),
    (POSITION, "Polar", "PO_K0_MFE", "POS_GSM", "GSM", "R_E", None, "ends 2006-05-31"),
    (POSITION, "Polar", "PO_K0_MFE", "POS_GSE", "GSE", "R_E", None, "ends 2006-05-31"),
    (POSITION, "IMP-8", "I8_OR_SSC", "XYZ_GSE_Time", "GSE", "R_E", None, ""),
    (POSITION, "IMP-8", "I8_OR_SSC", "XYZ_GSM_Time", "GSM", "R_E", None, ""),
    (POSITION, "IBEX", "IBEX_OR_SSC", "XYZ_GSE", "GSE", "R_E", None, ""),
    (POSITION, "SOHO", "SOHO_CELIAS-PM_5MIN", "GSE_POS", "GSE", "R_E", 300, ""),
    (POSITION, "Genesis", "GENESIS_3DL2_GIM", "Genesis_Location_gse", "GSE", "km", None, ""),
    (L_SHELL, "THEMIS-{p}", "TH{p}_OR_SSC", "L_VALUE", "", "", 60, "dipole"),
    (L_SHELL, "GOES-{s}", "GOES{s}_EPHEMERIS_SSC", "L_VALUE", "", "", 60, "dipole"),
    (L_SHELL, "MMS{n}", "MMS{n}_MEC_SRVY_L2_EPHT89D", "mms{n}_mec_l_dipole", "", "", 30, "dipole"),
    (L_SHELL, "RBSP-{p}", "RBSP{p}_EFW-L3", "lshell", "", "", None, ""),
    (L_SHELL, "Polar", "PO_OR_PRE", "L_SHELL", "", "R_E", None, "predicted"),
    (MLT, "THEMIS-{p}", "TH{p}_OR_SSC", "SM_LCT_T", "", "h", 60, "local time in SM"),
    (MLT, "GOES-{s}", "GOES{s}_EPHEMERIS_SSC", "SM_LCT_T", "", "h", 60, "local time in SM"),
    (MLT, "MMS{n}", "MMS{n}_MEC_SRVY_L2_EPHT89D", "mms{n}_mec_mlt", "", "h", 30, ""),
    (MLT, "RBSP-{p}", "RBSP{p}_EFW-L3", "mlt", "", "h", None, ""),
    (MLT, "Polar", "PO_OR_PRE", "EDMLT_TIME", "", "h", None, "eccentric dipole; predicted"),
    ("He/O", "ACE", "AC_H3_SWI", "HetoO", "", "", 7200, "until 2011"),
    ("C/O", "ACE", "AC_H3_SWI", "CtoO", "", "", 7200, "until 2011"),
    ("Ne/O", "ACE", "AC_H3_SWI", "NetoO", "", "", 7200, "until 2011"),
    ("Mg/O", "ACE", "AC_H3_SWI", "MgtoO", "", "", 7200, "until 2011"),
    ("Si/O", "ACE", "AC_H3_SWI", "SitoO", "", "", 7200, "until 2011"),
)  # fmt: skip

_FAMILIES: dict[str, tuple[str, ...]] = {"THEMIS": tuple("ABCDE"), "STEREO": tuple("AB"), "RBSP": tuple("AB")}
_FIELDS = {
    "n": ("1", "2", "3", "4"),
    "v": ("1", "2"),
    "g": ("11", "12"),
    "c": ("1", "3", "4"),
    "e": ("13", "14", "15"),
    "s": ("8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18"),
    "t": ("10", "11"),
    "h": ("6", "7"),
    "r": ("16", "17", "18", "19"),
    "i": ("1", "2"),
}


def _rows() -> Iterator[QuantitySource]:
    for quantity, craft, dataset, parameters, frame, unit, cadence, note in _TABLE:
        field = re.search(r"\{(\w)\}", craft)
        if field is None:
            values: tuple[str, ...] = ("",)
        else:
            values = _FIELDS.get(field[1]) or _FAMILIES[craft.partition("-")[0]]
        for value in values:
            filled = dict.fromkeys((*_FIELDS, "p"), value)
            named = tuple(name.format(**filled | {"p": value.lower()}) for name in parameters.split())
            source = QuantitySource(
                quantity, craft.format(**filled), dataset.format(**filled), named, frame, unit, cadence, note
            )
            yield source
            if dataset.endswith("_HELIO1HR_POSITION"):
                if quantity == DISTANCE:
                    yield replace(source, quantity=LATITUDE, parameters=("HGI_LAT",), unit="deg")
                yield replace(source, quantity=LONGITUDE, parameters=("HGI_LON",), unit="deg")
                yield replace(source, quantity=CARRINGTON_LONGITUDE, parameters=("HG_LON",), unit="deg")
            if dataset == "OMNI_HRO_1MIN":  # the same parameters, averaged
                yield replace(source, dataset="OMNI_HRO_5MIN", cadence=300)


SOURCES: tuple[QuantitySource, ...] = tuple(_rows())


def quantities() -> list[str]:
    """Return the names of all quantities that helio knows."""
    return list(dict.fromkeys(source.quantity for source in SOURCES))


def sources_of(quantity: str, spacecraft: str, *, frame: str = "") -> list[QuantitySource]:
    """Return the datasets that hold a quantity of a spacecraft, the best first; the result may be empty.

    Parameters
    ----------
    spacecraft : str
        Its name or an alias, upper and lower case alike: ``ACE``, ``PSP``, ``mms 2``.
    frame : str
        Only in this frame; in every frame when left out.
    """
    name = spacecraft_named(spacecraft)
    return [
        source
        for source in SOURCES
        if source.quantity == quantity and source.spacecraft == name and frame in ("", source.frame)
    ]


def rows_of(entry: CatalogueEntry) -> list[QuantitySource]:
    """Return the quantities of a dataset: its rows in the table, and those recognised by its parameters.

    A parameter is recognised if another dataset of the same spacecraft and instrument has a parameter with the same
    name, unit and frame: ``AC_K2_MFI.BGSEc`` is the vector that ``AC_H0_MFI.BGSEc`` is.
    """
    rows = [row for row in SOURCES if row.dataset == entry.id]
    parameters = {parameter.name: parameter for parameter in entry.parameters}
    instruments = instrument_names(entry.id)
    known = {(row.parameters, row.frame) for row in rows}
    for row in SOURCES:
        if row.spacecraft != entry.spacecraft or not instruments & instrument_names(row.dataset):
            continue
        named = [parameters[name] for name in row.parameters if name in parameters]
        same = len(named) == len(row.parameters) and all(
            parameter.canonical_unit == row.unit and parameter.frame in ("", row.frame) for parameter in named
        )
        if same and (row.parameters, row.frame) not in known:
            known.add((row.parameters, row.frame))
            cadence = entry.cadence[0] if entry.cadence else None
            rows.append(replace(row, dataset=entry.id, cadence=cadence, note=_note_of(entry.id, row.note)))
    return rows


def _note_of(dataset: str, note: str) -> str:
    """Return the note of a dataset, from the note of another dataset with the same parameter."""
    parts = [part for part in note.split("; ") if part and not re.match(r"ends |preliminary$", part)]
    return "; ".join([*parts, *(["preliminary"] if re.search(r"_K\d_", dataset) else [])])


@lru_cache(maxsize=1)
def spellings() -> Mapping[str, str]:
    """Map every spelling of a spacecraft's name, in lower case, to the usual name of the spacecraft."""
    known: dict[str, str] = {}
    for craft in dict.fromkeys(source.spacecraft for source in SOURCES):
        for spelling in (craft, craft.replace("-", " "), craft.replace("-", ""), *ALIASES.get(craft, ())):
            known[spelling.casefold()] = craft
    return known


@lru_cache(maxsize=1)
def families() -> Mapping[str, tuple[str, ...]]:
    """Map each mission with several spacecraft to those spacecraft whose quantities helio knows."""
    names: dict[str, tuple[str, ...]] = {}
    for craft in dict.fromkeys(source.spacecraft for source in SOURCES):
        family = re.match(r"(MMS|THEMIS|STEREO|RBSP|Cluster|Voyager|Helios)(?=-?\w$)", craft)
        if family:
            names[family[1]] = (*names.get(family[1], ()), craft)
    return names


def _spaced(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def spacecraft_named(text: str) -> str:
    """Return the spacecraft that has this name or alias.

    Raises
    ------
    RequestError
        No known spacecraft has this name.
    """
    plain = _spaced(text)
    for spelling, name in spellings().items():
        if plain == _spaced(spelling):
            return name
    names = {source.spacecraft for source in SOURCES}
    raise RequestError(
        f"helio knows no quantities of a spacecraft '{text}'",
        advice=did_you_mean(text, names, otherwise="choose one of: " + ", ".join(sorted(names))),
    )


def swap(dataset: str, parameter: str, mission: str, *, catalogue: Catalogue) -> Swap:
    """Find the parameter of another spacecraft with the same quantity in the same frame.

    Between spacecraft of one family (MMS1 to MMS2), every parameter that both have can be swapped; between missions,
    only quantities in helio's list. The frame is never changed. Datasets of the user's archive come first.

    Parameters
    ----------
    mission : str
        The other spacecraft's name or alias.

    Raises
    ------
    UnknownDataset, UnknownParameter
        The dataset or the parameter that is to be swapped is not in the catalogue.
    RequestError
        The parameter cannot be swapped; the message says why, and the advice what to do.
    """
    entry = catalogue.dataset(dataset)
    before = entry.parameter(parameter) if entry.parameters else None
    name = spacecraft_named(mission)
    if name == entry.spacecraft:
        raise RequestError(f"{entry.id} is already a dataset of {name}")
    known = next((source for source in rows_of(entry) if parameter in source.parameters), None)
    sibling = _sibling(entry.id, parameter, entry.spacecraft, name)
    if sibling is not None and before is not None:
        counterpart = _described(catalogue, *sibling)
        if counterpart is not None:
            same: tuple[str, ...] = ()
            if counterpart.size != before.size:
                same += (f"size {list(counterpart.size)} instead of {list(before.size)}",)
            if counterpart.unit != before.unit:
                same += (f"unit '{counterpart.unit}' instead of '{before.unit}'",)
            quantity, frame = (known.quantity, known.frame) if known else ("", "")
            return Swap(quantity, sibling[0], (sibling[1],), frame, counterpart.canonical_unit, same)
    if known is None:
        raise RequestError(
            f"helio does not know which quantity {entry.id}.{parameter} is, so it cannot find this quantity "
            f"in the data of {name}",
            advice=f"search for an equivalent with `helio datasets search '{name} …'`; helio knows "
            f"these quantities: {', '.join(quantities())}",
        )
    archived = (source for own in catalogue.archived() for source in rows_of(own))
    others = [
        *(source for source in archived if (source.quantity, source.spacecraft) == (known.quantity, name)),
        *sources_of(known.quantity, name),
    ]
    if not others:
        raise RequestError(
            f"helio knows no dataset with the {known.quantity} of {name}",
            advice=f"search for a dataset with `helio datasets search '{name} …'`",
        )
    chosen = next((other for other in others if other.frame == known.frame), None)
    if chosen is None:
        choices = ", ".join(
            f"{source.dataset}.{'+'.join(source.parameters)}, "
            + (f"in {source.frame}" if source.frame else "without a frame")
            for source in others
        )
        raise RequestError(
            f"helio knows no dataset with the {known.quantity} of {name} in {known.frame}, and it keeps the frame "
            "when it replaces a spacecraft",
            advice=f"write one of these parameters into the template: {choices}",
        )
    differences = _differences(known, chosen)
    if before is not None and len(known.parameters) == len(chosen.parameters) == 1:
        after = _described(catalogue, chosen.dataset, chosen.parameters[0])
        if after is not None and after.size != before.size:
            differences += (f"size {list(after.size)} instead of {list(before.size)}",)
    return Swap(known.quantity, chosen.dataset, chosen.parameters, chosen.frame, chosen.unit, differences)


def _differences(known: QuantitySource, chosen: QuantitySource) -> tuple[str, ...]:
    differences: list[str] = []
    if known.unit != chosen.unit:
        differences.append(f"unit {chosen.unit or 'none'} instead of {known.unit or 'none'}")
    if known.cadence != chosen.cadence:
        before, after = (
            cadence_text(cadence) if cadence else "changing" for cadence in (known.cadence, chosen.cadence)
        )
        differences.append(f"cadence {after} instead of {before}")
    if len(known.parameters) != len(chosen.parameters):
        differences.append(
            f"number of parameters: {len(chosen.parameters)} instead of {len(known.parameters)}"
        )
    if chosen.note and chosen.note != known.note:
        differences.append(chosen.note)
    return tuple(differences)


def _sibling(dataset: str, parameter: str, before: str, after: str) -> tuple[str, str] | None:
    """Return the dataset and parameter of another spacecraft of the same mission, named alike: MMS1 becomes MMS2."""
    family = re.match(r"\D+?(?=-?[A-E]?\d*$)", before)
    if (
        not family
        or craft_of(dataset).spacecraft != before
        or not after.startswith(family[0])
        or before[:-1] != after[:-1]
    ):
        return None
    old, new = before[-1], after[-1]
    for pattern in (
        rf"^(MMS){old}",
        rf"^(TH){old}",
        rf"^(RBSP-?){old}",
        rf"^(ST){old}",
        rf"^(C){old}(?=_)",
        rf"^(VOYAGER-?|VG){old}",
    ):
        if re.match(pattern, dataset):
            other = re.sub(pattern, rf"\g<1>{new}", dataset)
            spelt = re.sub(rf"^(mms){old}(?=_)", rf"\g<1>{new}", parameter)
            spelt = re.sub(rf"^(th){old.lower()}(?=_)", rf"\g<1>{new.lower()}", spelt)
            return other, re.sub(rf"__C{old}_", f"__C{new}_", spelt)
    return None


def _described(catalogue: Catalogue, dataset: str, parameter: str) -> ParameterEntry | None:
    try:
        return catalogue.dataset(dataset).parameter(parameter)
    except (UnknownDataset, UnknownParameter):
        return None
