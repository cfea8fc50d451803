"""Draw a picture of each reference pipeline for the documentation, from made files or from real ones.

Pipelines in `REAL` of tests/pipelines/made_pipelines.py need the folder of real CDF files that $HELIO_TEST_ARCHIVE
names; without it they are left out. All others run on files of the right shape with random values.
Chromium draws, and Pillow (``pip install pillow``) makes the files small.

    python scripts/draw_pipeline_pictures.py [NAME …]    draw the pictures whose figure has changed
    python scripts/draw_pipeline_pictures.py --check     list them; draws nothing
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]  # tests/ has the made files

from small_pictures import draw, figure_of  # noqa: E402

FOLDER = ROOT / "docs" / "figures" / "pipelines"
WIDTH = 840
"""Width of the pictures in pixels."""
PIPELINES = (
    "omni-solar-wind-overview",
    "l1-monitor-comparison",
    "psp-encounter",
    "solo-overview",
    "themis-esa-overview",
    "rbsp-emfisis-waves",
    "goes-xray-flares",
    "storm-overview",
    "parker-spiral-angle",
    "plasma-beta-mach",
    "b-power-spectrum",
    "mms-magnetopause-mva-walen",
)
"""The reference pipelines, in the order of the page."""


def picture_of(pipeline: str) -> Path:
    """Return the PNG file of a pipeline."""
    return FOLDER / f"{pipeline}.png"


def real() -> dict[str, str]:
    """Return the pipelines whose pictures show real data, with the time range of each."""
    from tests.pipelines.made_pipelines import REAL

    return {pipeline: REAL[pipeline] for pipeline in PIPELINES if pipeline in REAL}


def run(pipeline: str, folder: Path) -> Path:
    """Run a pipeline, and return the JSON file of its figure."""
    import helio
    from helio.settings import Settings
    from tests.pipelines.made_pipelines import NOW, REAL, write_archive

    if pipeline in REAL:
        archive, time_range = Path(os.environ["HELIO_TEST_ARCHIVE"]), REAL[pipeline]
    else:
        archive = folder / "archive"
        time_range = str(write_archive(archive, pipeline))
    made = helio.run(
        pipeline,
        time_range=time_range,
        archive=archive,
        output=folder / "out",
        formats=["json"],
        now=NOW,
        settings=Settings(folder / "home"),
    )
    if made.status not in (("success", "partial") if pipeline in REAL else ("success",)):
        raise SystemExit(f"{pipeline}: the run ended with {made.status}: {made.result}")
    return folder / "out" / "figure.json"


def digest(document: Path) -> str:
    """Return the SHA-256 of a figure without the version of helio, which changes no picture worth drawing again."""
    import helio

    text = document.read_bytes().replace(f"helio {helio.__version__}".encode(), b"helio")
    return hashlib.sha256(text).hexdigest()


def main() -> int:
    """Draw the pictures whose figure has changed."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the reference pipelines.")
    parser.add_argument("names", nargs="*", help="pipelines; all when left out")
    parser.add_argument("--check", action="store_true", help="list changed pictures, draw nothing")
    arguments = parser.parse_args()
    changed: dict[Path, tuple[Path, str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for pipeline in arguments.names or PIPELINES:
            if pipeline in real() and not os.environ.get("HELIO_TEST_ARCHIVE"):
                print(f"{pipeline}: left out, because HELIO_TEST_ARCHIVE names no folder", file=sys.stderr)
                continue
            folder = Path(temporary) / pipeline
            folder.mkdir()
            document = run(pipeline, folder)
            path, shown = picture_of(pipeline), digest(document)
            if not path.exists() or figure_of(path.read_bytes()) != shown:
                print(pipeline)
                changed[path] = document, shown
        if arguments.check:
            return bool(changed)
        FOLDER.mkdir(parents=True, exist_ok=True)
        draw(changed, width=WIDTH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
