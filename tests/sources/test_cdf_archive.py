"""Every number that varies in time in every real file, against pycdfpp."""

import math
import struct
from datetime import datetime
from pathlib import Path

import numpy as np
import pycdfpp
import pytest

from helio.errors import DamagedFile, NoData, UnknownParameter
from helio.sources.cdf import CdfReader
from helio.store.table import Table
from helio.time_range import TimeRange

pytestmark = pytest.mark.archive

ALWAYS = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
TIMES = {
    pycdfpp.DataType.CDF_EPOCH: "EPOCH",
    pycdfpp.DataType.CDF_EPOCH16: "EPOCH16",
    pycdfpp.DataType.CDF_TIME_TT2000: "TIME_TT2000",
}
TEXTS = {pycdfpp.DataType.CDF_CHAR, pycdfpp.DataType.CDF_UCHAR}

REFUSED = {
    "mms1_fgm_rdeltahalf_brst_l2": "17,792 records, but its epochs 'Epoch_state' have 8",
}
"""What pycdfpp gives and a table cannot be made of."""


def numeric(path: Path) -> dict[str, pycdfpp.Variable]:
    """Variables of numbers that vary in time and have records."""
    file = pycdfpp.load(str(path))
    return {
        name: variable
        for name, variable in file.items()
        if variable.type not in TIMES
        and variable.type not in TEXTS
        and not variable.is_nrv
        and variable.shape[0]
    }


def said(variable: pycdfpp.Variable, name: str) -> object:
    attribute = next((value for key, value in variable.attributes.items() if key.upper() == name), None)
    if attribute is None:
        return None
    value = attribute[0]
    return value[0] if isinstance(value, list | np.ndarray) and len(value) == 1 else value


def expected_values(variable: pycdfpp.Variable) -> np.ndarray:
    """pycdfpp's values with fill as NaN.

    That is FILLVAL; ISTP's −1e31, where DE-2 states −1e−31; and 99999.9 beyond the valid range, where Wind
    SWE states −1e31.
    """
    raw = np.asarray(variable.values)
    values = raw.astype("f8") if raw.dtype.kind in "iu" else raw.copy()
    fill = said(variable, "FILLVAL")
    if isinstance(fill, int | float):
        values[raw.astype("f8") == fill if raw.dtype.kind in "iu" else raw == raw.dtype.type(fill)] = np.nan
    if raw.dtype.kind == "f":
        values[raw == raw.dtype.type(-1e31)] = np.nan
    high = said(variable, "VALIDMAX")
    if isinstance(high, float) and high < 99999:
        values[raw == raw.dtype.type(99999.9)] = np.nan
    return values


def expected_epochs(path: Path, variable: pycdfpp.Variable) -> np.ndarray:
    file = pycdfpp.load(str(path))
    pointer = said(variable, "DEPEND_0")
    if file[pointer].shape[0]:
        return pycdfpp.to_datetime64(file[pointer]).reshape(-1)
    seconds = file[said(variable, "DEPEND_TIME") or file[pointer].attributes["COMPONENT_1"][0]].values
    return (np.round(np.asarray(seconds) * 1e6).astype("i8") * 1000).view("M8[ns]")


def compare(table: Table, path: Path, variable: pycdfpp.Variable) -> None:
    values, epochs = expected_values(variable), expected_epochs(path, variable)
    order = np.argsort(epochs, kind="stable")
    order = order[np.concatenate([[True], np.diff(epochs[order]) > np.timedelta64(0)])]
    values, epochs = values[order], epochs[order]
    assert table.values.dtype == values.dtype
    assert table.values.size == values.size
    assert np.array_equal(table.values, values.reshape(table.values.shape), equal_nan=True)
    # THEMIS: seconds in a double, compared to the µs
    assert np.abs((table.epoch - epochs).astype("i8")).max() < 1000
    if file_time(path, variable):
        assert np.array_equal(table.epoch, epochs)


def file_time(path: Path, variable: pycdfpp.Variable) -> bool:
    return bool(pycdfpp.load(str(path))[said(variable, "DEPEND_0")].shape[0])


@pytest.mark.slow
def test_every_numeric_variable_equals_pycdfpp(archive: Path, cdf_reader: CdfReader) -> None:
    compared, refused = 0, []
    for path in sorted(archive.rglob("*.cdf")):
        variables = numeric(path)
        parameters = cdf_reader.describe(path).parameters
        assert set(parameters) == set(variables) - set(REFUSED)
        tables = cdf_reader.read(path, parameters, ALWAYS)
        for name, variable in variables.items():
            if name in REFUSED:
                with pytest.raises(UnknownParameter, match=REFUSED[name]):
                    cdf_reader.read(path, [name], ALWAYS)
                refused.append(name)
                continue
            compare(tables[name], path, variable)
            compared += 1
    assert compared > 480
    assert refused == list(REFUSED)


def test_masters_without_records_say_so(archive: Path, cdf_reader: CdfReader) -> None:
    masters = sorted((archive.parent / "masters").glob("*.cdf"))
    if not masters:
        pytest.skip("the archive has no master CDFs beside it")
    for path in masters:
        assert cdf_reader.describe(path).logical_source
        name = next(
            name
            for name, variable in pycdfpp.load(str(path)).items()
            if variable.type not in TIMES and variable.type not in TEXTS and not variable.is_nrv
        )
        with pytest.raises((NoData, UnknownParameter), match=r"master CDF|virtual"):
            cdf_reader.read(path, [name], ALWAYS)


def one(archive: Path, reader: CdfReader, pattern: str, name: str) -> Table:
    path = next(archive.rglob(pattern))
    return reader.read(path, [name], ALWAYS)[name]


def test_mms_burst_field_is_a_vector_and_its_length(archive: Path, cdf_reader: CdfReader) -> None:
    table = one(archive, cdf_reader, "mms1_fgm_brst*.cdf", "mms1_fgm_b_gse_brst_l2")
    assert table.components == ("Bx", "By", "Bz", "Bt")
    assert (table.unit, table.frame, table.name) == ("nT", "GSE", "B")
    assert np.allclose(np.linalg.norm(table.values[:, :3], axis=1), table.values[:, 3], rtol=1e-3)


def test_fpi_energies_alternate_from_record_to_record(archive: Path, cdf_reader: CdfReader) -> None:
    table = one(archive, cdf_reader, "mms1_fpi_brst*.cdf", "mms1_dis_energyspectr_omni_brst")
    (axis,) = table.axes
    assert axis.per_record
    first, second = axis.centers[0, 0], axis.centers[1, 0]
    assert {round(float(first), 2), round(float(second), 2)} == {12.06, 10.64}
    assert (axis.unit, axis.scale) == ("eV", "log")
    assert (axis.lower < axis.centers).all()


def test_fpi_pressure_is_a_symmetric_tensor(archive: Path, cdf_reader: CdfReader) -> None:
    table = one(archive, cdf_reader, "mms1_fpi_brst*.cdf", "mms1_dis_prestensor_gse_brst")
    assert table.components[1] == "xy"
    assert np.allclose(table.component("xy").values, table.component("yx").values)
    assert table.frame == "GSE"


def test_stereo_het_energies_are_parsed_from_text(archive: Path, cdf_reader: CdfReader) -> None:
    (axis,) = one(archive, cdf_reader, "sta_l1_het*.cdf", "Proton_Flux").axes
    assert axis.unit == "MeV"
    assert axis.lower[[0, 6, 10]].tolist() == [13.6, 29.6, 60]
    assert axis.upper[[0, 6, 10]].tolist() == [15.1, 33.4, 100]
    assert axis.centers[10] == pytest.approx(math.sqrt(6000))


def test_geotail_scalars_in_a_file_of_3_by_2_are_scalars(archive: Path, cdf_reader: CdfReader) -> None:
    assert one(archive, cdf_reader, "ge_k0_cpi*.cdf", "SW_P_Den").kind == "scalar"
    assert one(archive, cdf_reader, "ge_k0_cpi*.cdf", "SW_V").components == ("Vx", "Vy", "Vz")
    assert one(archive, cdf_reader, "ge_k0_cpi*.cdf", "HP_V").components == ("Vx", "Vy")


def test_elfin_pitch_angles_and_energies_are_two_axes(archive: Path, cdf_reader: CdfReader) -> None:
    table = one(archive, cdf_reader, "elb_l2_epdef*.cdf", "elb_pef_fs_Epat_nflux")
    assert table.values.shape == (21, 18, 16)
    assert [axis.per_record for axis in table.axes] == [True, False]
    # the file gives its pitch angles the unit of the flux, and says degrees nowhere
    assert table.axes[0].unit == table.unit
    assert "'elb_pef_fs_epa_spec' gives its bins the unit of a flux" in "".join(table.notes)


def test_unknown_compression_of_an_ace_file_is_damage(
    archive: Path, cdf_reader: CdfReader, tmp_path: Path
) -> None:
    data = next(archive.rglob("ac_h0_mfi_20230102_v07.cdf")).read_bytes()
    gzip = struct.pack(">qii", 28, 11, 5)
    assert data.count(gzip) == 8
    path = tmp_path / "ac_h0_mfi_20230102_v07.cdf"
    path.write_bytes(data.replace(gzip, struct.pack(">qii", 28, 11, 99)))
    with pytest.raises(DamagedFile, match="compressed by method 99"):
        cdf_reader.read(path, ["Magnitude"], ALWAYS)


def test_an_hourly_day_has_24_rows(archive: Path, cdf_reader: CdfReader) -> None:
    path = next(archive.rglob("omni2_h0_mrg1hr*.cdf"))
    day = TimeRange(datetime(2023, 4, 24), datetime(2023, 4, 25))
    table = cdf_reader.read(path, ["DST"], day)["DST"]
    assert len(table) == 24
    assert table.values.min() == -212 or table.values.min() == -213
