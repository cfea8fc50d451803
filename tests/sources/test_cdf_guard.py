"""What is refused before any reader sees it."""

import struct

import numpy as np
import pytest

from helio.errors import DamagedFile
from helio.sources.cdf_guard import check_cdf


@pytest.fixture
def whole(new_cdf):
    made = new_cdf("whole.cdf")
    made.add("Epoch", "tt2000", np.arange(50) * 10**9 + 700_000_000_000_000_000)
    made.add("B", "f8", np.arange(50.0), DEPEND_0="Epoch")
    return made.done()


def test_a_whole_file_passes(whole):
    check_cdf(whole)


def test_a_whole_compressed_file_passes(new_cdf):
    made = new_cdf("packed.cdf", compressed=6)
    made.add("Epoch", "tt2000", np.arange(500) * 10**9 + 700_000_000_000_000_000)
    check_cdf(made.done())


@pytest.mark.parametrize("keep", [1, 7, 20, 300, 400, 0.5, 0.9, -1])
def test_a_truncated_file_is_called_truncated_or_damaged(whole, keep):
    data = whole.read_bytes()
    count = int(len(data) * keep) if isinstance(keep, float) else keep
    whole.write_bytes(data[:count])
    with pytest.raises(DamagedFile, match=r"truncated|damaged|not a CDF|second magic"):
        check_cdf(whole)


@pytest.mark.parametrize("keep", [40, 0.5, -1])
def test_a_truncated_compressed_file_is_called_truncated(new_cdf, keep):
    made = new_cdf("packed.cdf", compressed=6)
    made.add("Epoch", "tt2000", np.random.default_rng(1).integers(1, 2**60, 500))
    path = made.done()
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    with pytest.raises(DamagedFile, match="truncated"):
        check_cdf(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"2024-05-10 00:00 4.5\n" * 40, "is not a CDF but text"),
        (b"\n <!DOCTYPE HTML PUBLIC><html><title>404</title>", "an HTML page"),
        (b"<?xml version='1.0'?><Error/>", "XML"),
        (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5 or netCDF-4"),
        (b"CDF\x01" + bytes(100), "netCDF-3"),
        (b"\x1f\x8b\x08" + bytes(100), "gzip archive"),
        (b"\xcd\xf3\x00\x01", "second magic number is missing"),
        (b"\x07\x81\xfe\x00" * 50, "data beginning with the bytes 0781fe00"),
    ],
)
def test_what_is_no_cdf_is_named(tmp_path, content, said):
    path = tmp_path / "wrong.cdf"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=said) as caught:
        check_cdf(path)
    assert "wrong.cdf" in caught.value.message
    assert caught.value.advice


def test_an_absent_file_is_said_to_be_absent(tmp_path):
    with pytest.raises(DamagedFile, match=r"'gone\.cdf' cannot be opened: No such file"):
        check_cdf(tmp_path / "gone.cdf")


def test_an_unknown_compression_is_refused_by_its_number(new_cdf):
    made = new_cdf("packed.cdf", compressed=6)
    made.add("Epoch", "tt2000", np.arange(500) * 10**9)
    path = made.done()
    data = bytearray(path.read_bytes())
    (cpr,) = struct.unpack_from(">q", data, 20)
    struct.pack_into(">i", data, cpr + 12, 16)
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match="compressed by method 16"):
        check_cdf(path)


def test_a_global_descriptor_outside_the_file_is_refused(whole):
    data = bytearray(whole.read_bytes())
    struct.pack_into(">q", data, 20, 2**40)
    whole.write_bytes(data)
    with pytest.raises(DamagedFile, match="truncated"):
        check_cdf(whole)


def _version_2(size: int, end: int) -> bytes:
    """The first records of a CDF 2.6 and nothing else."""
    data = bytearray(size)
    data[:8] = b"\xcd\xf2\x60\x02\x00\x00\xff\xff"
    struct.pack_into(">iii", data, 8, 304, 1, 312)
    struct.pack_into(">iiiiii", data, 312, 60, 2, 0, 0, 0, end)
    return bytes(data)


def test_the_older_layout_is_checked_as_well(tmp_path):
    path = tmp_path / "old.cdf"
    path.write_bytes(_version_2(400, 400))
    check_cdf(path)
    path.write_bytes(_version_2(400, 401))
    with pytest.raises(DamagedFile, match="at least 401 bytes but has 400"):
        check_cdf(path)


def test_every_file_of_the_archive_passes(archive):
    paths = sorted(archive.rglob("*.cdf"))
    assert paths
    for path in paths:
        check_cdf(path)
