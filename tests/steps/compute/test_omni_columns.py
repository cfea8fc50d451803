"""Derived quantities against those that OMNI delivers beside its own measurements."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import FrameMismatch
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.runs.call import call_tool
from helio.sources.cdf import CdfReader
from helio.steps.signature import signatures
from helio.time_range import TimeRange

FILE = "omni/omni2_h0_mrg1hr_20230101_v01.cdf"
NAMES = (
    *("BX_GSE", "BY_GSE", "BZ_GSE", "BY_GSM", "BZ_GSM", "ABS_B", "F", "N", "V", "T", "Ratio"),
    *("Pressure", "E", "Beta", "Mach_num", "Mgs_mach_num"),
)

pytestmark = pytest.mark.archive


@pytest.fixture(scope="module")
def omni():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    whole = TimeRange(datetime(2023, 1, 1), datetime(2024, 1, 1))
    with CdfReader() as reader:
        tables = reader.read(Path(folder) / FILE, list(NAMES), whole)
    return {name: replace(table, unit=canonical_unit(table.unit)) for name, table in tables.items()}


def call(name, args, **tables):
    given = {table.parameter: {} for table in signatures()[name].tables}
    given |= {parameter: {table.name: table} for parameter, table in tables.items()}
    return call_tool(name, args, given)


def apart(found, column):
    """Median of the relative difference; the column is rounded, so values that round off are left out."""
    known = np.isfinite(found.values) & np.isfinite(column.values)
    known &= np.abs(column.values) >= 20 * 10.0 ** -decimals(column)
    assert known.sum() > 2000
    one, other = found.values[known], column.values[known]
    return float(np.median(np.abs(one - other) / np.abs(other)))


def decimals(column):
    values = column.values[np.isfinite(column.values)].astype(np.float64)
    return next(n for n in range(6) if np.abs(values - np.round(values, n)).max() < 10.0 ** -(n + 2))


def test_dynamic_pressure(omni):
    found = call(
        "dynamic_pressure",
        {"assumed_alpha": 0.05},
        density=omni["N"],
        velocity=omni["V"],
        alpha_ratio=omni["Ratio"],
    )
    assert apart(found, omni["Pressure"]) < 0.01


def test_plasma_beta(omni):
    found = call(
        "plasma_beta",
        {"electron_temperature": 140000.0, "assumed_alpha": 0.05},
        density=omni["N"],
        temperature=omni["T"],
        field=omni["ABS_B"],
    )
    assert apart(found, omni["Beta"]) < 0.01


def test_alfven_mach_number(omni):
    found = call(
        "alfven_mach", {"assumed_alpha": 0.047}, velocity=omni["V"], field=omni["ABS_B"], density=omni["N"]
    )
    assert apart(found, omni["Mach_num"]) < 0.01


def test_magnetosonic_mach_number(omni):
    found = call(
        "magnetosonic_mach",
        {"electron_temperature": 140000.0, "assumed_alpha": 0.047},
        velocity=omni["V"],
        density=omni["N"],
        temperature=omni["T"],
        field=omni["ABS_B"],
    )
    assert apart(found, omni["Mgs_mach_num"]) < 0.02  # OMNI rounds the factor of its sound speed up by 2 %


def test_electric_field(omni):
    radial = replace(
        omni["V"],
        values=np.stack([-omni["V"].values, 0 * omni["V"].values, 0 * omni["V"].values], axis=1),
        components=("Vx", "Vy", "Vz"),
        frame="GSM",
    )
    field = call_tool(
        "join_components",
        {"names": ["Bx", "By", "Bz"]},
        {"series": {name: omni[name] for name in ("BX_GSE", "BY_GSM", "BZ_GSM")}},
    )
    assert field.frame == "GSM"
    found = call("electric_field", {}, velocity=radial, field=field)
    assert apart(found.component("Ey"), omni["E"]) < 0.01
    rectified = call("vbs", {}, velocity=omni["V"], bz=omni["BZ_GSM"])
    dusk = np.maximum(omni["E"].values, 0.0)
    assert np.nanmax(np.abs(rectified.values - dusk)) < 0.06  # E is rounded to a tenth, and B_z too


def test_length_of_the_mean_vector(omni):
    field = call_tool(
        "join_components",
        {"names": ["Bx", "By", "Bz"]},
        {"series": {name: omni[name] for name in ("BX_GSE", "BY_GSE", "BZ_GSE")}},
    )
    assert apart(call("magnitude", {}, vector=field), omni["F"]) < 0.01


def test_gsm_of_the_hourly_means(omni):
    gse = call_tool(
        "join_components",
        {"names": ["Bx", "By", "Bz"]},
        {"series": {name: omni[name] for name in ("BX_GSE", "BY_GSE", "BZ_GSE")}},
    )
    found = call("transform_frame", {"to": "GSM"}, vector=gse)
    # The hour's vector is rounded to 0.1 nT in both frames, and turns by several degrees within the hour
    difference = found.values[:, 1:] - np.stack([omni["BY_GSM"].values, omni["BZ_GSM"].values], axis=1)
    assert np.nanmedian(np.abs(difference)) < 0.1


def test_a_component_in_the_wrong_frame_is_refused_by_its_name(omni):
    with pytest.raises(FrameMismatch, match="in GSM, but '1AU IP Bz, GSE' is in GSE"):
        call("vbs", {}, velocity=omni["V"], bz=omni["BZ_GSE"])
