"""The pictures of the figure keys: each shows what the page says, with the figure that helio draws today."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import helio
from helio.steps.signature import signatures

ROOT = Path(__file__).parents[1]
WITHOUT_PICTURE = {"filename", "formats", "points"}
"""Keys of a figure whose effect cannot be seen in it."""
WRITTEN_BY_HAND = {
    "Dst",
    "Kp",
    "disturbances",
    "ellipse",
    "events",
    "position",
    "potential",
    "region",
    "waves",
    "xrays",
}
"""Labels of tables with values that were not measured."""
DRAWING = runpy.run_path(str(ROOT / "scripts" / "draw_key_pictures.py"))
PICTURES: dict[str, list[Any]] = DRAWING["pictures"]()
FILES: set[Path] = {picture.path for group in PICTURES.values() for picture in group}


def test_every_key_of_a_figure_whose_effect_can_be_seen_has_a_picture():
    figure = signatures()["render_spec"].argument("spec")
    assert figure is not None
    seen = set(figure.schema["properties"]) - WITHOUT_PICTURE
    assert set(PICTURES) == seen, "add a picture to docs/figures/keys/pictures.json, and look at it"
    assert all(any(key in picture.shown for picture in group) for key, group in PICTURES.items())


def test_the_template_of_the_pictures_is_correct():
    found = helio.check(DRAWING["template"](), archive="sample")
    # The archive of samples has no index: those tables are examples, and each of their figures says so.
    assert {(finding.code, finding.severity) for finding in found} <= {("HV604", "warning")}
    assert all(any(label in finding.message for label in WRITTEN_BY_HAND) for finding in found)


def test_every_picture_is_there_and_small_and_no_other():
    assert set((ROOT / "docs" / "figures" / "keys").glob("*.png")) == FILES
    assert sum(path.stat().st_size for path in FILES) < 1_200_000
    assert all(re.fullmatch("[0-9a-f]{64}", DRAWING["figure_of"](path.read_bytes())) for path in FILES)


def test_the_page_shows_every_picture_above_its_part_of_the_spec():
    page = runpy.run_path(str(ROOT / "scripts" / "write_template_reference.py"))["pages"]()["figure.md"]
    named = {(ROOT / "docs" / "reference" / name).resolve() for name in re.findall(r"\{image\} (\S+)", page)}
    assert named == FILES
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.M))
    for key, group in PICTURES.items():
        for picture in group:
            below = sections[key].partition(f"{picture.path.name}\n")[2].partition("\n:::")[0]
            text = DRAWING["json"].dumps(picture.shown, ensure_ascii=False)
            assert (text if picture.shown else f"Without `{key}`") in below


@pytest.mark.slow
def test_the_pictures_show_the_figures_that_helio_draws(tmp_path: Path):
    assert not DRAWING["stale"](tmp_path), "run scripts/draw_key_pictures.py and look at the pictures"
