"""CDFs that tests write, and the archive of further real ones."""

import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from cdflib.cdfwrite import CDF

from helio.sources.cdf import CdfReader
from helio.sources.http import Hosts, Http
from helio.sources.samples import sample_folder
from helio.testing import CdaWebStandIn, Computed, FakeClock

TYPES = {
    "i1": 1, "i2": 2, "i4": 4, "i8": 8, "u1": 11, "u2": 12, "u4": 14, "f4": 44, "f8": 45,
    "epoch": 31, "tt2000": 33, "text": 51,
}  # fmt: skip


class WrittenCdf:
    """A CDF under construction."""

    def __init__(
        self, path: Path, *, column_major: bool = False, compressed: int = 0, checksum: bool = False
    ) -> None:
        self.path = path
        majority = "column_major" if column_major else "row_major"
        with warnings.catch_warnings():
            # cdflib closes a compressed file twice
            warnings.simplefilter("ignore", ResourceWarning)
            spec = {"Majority": majority, "Compressed": compressed, "Checksum": checksum}
            self._file = CDF(path, cdf_spec=spec, delete=True)
        self._globals: dict[str, dict[int, str]] = {}

    def say(self, **attributes: str) -> "WrittenCdf":
        """Global attributes."""
        self._file.write_globalattrs({name: {0: text} for name, text in attributes.items()})
        return self

    def add(
        self, name: str, kind: str, data: object, *, constant: bool = False, gzip: int = 0,
        sparse: str = "no_sparse", pad: object = None, **attributes: object,
    ) -> "WrittenCdf":  # fmt: skip
        """One variable; `data` has its records first, unless it is constant."""
        width, typed = 1, kind
        if kind == "text":
            width = max(len(text) for text in np.ravel(data))
        values = data if sparse != "no_sparse" else np.asarray(data)
        whole = np.asarray(data[1]) if sparse != "no_sparse" else values
        shape = list(whole.shape if constant else whole.shape[1:])
        spec = {
            "Variable": name, "Data_Type": TYPES[typed], "Num_Elements": width, "Rec_Vary": not constant,
            "Dim_Sizes": shape, "Compress": gzip, "Sparse": sparse,
        }  # fmt: skip
        if pad is not None:
            spec["Pad"] = np.asarray(pad)
        if kind == "text":
            values = np.char.ljust(values, width)
        elif sparse == "no_sparse":
            values = np.ascontiguousarray(values, dtype=_dtype(kind))
        empty = sparse == "no_sparse" and values.size == 0
        self._file.write_var(spec, var_attrs=attributes, var_data=None if empty else values)
        return self

    def done(self) -> Path:
        """Close it."""
        self._file.close()
        return self.path


def _dtype(kind: str) -> str:
    return {"epoch": "f8", "tt2000": "i8"}.get(kind, kind)


@pytest.fixture
def new_cdf(tmp_path: Path) -> Callable[..., WrittenCdf]:
    """Begin a CDF in a folder of its own."""

    def begin(name: str = "made.cdf", **options: object) -> WrittenCdf:
        return WrittenCdf(tmp_path / name, **options)

    return begin


@pytest.fixture(scope="session")
def cdf_reader() -> Iterator[CdfReader]:
    """One reader for all tests that do not kill it."""
    with CdfReader(time_limit=30.0) as reader:
        yield reader


@pytest.fixture(scope="session")
def archive() -> Path:
    """The folder of further real CDFs."""
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    return Path(folder)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests ask for is on this machine, whatever proxy the machine has."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def clock() -> FakeClock:
    """A clock that nobody waits for."""
    return FakeClock()


def patience(request: pytest.FixtureRequest) -> float:
    """Seconds that a client waits: few where the server is silent, and enough for a busy machine elsewhere."""
    given = getattr(request.node, "callspec", None)
    told = f"{request.node.name} {'' if given is None else given.params}"
    return 1.0 if re.search("timeout|stall|slow|silen", told) else 10.0


@pytest.fixture
def http(clock: FakeClock, request: pytest.FixtureRequest) -> Iterator[Http]:
    """A client that waits for no one."""
    with closing(Http(timeout=patience(request), clock=clock, hosts=Hosts())) as client:
        yield client


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A folder with copies of two files of the sample archive."""
    folder = tmp_path / "published"
    folder.mkdir()
    for name in ("ac_k2_mfi_20220101_v03.cdf", "sta_l1_het_20211028_v01.cdf"):
        shutil.copyfile(sample_folder() / name, folder / name)
    return folder


@pytest.fixture
def standin(published: Path) -> Iterator[CdaWebStandIn]:
    """A CDAWeb of two datasets, one of them with a parameter that no file holds."""
    total = Computed(lambda file: file["Proton_Flux"].values.sum(axis=1), {"UNITS": "1/s", "CATDESC": "sum"})
    with CdaWebStandIn(published, computed={("STA_L1_HET", "Total"): total}) as server:
        yield server
