"""Folders for the tests of the store."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("store", deadline=None)  # a busy machine is no failure
settings.load_profile("store")


@pytest.fixture
def open_folder():
    """A folder that other users can enter, as those of `tmp_path` cannot be."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
