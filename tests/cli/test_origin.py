"""What `helio show FIGURE` prints about the files of a figure."""

from types import SimpleNamespace

import pytest

from helio.cli.pipelines import say_origin
from helio.store.lock_file import LockedFile


def test_a_file_that_was_not_read_has_no_size(capsys: pytest.CaptureFixture[str]):
    files = (
        LockedFile("a_20240510_v01.cdf", "01", size=2000, sha256="ab" * 32),
        LockedFile("a_20240509.cdf"),
    )
    dataset = SimpleNamespace(dataset="A", provider="cdaweb", files=files)
    fetch = SimpleNamespace(failed="", step_id="a", range=("2024-05-10", "2024-05-11"), datasets=(dataset,))
    origin = SimpleNamespace(
        archive="cdaweb", step="fig", helio="0.1.0", fetches=(fetch,), tools={}, citations=(), template={"steps": []}
    )  # fmt: skip
    say_origin(origin)  # type: ignore[arg-type]
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f"a_20240510_v01.cdf  v01  2 kB  sha256 {'ab' * 32}" in lines
    assert "a_20240509.cdf  not read" in lines
