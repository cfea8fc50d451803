"""A range of records is what the same range of the whole is, and only its blocks are read."""

import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import DataError
from helio.sources import cdf_blocks, cdf_tables
from helio.sources.cdf_blocks import blocks_in_order, walk_index
from helio.sources.cdf_file import CdfFile
from helio.sources.cdf_tables import TableReader, parameters_of
from helio.store.table import Table
from tests.laws import law
from tests.sources.conftest import WrittenCdf
from tests.sources.test_cdf_mutations import mutated

FILL = -(2**63)
START = 700_000_000_000_000_000
SECOND = 10**9
ALWAYS = (-(2**63) + 1, 2**63 - 1)
UNIX_OF_START = 1_646_727_930_816_000_000
HEADS = 404
"""Bytes of the CDR and GDR."""
LEAP_SECOND = 536_500_866_184_000_000
"""2016-12-31T23:59:58 UTC as TT2000."""


@pytest.fixture(autouse=True)
def few_between_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdf_tables, "_MARKED", 3)


def write(
    path: Path,
    seconds: list[int | None],
    *,
    gzip: int = 6,
    block: int = 40,
    noise: bool = False,
    column_major: bool = False,
    whole: int = 0,
    start: int = START,
) -> Path:
    """Write a scalar, a vector, a matrix and bins on a clock, in blocks of about `block` bytes."""
    made = WrittenCdf(path, column_major=column_major, compressed=whole)
    made._file.BLOCKING_BYTES = block
    count = len(seconds)
    numbers = np.random.default_rng(5).normal(size=(count, 3, 2)) if noise else np.ones((count, 3, 2))
    numbers += np.arange(count)[:, None, None]
    epochs = [FILL if second is None else start + second * SECOND for second in seconds]
    made.add("Epoch", "tt2000", np.array(epochs, "i8"), gzip=gzip)
    scalar = numbers[:, 0, 0].copy()
    scalar[::5] = -1e31
    made.add("n", "f8", scalar, gzip=gzip, DEPEND_0="Epoch", FILLVAL=-1e31, VALIDMIN=0.0, VALIDMAX=9.0)
    made.add("B", "f4", numbers[:, :, 0], gzip=gzip, DEPEND_0="Epoch", DEPEND_1="E")
    made.add("j", "i2", numbers.astype("i2"), gzip=gzip, DEPEND_0="Epoch")
    made.add("E", "f4", np.abs(numbers[:, :, 1]) + np.arange(3), gzip=gzip, DEPEND_0="Epoch", UNITS="eV")
    made.add("constant", "f8", np.arange(4.0), constant=True)
    return made.done()


def facts(table: Table) -> tuple[object, ...]:
    """Return all that a reader says in a table, as what `==` compares."""
    axes = [
        (
            axis.label,
            axis.unit,
            axis.scale,
            *(array_facts(part) for part in (axis.centers, axis.lower, axis.upper)),
        )
        for axis in table.axes
    ]
    return (
        array_facts(table.epoch), array_facts(table.values), table.unit, table.name, table.frame,
        table.components, table.representation, table.periods, table.scale, table.description, table.notes,
        dict(table.dropped), axes,
    )  # fmt: skip


def array_facts(array: np.ndarray | None) -> object:
    return None if array is None else (array.dtype.str, array.shape, array.tobytes())


def outcome(action: Callable[[], object]) -> object:
    """Return what an action gives, or the error that it raises."""
    try:
        return action()
    except DataError as error:
        return type(error), error.message, error.advice
    except MemoryError:
        return "needs more memory than helio gives to one file"


@contextmanager
def both_ways(path: Path) -> Iterator[tuple[CdfFile, CdfFile]]:
    """Open a file twice: as it is, and with every record read by cdflib and nothing remembered of its clocks."""
    with closing(CdfFile(path)) as file, closing(CdfFile(path)) as slow:
        slow._plain_records = lambda *_: None  # type: ignore[method-assign]
        del slow.clock_marks
        yield file, slow


def cut(table: Table, start: int, stop: int) -> tuple[object, object]:
    epoch = table.epoch.view("i8")
    inside = (epoch >= start) & (epoch < stop)
    return array_facts(table.epoch[inside]), array_facts(table.values[inside])


def table_of(file: CdfFile, name: str, start: int, stop: int) -> object:
    return outcome(lambda: TableReader(file, start, stop).read(name))


def compare(file: CdfFile, slow: CdfFile, name: str, ranges: list[tuple[int, int]]) -> None:
    """Compare the table of each range with the one that cdflib gives, and with the same range of the whole."""
    whole = table_of(file, name, *ALWAYS)
    for start, stop in [*ranges, ALWAYS]:
        table, expected = table_of(file, name, start, stop), table_of(slow, name, start, stop)
        if not isinstance(table, Table) or not isinstance(expected, Table):
            assert table == expected
            continue
        assert facts(table) == facts(expected)
        assert isinstance(whole, Table)
        assert cut(table, *ALWAYS) == cut(whole, start, stop)


seconds = st.lists(st.integers(0, 40), min_size=1, max_size=40)


@law(20, 800)
@given(
    increasing=seconds.map(sorted),
    strange=st.one_of(
        st.none(), seconds, st.lists(st.one_of(st.none(), st.integers(0, 40)), min_size=1, max_size=40)
    ),
    gzip=st.sampled_from([0, 6]),
    block=st.sampled_from([8, 40, 200, 65536]),
    noise=st.booleans(),
    column_major=st.booleans(),
    whole=st.sampled_from([0, 0, 6]),
    near_leap_second=st.booleans(),
    ranges=st.lists(st.tuples(st.integers(-3, 43), st.integers(1, 40)), min_size=1, max_size=4),
)
def test_a_range_is_cut_out_of_the_whole(
    increasing, strange, gzip, block, noise, column_major, whole, near_leap_second, ranges
):
    start = LEAP_SECOND - 20 * SECOND if near_leap_second else START
    with tempfile.TemporaryDirectory() as folder:
        path = write(
            Path(folder) / "made.cdf", increasing if strange is None else strange, gzip=gzip, block=block,
            noise=noise, column_major=column_major, whole=whole, start=start,
        )  # fmt: skip
        unix = UNIX_OF_START + start - START
        asked = [(unix + first * SECOND, unix + (first + count) * SECOND) for first, count in ranges]
        with both_ways(path) as (file, slow):
            assert parameters_of(file) == parameters_of(slow) == ("n", "B", "j", "E")
            for name in parameters_of(file):
                compare(file, slow, name, asked)


def test_several_threads_read_the_same_records(tmp_path, monkeypatch):
    path = write(tmp_path / "made.cdf", list(range(900)), block=400, noise=True)
    ranges = [
        (UNIX_OF_START + first * SECOND, UNIX_OF_START + stop * SECOND)
        for first, stop in [(0, 900), (7, 811), (99, 100), (890, 900)]
    ]
    monkeypatch.setattr(cdf_blocks, "_FEW_BYTES", 1)
    threads: list[int] = []

    class Counted(cdf_blocks.ThreadPoolExecutor):
        def __init__(self, count: int) -> None:
            threads.append(count)
            super().__init__(count)

    monkeypatch.setattr(cdf_blocks, "ThreadPoolExecutor", Counted)
    with both_ways(path) as (file, slow):
        for name in parameters_of(file):
            compare(file, slow, name, ranges)
    assert threads
    assert max(threads) <= cdf_blocks._MOST_THREADS


def test_a_thread_that_cannot_start_is_a_lack_of_memory(tmp_path, monkeypatch):
    path = write(tmp_path / "made.cdf", list(range(300)))
    monkeypatch.setattr(cdf_blocks, "_FEW_BYTES", 1)

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(cdf_blocks.ThreadPoolExecutor, "submit", refuse)
    with closing(CdfFile(path)) as file, pytest.raises(MemoryError):
        TableReader(file, *ALWAYS).read("n")


def test_damage_that_one_of_several_threads_meets_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "made.cdf", list(range(900)), block=400)
    monkeypatch.setattr(cdf_blocks, "_FEW_BYTES", 1)
    with closing(CdfFile(path)) as file:
        _, descriptor, _ = file._known("n")
        *_, (_, _, offset) = walk_index(file._file, descriptor.head_vxr)
    data = bytearray(path.read_bytes())
    size, kind = struct.unpack_from(">qi", data, offset)
    assert kind == cdf_blocks._CVVR
    data[offset + size - 8] ^= 0xFF  # the checksum of the block
    path.write_bytes(data)
    with both_ways(path) as (file, slow):
        refused = table_of(file, "n", *ALWAYS)
        assert not isinstance(refused, Table)
        assert refused == table_of(slow, "n", *ALWAYS)


@pytest.mark.archive
def test_a_range_of_a_real_file_is_cut_out_of_the_whole(archive):
    paths = sorted(archive.rglob("*.cdf"))
    assert paths
    remembered = 0
    for path in paths:
        with both_ways(path) as (file, slow):
            for name in parameters_of(file)[:6]:
                whole = table_of(file, name, *ALWAYS)
                epoch = whole.epoch.view("i8") if isinstance(whole, Table) else np.arange(7)
                start, stop = (int(epoch[len(epoch) * part // 7]) for part in (3, 4))
                compare(file, slow, name, [(start, stop)])
            remembered += bool(file.clock_marks)
    assert remembered > len(paths) // 2


def test_only_the_blocks_of_the_range_are_read(tmp_path, monkeypatch):
    path = write(tmp_path / "made.cdf", list(range(400)), block=80)
    expanded = []
    new = zlib.decompressobj
    monkeypatch.setattr(zlib, "decompressobj", lambda *options: expanded.append(1) or new(*options))
    with closing(CdfFile(path)) as file:
        assert len(file.records(file.variable("n"), 195, 205)) == 10
        assert len(expanded) == 2
        TableReader(file, *ALWAYS).read("n")
        expanded.clear()
        start = UNIX_OF_START + 195 * SECOND
        assert len(TableReader(file, start, start + 10 * SECOND).read("n")) == 10
        assert len(expanded) == 4


@pytest.mark.parametrize(
    "epochs", [[2, 1, 3], [1, None, 3], [LEAP_SECOND // SECOND - START // SECOND + i for i in range(5)]]
)
def test_a_clock_with_repairs_or_a_leap_second_is_read_whole_each_time(tmp_path, epochs):
    with closing(CdfFile(write(tmp_path / "made.cdf", epochs))) as file:
        TableReader(file, *ALWAYS).read("n")
        assert file.clock_marks == {}


@pytest.mark.parametrize(
    "blocks",
    [[], [(1, 9, 100)], [(0, 4, 100), (6, 9, 200)], [(0, 4, 100), (4, 9, 200)], [(5, 9, 200), (0, 4, 100)],
     [(0, 8, 100)], [(0, 4, 100), (-1, -1, -1), (5, 9, 200)], [(0, 9, 100), (10, 9, 200)]],
)  # fmt: skip
def test_blocks_with_gaps_or_out_of_order_are_unusual(blocks):
    assert blocks_in_order(blocks, 10) is None


@pytest.mark.parametrize("gzip", [0, 6])
@pytest.mark.parametrize("noise", [False, True])
def test_damage_gives_what_cdflib_gives(tmp_path, gzip, noise):
    data = write(tmp_path / "whole.cdf", list(range(60)), gzip=gzip, noise=noise).read_bytes()
    path = tmp_path / "damaged.cdf"
    for seed in range(60):
        path.write_bytes(data[:HEADS] + mutated(data[HEADS:], seed))
        assert_same_records(path)


def assert_same_records(path: Path) -> None:
    """Compare the records of every variable, whole and in part, or the errors."""

    def records(file: CdfFile, name: str, part: int) -> object:
        variable = file.variable(name)
        if variable is None:
            return None
        count = variable.records
        return array_facts(file.records(variable, count // 3 * part, count - count // 4 * part))

    with both_ways(path) as (file, slow):
        for name in ("Epoch", "n", "B", "E"):
            for part in (0, 1):
                assert outcome(lambda name=name, part=part: records(file, name, part)) == outcome(
                    lambda name=name, part=part: records(slow, name, part)
                )


@pytest.mark.parametrize("claimed", [-1, 0, 7, 2**40, 2**62])
def test_a_block_of_another_size_is_left_to_cdflib(tmp_path, claimed):
    path = write(tmp_path / "made.cdf", list(range(60)), gzip=0)
    with closing(CdfFile(path)) as file:
        _, descriptor, _ = file._known("n")
        ((_, _, offset),) = walk_index(file._file, descriptor.head_vxr)
    data = bytearray(path.read_bytes())
    struct.pack_into(">q", data, offset, claimed)
    path.write_bytes(data)
    with closing(CdfFile(path)) as file:
        variable, descriptor, _ = file._known("n")
        assert file._plain_records(variable, descriptor, 0, 60) is None
    assert_same_records(path)
