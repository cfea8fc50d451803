"""What is said and refused when files, or the records of one file, have an epoch more than once."""

from datetime import datetime

import netCDF4
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helio.errors import DamagedFile
from helio.sources.join import join
from helio.sources.local import LocalArchive
from helio.store.table import Axis, Table
from helio.time_range import TimeRange

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
MINUTE = np.timedelta64(1, "m")


def table(values, start=0, **facts):
    """One record a minute, from a minute of the day on."""
    values = np.asarray(values)
    epoch = np.datetime64("2024-05-10", "ns") + (start + np.arange(len(values))) * MINUTE
    return Table(epoch=epoch.astype("M8[ns]"), values=values, **{"unit": "nT", **facts})


def notes_of(*parts):
    found = join("B", [(f"{name}.nc", part) for name, part in zip("abc", parts, strict=False)])
    assert found is not None
    return found.notes


# Overlapping files


def test_equal_records_of_two_files_are_one_record():
    assert notes_of(table([1.0, np.nan, 3.0]), table([np.nan, 3.0, 4.0], start=1)) == (
        "2 repeated epochs: the first record of each was kept",
    )


def test_files_that_differ_are_named_with_the_number_of_epochs_and_the_largest_difference():
    found = notes_of(table([1.0, 2.0, 3.0, 4.0]), table([2.0, 3.5, 1.0, 5.0], start=1))
    assert found == (
        "3 repeated epochs: the first record of each was kept",
        "a.nc and b.nc differ in 2 of the 3 epochs that both files have, by up to 3 nT; the records of a.nc were kept",
    )


def test_a_value_beside_a_missing_one_is_a_difference():
    (_, note) = notes_of(table([1.0, np.nan, 3.0]), table([2.0, 3.0, 4.0], start=1))
    assert "differ in 1 of the 2 epochs that both files have; in 1 pair only one record has a value" in note


def test_one_number_in_two_precisions_is_no_difference():
    numbers = [1.1, 2.2, -3.3e-5, 6.02e23]
    assert len(notes_of(table(np.array(numbers, "f4")), table(numbers))) == 1
    assert len(notes_of(table(numbers), table(np.array(numbers, "f4")))) == 1
    assert len(notes_of(table([1.0, 2.0]), table([1.0, np.nextafter(2.0, 3.0)]))) == 2


def test_of_three_files_each_pair_is_judged_by_itself():
    close = np.nextafter(3.0, 4.0)
    found = notes_of(
        table([1, 2, 3.0]), table(np.array([9, 4], "f4"), start=2), table([close, 4, 5.0], start=2)
    )
    assert found[0] == "3 repeated epochs: the first record of each was kept"
    assert [note.partition(" differ")[0] for note in found[1:]] == ["a.nc and b.nc", "a.nc and c.nc"]


def test_a_component_or_an_energy_that_differs_is_a_difference():
    vector = [[1.0, 2.0], [3.0, 4.0]]
    assert len(notes_of(*(table(v, components=("x", "y")) for v in (vector, [[1.0, 2.0], [3.0, 5.0]])))) == 2
    axes = [Axis("Energy", "eV", np.array(bins)) for bins in ([[1.0, 2], [3, 4]], [[1.0, 2], [3, 5]])]
    assert len(notes_of(*(table(vector, axes=(axis,)) for axis in axes))) == 2


def test_many_files_that_differ_are_not_all_listed():
    parts = [(f"{i}.nc", table(np.full(20, float(i)) if i else np.zeros(400))) for i in range(10)]
    found = join("B", parts)
    assert found is not None
    assert len(found.notes) == 7
    assert found.notes[-1] == "further pairs of files that differ in the same way: 4"


def test_files_that_contradict_each_other_in_most_records_are_refused():
    parts = [(f"{i}.nc", table(np.full(100, float(i)))) for i in range(3)]
    with pytest.raises(
        DamagedFile, match=r"200 of the 300 records of B for this interval in 3 files.*200 contradict"
    ) as refusal:
        join("B", parts)
    assert "keep" in refusal.value.advice


def test_copies_of_one_file_under_several_names_are_that_file():
    joined = join("B", [(f"{i}.nc", table(np.arange(100.0))) for i in range(5)])
    assert joined is not None
    assert joined.values.tolist() == np.arange(100.0).tolist()


# The records of one file, in any format


def csv(path, minutes, values):
    rows = (
        f"{np.datetime64('2024-05-10') + int(m) * MINUTE},{v}\n" for m, v in zip(minutes, values, strict=True)
    )
    path.with_suffix(".csv").write_text("time,n\n" + "".join(rows))


def parquet(path, minutes, values):
    times = (np.datetime64("2024-05-10") + np.asarray(minutes) * MINUTE).astype("M8[ns]")
    pq.write_table(pa.table({"time": times, "n": np.asarray(values, float)}), path.with_suffix(".parquet"))


def netcdf(path, minutes, values):
    with netCDF4.Dataset(str(path.with_suffix(".nc")), "w") as file:
        file.createDimension("time", len(minutes))
        time = file.createVariable("time", "i8", ("time",))
        time.units = "minutes since 2024-05-10"
        time[:] = np.asarray(minutes)
        file.createVariable("n", "f8", ("time",))[:] = np.asarray(values, float)


@pytest.fixture(params=["csv", "parquet", "netcdf", "cdf"])
def fetch(request, tmp_path, cdf_reader, new_cdf):
    """Write a file of one format and fetch its one parameter."""

    def cdf(path, minutes, values):
        epochs = 63_882_518_400_000.0 + 60_000.0 * np.asarray(minutes, float)
        made = new_cdf(path.with_suffix(".cdf").name).add("Epoch", "epoch", epochs)
        made.add("n", "f8", np.asarray(values, float), DEPEND_0="Epoch").done()

    write = {"csv": csv, "parquet": parquet, "netcdf": netcdf, "cdf": cdf}[request.param]

    def ask(minutes, values, time_range=DAY):
        for old in tmp_path.glob("made_*"):
            old.unlink()
        write(tmp_path / "made_20240510", minutes, values)
        return LocalArchive(tmp_path, cdf_reader).fetch("made", ["n"], time_range)["n"]

    return ask


@pytest.mark.parametrize("values", [np.arange(1440), np.zeros(1440)], ids=["different", "equal"])
def test_a_fetch_that_keeps_one_record_of_a_day_is_no_success(fetch, values):
    with pytest.raises(
        DamagedFile, match=r"1439 of the 1440 records of n .* 1439 repeat an epoch"
    ) as refusal:
        fetch(np.zeros(1440, int), values)
    assert "several rows for one epoch" in refusal.value.advice


def test_rows_for_each_channel_are_refused_with_advice(fetch):
    with pytest.raises(DamagedFile, match="40 of the 60 records") as refusal:
        fetch(np.repeat(np.arange(20), 3), np.arange(60))
    assert "channel" in refusal.value.advice


def test_half_of_the_records_may_be_left_out_with_a_note(fetch):
    found = fetch(np.repeat(np.arange(20), 2), np.arange(40))
    assert found.values.tolist() == np.arange(0, 40, 2).tolist()
    assert found.dropped == {}
    assert found.notes == (
        "20 records repeat an epoch; the first record of each epoch was kept",
        "20 repeated records differ from the first record of the same epoch, by up to 1",
    )


def test_only_records_of_the_interval_count(fetch):
    minutes = [*range(10), *([11] * 100)]
    early = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 10))
    assert fetch(minutes, np.arange(110), early).notes == ()
    with pytest.raises(DamagedFile, match="99 of the 100 records"):
        fetch(minutes, np.arange(110), TimeRange(datetime(2024, 5, 10, 0, 10), datetime(2024, 5, 11)))


# Records without an epoch


def without_epochs(new_cdf, valid, records=30):
    epochs = 63_882_518_400_000.0 + 60_000.0 * np.arange(records)
    epochs[[i for i in range(records) if i not in valid]] = -1e31
    new_cdf("made_20240510.cdf").add("Epoch", "epoch", epochs).add(
        "n", "f8", np.arange(float(records)), DEPEND_0="Epoch"
    ).done()


def test_most_epochs_fill_is_no_success(new_cdf, tmp_path, cdf_reader):
    without_epochs(new_cdf, range(14))
    with pytest.raises(DamagedFile, match=r"16 of the 30 records of n .* 16 have no usable epoch"):
        LocalArchive(tmp_path, cdf_reader).fetch("made", ["n"], DAY)


def test_no_epoch_at_all_says_so(new_cdf, tmp_path, cdf_reader):
    without_epochs(new_cdf, ())
    with pytest.raises(DamagedFile, match="30 of the 30 records"):
        LocalArchive(tmp_path, cdf_reader).fetch("made", ["n"], DAY)


def test_some_epochs_fill_is_noted_for_the_interval_alone(new_cdf, tmp_path, cdf_reader):
    without_epochs(new_cdf, [*range(1, 5), *range(6, 30)])
    archive = LocalArchive(tmp_path, cdf_reader)
    assert archive.fetch("made", ["n"], DAY)["n"].notes == (
        "2 of 30 records left out: their epoch is a fill value or out of range",
    )
    later = TimeRange(datetime(2024, 5, 10, 0, 10), datetime(2024, 5, 10, 0, 20))
    assert archive.fetch("made", ["n"], later)["n"].notes == ()


def test_fill_values_are_no_dropped_records(fetch):
    values = np.full(30, np.nan)
    values[0] = 1.0
    assert fetch(np.arange(30), values).notes == ()
