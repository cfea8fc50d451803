"""A table's digest sees all that a step or a figure sees, and nothing else."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.store import canonical
from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table
from tests.rows import in_one_test
from tests.store.tables import START, assert_same, spectrum, tables, vector

CHANGED = (
    "the digest of an unchanged table changed: every stored result would be lost and records of older runs would no "
    "longer verify. If that is meant, raise DIGEST_FORM and say so in CHANGELOG.md under Results."
)


def laid_out(array, how):
    """The same elements lying differently in memory."""
    if how == "column by column":
        return np.asfortranarray(array)
    if how == "every second":
        return np.repeat(array, 2, axis=0)[::2]
    if how == "backwards":
        return array[::-1].copy()[::-1]
    assert how == "other byte order"
    return array if array.dtype.kind == "M" else array.astype(array.dtype.newbyteorder(">"))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["column by column", "every second", "backwards", "other byte order"])
@given(table=tables())
def test_how_a_table_lies_in_memory_does_not_change_its_digest(how, table):
    def moved(axis):
        parts = {name: laid_out(array, how) for name, array in axis.parts.items()}
        return replace(axis, **parts)

    other = replace(
        table,
        epoch=laid_out(table.epoch, how),
        values=laid_out(table.values, how),
        axes=tuple(moved(axis) for axis in table.axes),
    )
    assert other.digest() == table.digest()


@given(table=tables(), size=st.integers(1, 100))
def test_the_length_of_blocks_does_not_change_a_digest(table, size):
    whole = table.digest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "_BLOCK_BYTES", size)
        assert table.digest() == whole


def test_minus_zero_and_every_nan_are_one():
    quiet, signalling = np.array([0x7FF8000000000000, 0x7FF0000000000001], dtype=np.uint64).view(np.float64)
    epoch = START + np.arange(3) * np.timedelta64(1, "s")
    plain = Table(epoch, np.array([0.0, quiet, quiet]))
    assert Table(epoch, np.array([-0.0, -quiet, signalling])).digest() == plain.digest()
    assert Table(epoch, np.array([0.0, quiet, 0.0])).digest() != plain.digest()


def energies(**changes):
    table = spectrum()
    return replace(table, axes=(replace(table.axes[0], **changes), table.axes[1]))


MOVED = np.array([10.0, 31.6, 100.1], dtype=np.float32)
OTHERS = {
    "unit": replace(spectrum(), unit="counts"),
    "name": replace(spectrum(), name="FPDU"),
    "frame": replace(spectrum(), frame="GSE"),
    "scale": replace(spectrum(), scale="linear"),
    "description": replace(spectrum(), description=""),
    "one epoch": replace(spectrum(), epoch=spectrum().epoch + np.array([0, 0, 0, 1], "m8[ns]")),
    "one value": replace(
        spectrum(), values=np.where(spectrum().values == 0, np.float32(1e-45), spectrum().values)
    ),
    "precision": replace(spectrum(), values=spectrum().values.astype(np.float64)),
    "records": spectrum().take(slice(0, 3)),
    "order of axes": replace(
        spectrum(), values=spectrum().values.reshape(4, 2, 3), axes=spectrum().axes[::-1]
    ),
    "label of an axis": energies(label="E"),
    "unit of an axis": energies(unit="eV"),
    "scale of an axis": energies(scale="linear"),
    "centers": energies(centers=MOVED),
    "precision of an axis": energies(centers=spectrum().axes[0].centers.astype(np.float64)),
    "lower": energies(lower=MOVED),
    "upper": energies(upper=MOVED),
    "no edges": energies(lower=None, upper=None),
    "lower only": energies(upper=None),
    "upper only": energies(lower=None),
    "fixed or per record": energies(
        centers=np.tile(spectrum().axes[0].centers, (4, 1)), lower=None, upper=None
    ),
}


@in_one_test("what", OTHERS)
def test_whatever_can_be_seen_changes_the_digest(what):
    assert OTHERS[what].digest() != spectrum().digest()


def test_all_those_changes_have_digests_of_their_own():
    assert len({table.digest() for table in OTHERS.values()}) == len(OTHERS)


def test_components_change_the_digest():
    assert replace(vector(), components=("Bx", "By", "B")).digest() != vector().digest()


def test_an_edge_does_not_count_as_the_other_one():
    lower, upper = energies(upper=None), energies(lower=None, upper=spectrum().axes[0].lower)
    assert lower.digest() != upper.digest()


def test_sources_and_notes_do_not_change_the_digest():
    other = replace(vector(), sources=(SourceFile("AC_H2_MFI", "a.cdf"),), notes=("tolerated",))
    assert other.digest() == vector().digest()


def test_a_component_has_the_digest_of_the_scalar_that_it_is():
    column = vector().component("By")
    assert column.digest() == replace(column, values=column.values.copy()).digest()


@pytest.mark.parametrize(
    ("table", "digest"),
    [
        (vector(), "sha256:8e93ea538537c79e5d785ba1005db1f2d3074e69d17c1170c2f4e283698f4144"),
        (spectrum(), "sha256:bee93da28f63ce328774b81d96ecf0631cd539d19be54151c6c16e041248cf95"),
    ],
    ids=["vector", "spectrum"],
)
def test_digests_stay_as_they_are(table, digest):
    assert table.digest() == digest, CHANGED


def test_ten_million_samples_need_memory_for_a_block_only():
    table = Table(START + np.arange(10**7) * np.timedelta64(1, "s"), np.full(10**7, np.nan))
    tracemalloc.start()
    table.digest()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e6


@pytest.mark.parametrize("values", [np.array([1.5], dtype=np.longdouble), np.array(["a"], dtype=object)])
def test_what_is_no_number_of_64_bits_has_no_digest(values):
    with pytest.raises(TypeError, match="numbers"):
        Table(START + np.zeros(1, "m8[ns]"), values).digest()


@given(table=tables())
def test_a_canonical_array_is_not_copied(table):
    once = canonical.canonical(table.values)
    assert canonical.canonical(once) is once
    assert_same(replace(table, values=once), table)


def test_axes_name_their_parts():
    centers = np.array([1.0])
    assert list(Axis("E", "eV", centers, upper=centers).parts) == ["centers", "upper"]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("2016-12-31T23:59:59", True),
        ("2016-12-31T12:00:00", True),
        ("2016-12-31T00:00:00", False),
        ("2017-01-01", False),
    ],
)
def test_only_a_table_across_a_leap_second_has_another_digest_than_before_they_were_counted(
    first, other, monkeypatch
):
    """What was computed of it then is not to be found; its epochs alone would not tell."""
    table = Table(np.datetime64(first, "ns") + np.array([0, 12 * 3600], "m8[s]"), np.array([1.0, 2.0]))
    now = table.digest()
    monkeypatch.setattr("helio.store.table.spans_leap_second", lambda epoch: False)
    assert (now != table.digest()) == other
