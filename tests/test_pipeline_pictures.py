"""The page of the reference pipelines: each has a picture that shows what helio draws, and says what its data are."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("warm_processes")

ROOT = Path(__file__).parents[1]
DRAWING = runpy.run_path(str(ROOT / "scripts" / "draw_pipeline_pictures.py"))
NAMES: tuple[str, ...] = DRAWING["PIPELINES"]
FILES: dict[str, Path] = {name: DRAWING["picture_of"](name) for name in NAMES}
PAGE: str = runpy.run_path(str(ROOT / "scripts" / "write_pipelines_reference.py"))["pages"]()["pipelines.md"]
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.M))


def test_every_picture_is_there_and_small_and_no_other():
    assert set((ROOT / "docs" / "figures" / "pipelines").iterdir()) == set(FILES.values())
    assert sum(path.stat().st_size for path in FILES.values()) < 1_500_000
    assert all(
        re.fullmatch("[0-9a-f]{64}", DRAWING["figure_of"](path.read_bytes())) for path in FILES.values()
    )


def test_the_page_shows_each_pipeline_with_its_picture_and_its_kind_of_data():
    assert tuple(SECTIONS) == NAMES
    for name, section in SECTIONS.items():
        [shown] = re.findall(r"\{figure\} (\S+)", section)
        assert (ROOT / "docs" / "reference" / shown).resolve() == FILES[name]
        assert ("Measured data of 20" in section) == (name in DRAWING["real"]())
        assert ("Made-up data" in section) == (name not in DRAWING["real"]())
        assert f"helio run {name} --time-range" in section
        assert "| `$TIME_RANGE` |" in section


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", sorted(set(NAMES) - set(DRAWING["real"]())))
def test_a_picture_shows_the_figure_that_helio_draws(name: str, tmp_path: Path):
    _compare(name, tmp_path)


@pytest.mark.archive
@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", sorted(DRAWING["real"]()))
def test_a_picture_of_real_data_shows_the_figure_that_helio_draws(name: str, tmp_path: Path):
    if not os.environ.get("HELIO_TEST_ARCHIVE"):
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    _compare(name, tmp_path)


def _compare(name: str, folder: Path) -> None:
    drawn = DRAWING["digest"](DRAWING["run"](name, folder))
    advice = f"run scripts/draw_pipeline_pictures.py {name} and look at the picture"
    assert DRAWING["figure_of"](FILES[name].read_bytes()) == drawn, advice
