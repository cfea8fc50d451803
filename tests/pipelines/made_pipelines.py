"""What the pipelines that come with helio are tried on: made files of the right shape, or a range of real files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import numpy as np

from helio.time_range import TimeRange, parse_time_range
from tests.pipelines.made_archive import Made, write_dataset
from tests.sources.made_xrs import write_day

NOW = datetime(2026, 3, 1)

Datasets = Mapping[str, tuple[str, Mapping[str, Made]]]
"""Cadence and parameters by dataset."""


def vector(unit: str, level: float | tuple[float, ...], frame: str, *, size: int = 3, **more: object) -> Made:
    return Made(unit, level, frame, size, **more)  # type: ignore[arg-type]


OMNI = {
    "F": Made("nT", 17), "BX_GSE": Made("nT", 2, swing=5), "BY_GSM": Made("nT", 0, swing=6),
    "BZ_GSM": Made("nT", -3, swing=9), "flow_speed": Made("km/s", 450), "proton_density": Made("cm^-3", 8),
    "T": Made("K", 1e5), "Pressure": Made("nPa", 3), "AE_INDEX": Made("nT", 300), "AL_INDEX": Made("nT", -200),
    "AU_INDEX": Made("nT", 100), "SYM_H": Made("nT", -60, swing=40, seed="storm"),
}  # fmt: skip
HOURLY = {"DST": Made("nT", -60, swing=40, seed="storm"), "KP": Made("", 40)}

COHO = {
    "BR": Made("nT", 0, swing=4), "BT": Made("nT", 0, swing=4), "BN": Made("nT", 0, swing=2),
    "ABS_B": Made("nT", 5), "V": Made("km/s", 400),
}  # fmt: skip
PLASMA = {
    "P_VELS": vector("km/s", (-400, 0, 0), "GSE", swing=30, seed="wind"),
    "P_DENS": Made("cm^-3", 6, seed="density"), "P_TEMP": Made("eV", 10, seed="heat"),
}  # fmt: skip
HGI = {"HGI_LAT": Made("deg", 3), "HGI_LON": Made("deg", 120)}
CARRINGTON = {"HG_LAT": Made("deg", 3), "HG_LON": Made("deg", 120)}
MAGNETIC = {"mlt": Made("h", 12), "mlat": Made("deg", 5)}
TETRAHEDRON = ((6e4, 0, 0), (6e4 + 10, 0, 0), (6e4, 10, 0), (6e4, 0, 10))
GOOD, VALID = Made("", 0, constant=True), Made("", 1, constant=True)
ENERGY, FREQUENCY = ("Energy", "eV"), ("Frequency", "Hz")
FLUX, PARTICLES, ELECTRONS = "eV/(cm^2 s sr eV)", "cm^-2 s^-1 sr^-1 MeV^-1", "cm^-2 s^-1 sr^-1 keV^-1"
IONS = {
    "mms1_dis_energyspectr_omni_brst": Made("keV/(cm^2 s sr keV)", 1e6, size=32, axis=ENERGY, bins=(10, 3e4)),
    "mms1_dis_numberdensity_brst": Made("cm^-3", 10), "mms1_dis_bulkv_gse_brst": vector("km/s", -100, "GSE", swing=80),
    "mms1_dis_temppara_brst": Made("eV", 300), "mms1_dis_tempperp_brst": Made("eV", 350),
}  # fmt: skip
ELECTRONS_OF_MMS = {
    "mms1_des_energyspectr_omni_brst": Made("keV/(cm^2 s sr keV)", 1e7, size=32, axis=ENERGY, bins=(6, 3e4)),
    "mms1_des_numberdensity_brst": Made("cm^-3", 10), "mms1_des_bulkv_gse_brst": vector("km/s", -100, "GSE", swing=150),
    "mms1_des_temppara_brst": Made("eV", 60), "mms1_des_tempperp_brst": Made("eV", 50),
}  # fmt: skip

MINUTES = np.arange(240.0)
FLARE = 1e-6 + 9e-4 * np.where(MINUTES < 8, np.exp((MINUTES - 8) / 1.5), np.exp((8 - MINUTES) / 25))
"""Flux of an X9 flare, minute by minute."""

MADE: dict[str, tuple[str, Datasets, dict[str, str]]] = {
    "omni-solar-wind-overview": (
        "2024-05-10",
        {"OMNI_HRO_1MIN": ("1min", OMNI), "OMNI2_H0_MRG1HR": ("1h", HOURLY)},
        {},
    ),
    "storm-overview": (
        "2015-03-16 to 2015-03-19",
        {
            "OMNI_HRO_1MIN": ("1min", OMNI),
            "OMNI2_H0_MRG1HR": ("1h", HOURLY),
            "DN_MAGN-L2-HIRES_G15": ("10s", {"b_gse": vector("nT", (10, 20, 90), "GSE", swing=12)}),
        },
        {},
    ),
    "parker-spiral-angle": ("2020-05-28 to 2020-06-03", {"OMNI_COHO1HR_MERGED_MAG_PLASMA": ("1h", COHO)}, {}),
    "plasma-beta-mach": (
        "2015-06-21",
        {
            "WI_H0_MFI": ("1min", {"BGSE": vector("nT", 1, "GSE", swing=6)}),
            "WI_H1_SWE": (
                "92s",
                {
                    "Proton_V_nonlin": Made("km/s", 400), "Proton_Np_nonlin": Made("cm^-3", 6),
                    "Proton_VX_nonlin": Made("km/s", -400, swing=30),
                    "Proton_VY_nonlin": Made("km/s", 0, swing=20), "Proton_VZ_nonlin": Made("km/s", 0, swing=20),
                    "Proton_W_nonlin": Made("km/s", 40), "fit_flag": Made("", 10, constant=True),
                },
            ),
            # no WI_H5_SWE: the second candidate is used
            "WI_ELM2_3DP": ("98s", {"AVGTEMP": Made("eV", 12)}),
        },
        {},
    ),
    "b-power-spectrum": (
        "2003-11-20T00:00 to 2003-11-20T03:00",
        {
            "WI_H2_MFI": ("200ms", {"BGSE": vector("nT", 1, "GSE", swing=6)}),
            "WI_H1_SWE": (
                "92s",
                {
                    "Proton_V_nonlin": Made("km/s", 400), "Proton_Np_nonlin": Made("cm^-3", 6),
                    "Proton_W_nonlin": Made("km/s", 40), "fit_flag": Made("", 10, constant=True),
                },
            ),
        },
        {},
    ),
    "l1-monitor-comparison": (
        "2018-08-25",
        {
            "AC_H0_MFI": (
                "16s",
                {
                    "Magnitude": Made("nT", 7, seed="field"), "BGSM": vector("nT", 0, "GSM", swing=4, seed="imf"),
                    "SC_pos_GSE": vector("km", (1.4e6, -2e5, 1e5), "GSE", swing=2e4),
                },
            ),
            "WI_H0_MFI": (
                "1min",
                {
                    "BF1": Made("nT", 7, seed="field"), "BGSM": vector("nT", 0, "GSM", swing=4, seed="imf"),
                    "PGSE": vector("R_E", (200, 50, 10), "GSE", swing=3),
                },
            ),
            "DSCOVR_H0_MAG": ("10s", {"B1GSE": vector("nT", 0, "GSE", swing=4, seed="imf")}),
            "DSCOVR_ORBIT_PRE": ("1h", {"GSE_POS": vector("km", (1.5e6, 1e5, 1e5), "GSE", swing=2e4)}),
            "AC_H0_SWE": (
                "64s",
                {
                    "Vp": Made("km/s", 400, swing=-30, seed="wind"), "Np": Made("cm^-3", 6, seed="density"),
                    "Tpr": Made("K", 1e5, seed="heat"),
                },
            ),
            "WI_PM_3DP": ("3min", {**PLASMA, "VALID": VALID}),
            "DSCOVR_H1_FC": (
                "1min",
                {
                    "V_GSE": vector("km/s", (-400, 0, 0), "GSE", swing=30, seed="wind"),
                    "Np": Made("cm^-3", 6, seed="density"), "THERMAL_TEMP": Made("K", 1e5, seed="heat"),
                    "DQF": GOOD,
                },
            ),
        },
        {},
    ),
    "storm-superposed-epoch": (
        "2023-01-01 to 2023-02-01",
        {
            "OMNI2_H0_MRG1HR": (
                "1h",
                {"DST": Made("nT", -40, swing=60), "BZ_GSM": Made("nT", -3, swing=6), "V": Made("km/s", 450)},
            )
        },
        {},
    ),
    "psp-encounter": (
        "2021-04-28",
        {
            "PSP_FLD_L2_MAG_RTN_1MIN": (
                "1min",
                {"psp_fld_l2_mag_RTN_1min": vector("nT", (-150, 40, 10), "RTN", swing=80)},
            ),
            "PSP_SWP_SPI_SF00_L3_MOM": (
                "30s",
                {
                    "DENS": Made("cm^-3", 700, seed="density"),
                    "VEL_RTN_SUN": vector("km/s", (280, 30, 0), "RTN", swing=40), "TEMP": Made("eV", 40),
                    "EFLUX_VS_ENERGY": Made(FLUX, 1e8, size=32, axis=ENERGY, bins=(100, 2e4)),
                    "QUALITY_FLAG": Made("", 16, constant=True),  # the attenuator is engaged: good
                },
            ),
            "PSP_FLD_L3_SQTN_RFS_V1V2": (
                "7s",
                {"electron_density": Made("cm^-3", 1000, seed="density"), "density_quality_flag": VALID},
            ),
            "PSP_SWP_SPE_SF0_L3_PAD": (
                "1min",
                {
                    "EFLUX_VS_ENERGY": Made(FLUX, 1e8, size=32, axis=ENERGY, bins=(2, 2e3)),
                    "EFLUX_VS_PA_E": Made(FLUX, 1e8, size=32, axis=ENERGY, bins=(2, 2e3), angles=12),
                },
            ),
            "PSP_SWP_SPC_L3I": ("1s", {"np_moment": Made("cm^-3", 900, seed="density"), "general_flag": GOOD}),
            "PSP_HELIO1HR_POSITION": ("1h", {"RAD_AU": Made("AU", 0.08, swing=0.005), **CARRINGTON}),
        },
        {},
    ),
    "solo-overview": (
        "2022-03-07",
        {
            "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE": ("1min", {"B_RTN": vector("nT", 0, "RTN", swing=12)}),
            "SOLO_L2_SWA-PAS-GRND-MOM": (
                "20s",
                {
                    "N": Made("cm^-3", 20), "V_RTN": vector("km/s", (400, 10, 0), "RTN", swing=30), "T": Made("eV", 12),
                    "quality_factor": Made("", 0.12, swing=0.1),
                },
            ),
            "SOLO_L2_SWA-PAS-EFLUX": (
                "1min",
                {
                    "eflux": Made("eV/(cm^2 s eV)", 1e8, size=96, axis=ENERGY, bins=(200, 2e4)),
                    "quality_factor": Made("", 0.12, swing=0.1),
                },
            ),
            "SOLO_L2_EPD-EPT-SUN-RATES": (
                "1min",
                {
                    "Ion_Flux": Made(PARTICLES, 1e2, size=64, axis=("Energy", "MeV"), bins=(0.03, 6)),
                    "Electron_Flux": Made(PARTICLES, 1e3, size=34, axis=("Energy", "MeV"), bins=(0.02, 0.5)),
                },
            ),
            "SOLO_HELIO1HR_POSITION": ("1h", {"RAD_AU": Made("AU", 0.5, swing=0.01), **HGI}),
        },
        {},
    ),
    "themis-esa-overview": (
        "2008-02-26",
        {
            "THA_L2_ESA": (
                "12s",
                {
                    "tha_peir_en_eflux": Made(FLUX, 1e6, size=32, axis=ENERGY, bins=(6, 2.5e4)),
                    "tha_peer_en_eflux": Made(FLUX, 1e7, size=32, axis=ENERGY, bins=(6, 3e4)),
                    "tha_peir_density": Made("cm^-3", 0.6), "tha_peir_velocity_gsm": vector("km/s", 0, "GSM", swing=90),
                    "tha_peir_avgtemp": Made("eV", 3e3), "tha_peir_data_quality": GOOD, "tha_peer_data_quality": GOOD,
                },
            ),
            "THA_L2_SST": (
                "3min",
                {
                    "tha_psif_en_eflux": Made(FLUX, 1e4, size=16, axis=ENERGY, bins=(3e4, 2e6)),
                    "tha_psef_en_eflux": Made(FLUX, 1e5, size=16, axis=ENERGY, bins=(3e4, 8e5)),
                },
            ),
            "THA_OR_SSC": (
                "1min",
                {"XYZ_GSM": vector("R_E", (-9, 3, 1), "GSM", swing=1), "SM_LCT_T": Made("h", 22, swing=0.5)},
            ),
            "THA_L2_FGM": (
                "6s",
                {"tha_fgs_gsm": vector("nT", 2, "GSM", swing=15), "tha_fgm_fgs_quality": GOOD},
            ),
        },
        {},
    ),
    "rbsp-emfisis-waves": (
        "2012-10-14T00:00 to 2012-10-14T06:00",
        {
            "RBSP-A_WFR-SPECTRAL-MATRIX-DIAGONAL-MERGED_EMFISIS-L2": (
                "12s",
                {
                    **{
                        f"B{axis}B{axis}": Made("nT^2/Hz", 1e-6, size=65, axis=FREQUENCY, bins=(2, 1.2e4))
                        for axis in "uvw"
                    },
                    **{
                        f"E{axis}E{axis}": Made("V^2/(m^2 Hz)", 1e-12, size=65, axis=FREQUENCY, bins=(2, 1.2e4))
                        for axis in "uvw"
                    },
                },
            ),
            "RBSP-A_HFR-SPECTRA-MERGED_EMFISIS-L2": (
                "12s",
                {"HFR_Spectra": Made("V^2/(m^2 Hz)", 1e-14, size=82, axis=FREQUENCY, bins=(1e4, 5e5))},
            ),
            "RBSP-A_MAGNETOMETER_4SEC-GSM_EMFISIS-L3": (
                "4s",
                {
                    "Magnitude": Made("nT", 250, swing=60), "magInvalid": GOOD,
                    "coordinates": vector("km", (2.4e4, 8e3, 2e3), "GSM", swing=2e3),
                },
            ),
            "RBSPA_REL03_ECT-MAGEIS-L2": (
                "11s",
                {"FESA": Made(ELECTRONS, 1e4, size=25, axis=("Energy", "keV"), bins=(20, 4e3))},
            ),
            "RBSPA_REL04_ECT-HOPE-SCI-L2SA": (
                "24s",
                {
                    "FESA": Made(ELECTRONS, 1e7, size=72, axis=ENERGY, bins=(15, 5e4)),
                    "FPSA": Made(ELECTRONS, 1e6, size=72, axis=ENERGY, bins=(15, 5e4)),
                },
            ),
            "RBSPA_EFW-L3": ("1min", {"density": Made("cm^-3", 200, swing=60), "lshell": Made("", 4), **MAGNETIC}),
        },
        {},
    ),
    "mms-curlometer": (
        "2015-10-16T13:06:00 to 2015-10-16T13:07:00",
        {
            f"MMS{number}_FGM_BRST_L2": (
                "8ms",
                {
                    f"mms{number}_fgm_b_gse_brst_l2": vector("nT", 2, "GSE", size=4, swing=30),
                    f"mms{number}_fgm_r_gse_brst_l2": vector(
                        "km", (*place, 0), "GSE", size=4, swing=1, seed="r", cadence="30s"
                    ),
                },
            )
            for number, place in enumerate(TETRAHEDRON, 1)
        },
        {},
    ),
    "mms-survey": (
        "2017-07-11T20:00 to 2017-07-12T00:00",
        {
            "MMS1_FGM_SRVY_L2": ("1s", {"mms1_fgm_b_gsm_srvy_l2": vector("nT", 2, "GSM", size=4, swing=12)}),
            "MMS1_FPI_FAST_L2_DIS-MOMS": (
                "4500ms", {name.replace("brst", "fast"): made for name, made in IONS.items()},
            ),
            "MMS1_FPI_FAST_L2_DES-MOMS": (
                "4500ms",
                {
                    "mms1_des_energyspectr_omni_fast": Made(
                        "keV/(cm^2 s sr keV)", 1e7, size=32, axis=ENERGY, bins=(10, 3e4)
                    )
                },
            ),
            "mms1": (
                "3min",
                {
                    "XYZ_GSM": vector("km", (-1.4e5, 3e4, 2e4), "GSM", swing=3e3), "LT_SM": Made("h", 0.3),
                    "L": Made("", 22, swing=1),
                },
            ),
        },
        {},
    ),
    "goes-xray-flares": ("2017-09-06", {}, {}),
    "mms-magnetopause-mva-walen": (
        "2015-10-16T13:05:40 to 2015-10-16T13:06:50",
        {
            "MMS1_FGM_BRST_L2": (
                "8ms",
                {
                    "mms1_fgm_b_gse_brst_l2": vector("nT", 2, "GSE", size=4, swing=30),
                    "mms1_fgm_flag_brst_l2": GOOD,
                },
            ),
            "MMS1_FPI_BRST_L2_DIS-MOMS": ("150ms", IONS),
            "MMS1_FPI_BRST_L2_DES-MOMS": ("30ms", ELECTRONS_OF_MMS),
            "MMS1_EDP_BRST_L2_DCE": (
                "1ms",
                {
                    "mms1_edp_dce_gse_brst_l2": vector("mV/m", 1, "GSE", swing=3),
                    "mms1_edp_quality_brst_l2": Made("", 3, constant=True),
                },
            ),
        },
        {},
    ),
}  # fmt: skip
"""By pipeline: a time range, the files that a test makes of it, and values of variables."""

REAL: dict[str, str] = {
    "b-power-spectrum": "2003-11-20",
    "mms-magnetopause-mva-walen": "2015-10-16T13:05:24 to 2015-10-16T13:07:44",
    "parker-spiral-angle": "2020-05-28 to 2020-06-24",
    "plasma-beta-mach": "2003-11-20",
    "storm-superposed-epoch": "2023-01-01 to 2023-07-01",
}
"""By pipeline: the range of the real data below ``HELIO_TEST_ARCHIVE`` that it runs on."""

PARTLY_REAL: dict[str, str] = {
    "psp-encounter": "2020-01-04",
    "solo-overview": "2021-07-11 to 2021-07-13",
}
"""The same for pipelines of which only the magnetic field is there."""

WITHOUT: dict[str, set[str]] = {
    "mms-magnetopause-mva-walen": {"electrons", "electric"},
    "psp-encounter": {"ions", "cup", "noise", "electrons", "position"},
    "solo-overview": {"moments", "spectrogram", "particles", "position"},
}
"""By pipeline: the fetches whose data are not below ``HELIO_TEST_ARCHIVE``; the figure is drawn without them."""


def write_archive(folder: Path, pipeline: str) -> TimeRange:
    """Make the files of a pipeline, and return their time range."""
    words, datasets, _ = MADE[pipeline]
    span = parse_time_range(words, NOW)
    folder.mkdir()
    if pipeline == "goes-xray-flares":
        write_day(folder, 16, span.start, flare=FLARE)
    for dataset_id, (cadence, parameters) in datasets.items():
        write_dataset(folder, dataset_id, parameters, span, cadence)
    return span
