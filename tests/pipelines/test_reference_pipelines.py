"""Every pipeline that comes with helio is valid against its catalogue, and runs on files of the right shape."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from helio import api
from helio.time_range import TimeRange, parse_time_range
from tests.pipelines.made_archive import Made, write_dataset
from tests.sources.test_ncei import write_day

NOW = datetime(2026, 3, 1)

Datasets = Mapping[str, tuple[str, Mapping[str, Made]]]
"""Cadence and parameters by dataset."""


def vector(unit: str, level: float, frame: str, *, size: int = 3, **more: object) -> Made:
    return Made(unit, level, frame, size, **more)  # type: ignore[arg-type]


OMNI = {
    "F": Made("nT", 8), "BX_GSE": Made("nT", 2, swing=5), "BY_GSM": Made("nT", 0, swing=6),
    "BZ_GSM": Made("nT", -3, swing=9), "flow_speed": Made("km/s", 450), "proton_density": Made("cm^-3", 8),
    "T": Made("K", 1e5), "Pressure": Made("nPa", 3), "AE_INDEX": Made("nT", 300), "AL_INDEX": Made("nT", -200),
    "AU_INDEX": Made("nT", 100), "SYM_H": Made("nT", -40, swing=60),
}  # fmt: skip
HOURLY = {"DST": Made("nT", -40, swing=60), "KP": Made("", 40)}

COHO = {
    "BR": Made("nT", 0, swing=4), "BT": Made("nT", 0, swing=4), "BN": Made("nT", 0, swing=2),
    "ABS_B": Made("nT", 5), "V": Made("km/s", 400),
}  # fmt: skip
PLASMA = {"P_VELS": vector("km/s", -400, "GSE"), "P_DENS": Made("cm^-3", 6), "P_TEMP": Made("eV", 10)}
GOOD, VALID = Made("", 0, constant=True), Made("", 1, constant=True)
ENERGY = ("Energy", "eV")
IONS = {
    "mms1_dis_energyspectr_omni_brst": Made("keV/(cm^2 s sr keV)", 1e6, size=32, axis=ENERGY, bins=(10, 3e4)),
    "mms1_dis_numberdensity_brst": Made("cm^-3", 10), "mms1_dis_bulkv_gse_brst": vector("km/s", -100, "GSE", swing=80),
    "mms1_dis_temppara_brst": Made("eV", 300), "mms1_dis_tempperp_brst": Made("eV", 350),
}  # fmt: skip

MADE: dict[str, tuple[str, Datasets, dict[str, str]]] = {
    "omni-solar-wind-overview": (
        "2024-05-10",
        {"OMNI_HRO_1MIN": ("1min", OMNI), "OMNI2_H0_MRG1HR": ("1h", HOURLY)},
        {},
    ),
    "storm-overview": (
        "2015-03-16 to 2015-03-18",
        {"OMNI_HRO_1MIN": ("1min", OMNI), "OMNI2_H0_MRG1HR": ("1h", HOURLY)},
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
                    "Proton_W_nonlin": Made("km/s", 40), "fit_flag": Made("", 10, constant=True),
                },
            ),
        },
        {},
    ),
    "b-power-spectrum": (
        "2003-11-20T00:00 to 2003-11-20T03:00",
        {"WI_H2_MFI": ("200ms", {"BGSE": vector("nT", 1, "GSE", swing=6)})},
        {},
    ),
    "l1-monitor-comparison": (
        "2018-08-25",
        {
            "AC_H0_MFI": ("16s", {"Magnitude": Made("nT", 7), "BGSM": vector("nT", 0, "GSM", swing=6)}),
            "WI_H0_MFI": ("1min", {"BF1": Made("nT", 7), "BGSM": vector("nT", 0, "GSM", swing=6)}),
            "DSCOVR_H0_MAG": ("10s", {"B1GSE": vector("nT", 0, "GSE", swing=6)}),
            # no AC_H0_SWE: the second candidate is used
            "AC_K0_SWE": ("1h", {"Vp": Made("km/s", 400), "Np": Made("cm^-3", 6), "Tpr": Made("K", 1e5)}),
            "WI_PM_3DP": ("3min", {**PLASMA, "VALID": VALID}),
            "DSCOVR_H1_FC": (
                "1min",
                {
                    "V_GSE": vector("km/s", -400, "GSE"), "Np": Made("cm^-3", 6), "THERMAL_TEMP": Made("K", 1e5),
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


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home."""
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)


def write_archive(folder: Path, pipeline: str) -> TimeRange:
    words, datasets, _ = MADE[pipeline]
    span = parse_time_range(words, NOW)
    folder.mkdir()
    if pipeline == "goes-xray-flares":
        write_day(folder, 16, span.start, flare=[3e-6, 2e-5, 1e-4, 9e-4, 4e-4, 1e-4])
    for dataset_id, (cadence, parameters) in datasets.items():
        write_dataset(folder, dataset_id, parameters, span, cadence)
    return span


@pytest.mark.parametrize("pipeline", sorted({*MADE, *REAL}))
def test_it_is_valid_and_its_data_are_in_the_catalogue(pipeline: str):
    assert [str(diagnostic) for diagnostic in api.check(pipeline, now=NOW)] == []


@pytest.mark.process
@pytest.mark.parametrize("pipeline", sorted(MADE))
def test_it_runs_on_files_of_the_right_shape(pipeline: str, tmp_path: Path):
    span = write_archive(tmp_path / "archive", pipeline)
    run = api.run(
        pipeline,
        time_range=str(span),
        archive=tmp_path / "archive",
        output=tmp_path / "out",
        now=NOW,
    )
    assert [str(step.error) for step in run.result.steps if step.error] == []
    assert run.status == "success"
    assert list((tmp_path / "out").glob("*.html"))


@pytest.mark.archive
@pytest.mark.process
@pytest.mark.parametrize("pipeline", sorted(REAL))
def test_it_runs_on_real_data(pipeline: str, tmp_path: Path):
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    run = api.run(
        pipeline,
        time_range=REAL[pipeline],
        archive=folder,
        output=tmp_path / "out",
        now=NOW,
    )
    assert [str(step.error) for step in run.result.steps if step.error] == []
    assert run.status == "success"
