"""The reader of what was written."""

from collections.abc import Iterator

import pytest

from helio.sources.cdf import CdfReader


@pytest.fixture(scope="session")
def cdf_reader() -> Iterator[CdfReader]:
    """One reader for all tests."""
    with CdfReader(time_limit=30.0) as reader:
        yield reader
