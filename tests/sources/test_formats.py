"""Which format a file has, and what is refused before any reader sees it."""

import io

import pandas as pd
import pytest

from helio.errors import DamagedFile
from helio.sources.formats import SUFFIXES, format_of
from helio.sources.samples import sample_folder
from tests.sources.made_files import goes_like, istp_like


def parquet():
    sink = io.BytesIO()
    pd.DataFrame({"time": pd.to_datetime(["2024-05-10"]), "n": [1.0]}).to_parquet(sink)
    return sink.getvalue()


CDF = (sample_folder() / "sta_l1_het_20211028_v01.cdf").read_bytes()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.cdf", CDF, "cdf"),
        ("A.CDF", CDF, "cdf"),
        ("a.csv", b"time,n\n2024-05-10,1\n", "csv"),
        ("a.csv", b"\xef\xbb\xbftime,n\n", "csv"),
        ("a.CSV", "# Zähler\n".encode(), "csv"),
        ("a.parquet", parquet(), "parquet"),
    ],
)
def test_a_format_is_known_by_name_and_first_bytes(name, content, format, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert format_of(tmp_path / name) == format


@pytest.mark.parametrize("name", ["a.nc", "a.nc4", "a.NetCDF", "a.cdf"])
@pytest.mark.parametrize("make", [goes_like, istp_like])
def test_netcdf_of_both_kinds_goes_by_all_its_endings(make, name, tmp_path):
    assert format_of(make(tmp_path / name)) == "netcdf"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.nc", PNG, "not netCDF but a PNG image"),
        ("a.nc", CDF, "not netCDF but a CDF"),
        ("a.nc", b"<!DOCTYPE html><html>", "not netCDF but an HTML page"),
        ("a.cdf", PNG, "not a CDF but a PNG image"),
        ("a.parquet", b"time,n\n", "not Parquet but text"),
        ("a.parquet", parquet()[:-20], "truncated"),
        ("a.parquet", b"PAR1" + b"\xff" * 4 + b"PAR1", "truncated"),
        ("a.csv", PNG, "not CSV but a PNG image"),
        ("a.csv", b"<html><body>404</body>", "not CSV but an HTML page"),
        ("a.csv", parquet(), "not CSV but Parquet"),
        ("a.csv", "time,n\n".encode("utf-16"), "text in UTF-16"),
        *((f"a{suffix}", b"", "is empty") for suffix in SUFFIXES),
    ],
)
def test_what_is_of_another_kind_or_not_whole_is_refused_in_words(name, content, said, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DamagedFile, match=said) as refusal:
        format_of(tmp_path / name)
    assert refusal.value.advice
    assert refusal.value.place


def test_a_file_that_is_gone_is_refused(tmp_path):
    with pytest.raises(DamagedFile, match="cannot be opened"):
        format_of(tmp_path / "gone.nc")
