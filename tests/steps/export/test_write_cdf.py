"""What others see in a CDF that is exported."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from helio.errors import OutputError, StepError
from helio.sources.local import LocalArchive
from helio.steps.save_data import save_data
from helio.store.table import Axis, Table
from tests.steps.export.test_read_back import ALWAYS
from tests.steps.series import epochs, spectrum, vector
from tests.store.tables import assert_same

pycdfpp = pytest.importorskip("pycdfpp")


def written(tables, filename="ace_b_20240510_v02"):
    """The file as the library of another project reads it."""
    return pycdfpp.load(save_data(tables, filename=filename, format="cdf").content)


def entry(attribute):
    return attribute.value if not isinstance(attribute, list) else attribute[0]


def labels_of(variable):
    """Texts of a constant variable."""
    return [word.decode().rstrip() for word in np.array(variable.values).reshape(-1).tolist()]


@pytest.fixture(scope="module")
def file():
    return written({"AC_H2_MFI.BGSEc": vector(), "X.flux": spectrum()})


def test_epochs_are_tt2000_and_those_of_the_table(file):
    assert file["Epoch"].type == pycdfpp.DataType.CDF_TIME_TT2000
    times = pycdfpp.to_datetime64(file["Epoch"]).reshape(-1)
    np.testing.assert_array_equal(times, vector().epoch)
    others = pycdfpp.to_datetime64(file["Epoch_2"]).reshape(-1)
    np.testing.assert_array_equal(others, spectrum().epoch)


def test_a_vector_says_its_unit_components_frame_and_epochs(file):
    variable = file["BGSEc"]
    said = {name: entry(attribute) for name, attribute in variable.attributes.items()}
    assert (said["UNITS"], said["COORDINATE_SYSTEM"], said["DEPEND_0"]) == ("nT", "GSE", "Epoch")
    assert (said["VAR_TYPE"], said["DISPLAY_TYPE"], said["SCALETYP"]) == ("data", "time_series", "linear")
    assert labels_of(file[said["LABL_PTR_1"]]) == ["Bx", "By", "Bz"]
    values = np.array(variable.values)
    missing = values == -1e31
    assert missing.sum() == 1
    assert said["FILLVAL"] == [-1e31]
    values[missing] = np.nan
    np.testing.assert_array_equal(values, vector().values)


def test_a_spectrum_names_its_bins(file):
    said = {name: entry(attribute) for name, attribute in file["flux"].attributes.items()}
    assert said["DISPLAY_TYPE"] == "spectrogram"
    assert (said["DEPEND_0"], said["DEPEND_1"], said["SCALETYP"]) == ("Epoch_2", "flux_Energy", "log")
    bins = file["flux_Energy"]
    np.testing.assert_array_equal(np.array(bins.values).reshape(-1), spectrum().axes[0].centers)
    assert entry(bins.attributes["UNITS"]) == "keV"
    assert entry(bins.attributes["VAR_TYPE"]) == "support_data"


def test_distances_of_edges_are_there_for_others():
    centers = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    axis = replace(spectrum().axes[0], centers=centers, lower=centers * 0.75, upper=centers * 1.5)
    file = written({"flux": replace(spectrum(), axes=(axis,))})
    said = file["flux_Energy"].attributes
    minus, plus = (file[entry(said[name])] for name in ("DELTA_MINUS_VAR", "DELTA_PLUS_VAR"))
    np.testing.assert_array_equal(np.array(minus.values).reshape(-1), centers * 0.25)
    np.testing.assert_array_equal(np.array(plus.values).reshape(-1), centers * 0.5)


def test_every_variable_says_what_istp_wants_of_it(file):
    """Fill values, and those attributes that checkers such as the one of SpacePy look for."""
    kinds = {name: entry(variable.attributes["VAR_TYPE"]) for name, variable in file.items()}
    assert kinds == {
        "Epoch": "support_data",
        "Epoch_2": "support_data",
        "flux_Energy": "support_data",
        "BGSEc_labels": "metadata",
        "BGSEc_representation": "metadata",
        "BGSEc": "data",
        "flux": "data",
    }
    for name, variable in file.items():
        said = {key: entry(attribute) for key, attribute in variable.attributes.items()}
        assert said["FIELDNAM"] == name
        assert said["CATDESC"]
        assert said["FORMAT"] if name[:5] != "Epoch" else said["TIME_BASE"]
        if kinds[name] == "metadata":
            assert said["FILLVAL"] == " "
        else:
            assert {"FILLVAL", "VALIDMIN", "VALIDMAX", "UNITS", "SCALETYP"} <= set(said), name


@pytest.mark.parametrize(
    ("unit", "conversion"),
    [
        ("nT", "1e-09>T"),
        ("km/s", "1000>m/s"),
        ("1/(cm^2 s sr keV)", "6.24150907446076e+19>m^-2 s^-1 sr^-1 J^-1"),
        ("R_E", "6371200>m"),
        ("dB", None),
        ("counts/s", None),
        ("", None),
    ],
)
def test_the_factor_to_si_units_is_there_where_there_is_one(unit, conversion):
    axis = replace(spectrum().axes[0], unit=unit)
    file = written({"flux": replace(spectrum(), unit=unit, axes=(axis,))})
    for name in ("flux", "flux_Energy"):
        said = file[name].attributes
        assert (entry(said["SI_CONVERSION"]) if "SI_CONVERSION" in said else None) == conversion


@pytest.mark.parametrize(
    ("components", "stated", "words"),
    [
        (("Bx", "By", "Bz"), None, ["x", "y", "z"]),
        (("B_R", "B_T", "B_N", "|B|"), None, ["r", "t", "n", "magnitude"]),
        (("first", "second", "third"), "cartesian", ["x", "y", "z"]),
        (("r", "colatitude", "longitude"), None, ["r", "colatitude", "longitude"]),
        (("first", "second", "third"), "spherical", None),
        (("first", "second", "third"), "none", None),
        (("first", "second", "third"), None, None),
    ],
)
def test_what_components_are_to_each_other_is_there_for_others_where_it_is_known(components, stated, words):
    values = np.ones((10, len(components)))
    table = replace(vector(), components=components, values=values, stated_representation=stated)
    file = written({"b": table})
    said = file["b"].attributes
    if words is None:
        assert "REPRESENTATION_1" not in said
        assert "b_representation" not in file
    else:
        assert labels_of(file[entry(said["REPRESENTATION_1"])]) == words


@pytest.mark.parametrize("upper", ["f4", "f8"])
def test_widths_of_bins_have_the_type_of_the_bins_and_too_large_ones_are_missing(upper):
    centers = np.array([1.0, 2.0, 3e38], "f4")
    ends = np.array([2.0, 4.0, 3.2e38], upper)
    axis = Axis("Energy", "keV", centers, lower=np.array([0.5, 1.0, -3e38], "f4"), upper=ends)
    table = Table(epochs(0), np.ones((1, 3)), axes=(axis,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file = written({"flux": table})
    said = file["flux_Energy"].attributes
    minus, plus = (file[entry(said[name])] for name in ("DELTA_MINUS_VAR", "DELTA_PLUS_VAR"))
    assert {minus.type, plus.type} == {pycdfpp.DataType.CDF_FLOAT}
    np.testing.assert_array_equal(np.array(minus.values).reshape(-1), np.array([0.5, 1.0, -1e31], "f4"))
    np.testing.assert_allclose(np.array(plus.values).reshape(-1)[:2], [1.0, 2.0])


def test_edges_whose_distance_no_number_holds_are_written(tmp_path, cdf_reader):
    """Each of these raised, for warnings are errors in the tests."""
    big = 1.7e308
    axis = Axis(
        "E", "", np.array([big, np.inf, -big]), np.array([-big, np.inf, -big]), np.array([big, 1, big])
    )
    table = Table(epochs(0), np.ones((1, 3)), axes=(axis,))
    (tmp_path / "b.cdf").write_bytes(save_data({"flux": table}, filename="b", format="cdf").content)
    found = LocalArchive(tmp_path, cdf_reader).fetch("b", ["flux"], ALWAYS)["flux"]
    assert_same(found, table)


def test_single_precision_stays_single_with_a_fill_of_its_own():
    table = replace(vector(), values=vector().values.astype("f4"))
    variable = written({"b": table})["b"]
    assert variable.type == pycdfpp.DataType.CDF_FLOAT
    assert np.array(variable.values).dtype == np.float32
    assert (np.array(variable.values) == np.float32(-1e31)).sum() == 1


def test_the_file_says_what_it_is_and_what_it_rests_on(file):
    said = {
        name: [str(attribute[i]) for i in range(len(attribute))]
        for name, attribute in file.attributes.items()
    }
    assert said["Logical_source"] == ["ace_b"]
    assert said["Logical_file_id"] == ["ace_b_20240510_v02"]
    assert said["Data_version"] == ["02"]
    assert said["Parents"] == ["CDF>ac_h2_mfi_20240510_v01"]
    assert "AC_H2_MFI" in said["TEXT"][0]
    assert not [name for name in said if "date" in name.lower()]


def test_bins_that_two_tables_share_are_written_once():
    file = written({"A.flux": spectrum(), "A.background": spectrum()})
    assert entry(file["background"].attributes["DEPEND_1"]) == "flux_Energy"
    assert [name for name in file if "Energy" in name] == ["flux_Energy"]


def test_text_that_is_not_ascii_is_utf_8():
    table = replace(vector(), description="Geschwindigkeit über Grund", components=("Bρ", "Bφ", "Bz"))
    said = written({"b": table})["b"].attributes
    assert entry(said["CATDESC"]) == "Geschwindigkeit über Grund"


def test_a_full_disk_is_said_in_words(monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryDirectory", full)
    for format in ("cdf", "netcdf"):
        with pytest.raises(OutputError, match="No space left on device"):
            save_data({"b": vector()}, format=format)


def test_epochs_before_1972_are_refused_with_a_way_out():
    table = Table(epochs(0) - np.timedelta64(60 * 365, "D"), np.ones(1))
    with pytest.raises(StepError, match="writes CDF epochs only from 1972 on") as refusal:
        save_data({"b": table}, format="cdf")
    assert "netcdf" in refusal.value.advice


@pytest.mark.parametrize("number", [-1e31, -1e30])
def test_a_value_that_is_the_fill_is_refused(number):
    with pytest.raises(StepError, match="means a missing value"):
        save_data({"b": Table(epochs(0), np.array([number], "f4"))}, format="cdf")


def test_an_empty_table_is_a_file_without_records():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file = written({"b": vector().take(slice(0, 0))})
    assert file["b"].shape[0] == 0
