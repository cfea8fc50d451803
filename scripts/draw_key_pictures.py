"""Draw the pictures of the figure keys for the documentation, from the embedded sample archive.

docs/figures/keys/pictures.json says what to draw; the page of the figure keys shows the same file's JSON below each
picture. Chromium draws, and Pillow (``pip install pillow``) makes the files small.

    python scripts/draw_key_pictures.py            draw the pictures whose figure has changed
    python scripts/draw_key_pictures.py --check    list them, and pictures that no key has; draws nothing
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from small_pictures import draw, figure_of

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures" / "keys"
WRITTEN = json.loads((FOLDER / "pictures.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Picture:
    """One picture of a key.

    Parameters
    ----------
    name : str
        Name of its file, without the ending.
    spec : dict
        The whole spec of the figure.
    shown : dict
        The keys that the picture explains; empty for a figure without the key.
    """

    name: str
    spec: dict[str, Any]
    shown: dict[str, Any]

    @property
    def path(self) -> Path:
        """The PNG file."""
        return FOLDER / f"{self.name}.png"


def pictures() -> dict[str, list[Picture]]:
    """Return the pictures of each key that has any; a key such as z_max shares the pictures of another key."""
    scenes = {scene: WRITTEN["common"] | spec for scene, spec in WRITTEN["scenes"].items()}
    names = {json.dumps(spec, sort_keys=True): scene for scene, spec in scenes.items()}
    made: dict[str, list[Picture]] = {}
    for key, views in WRITTEN["pictures"].items():
        if isinstance(views, str):
            continue
        several = sum(bool(shown) for _, shown in views) > 1
        made[key] = []
        for number, (scene, shown) in enumerate(views, 1):
            spec = scenes[scene] | shown
            name = names.setdefault(json.dumps(spec, sort_keys=True), f"{key}-{number}" if several else key)
            made[key].append(Picture(name, spec, shown))
    return made | {key: made[twin] for key, twin in WRITTEN["pictures"].items() if isinstance(twin, str)}


def template() -> dict[str, Any]:
    """Make the template that draws every picture once."""
    every = {picture.name: picture.spec for group in pictures().values() for picture in group}
    figures = [
        {
            "step_id": f"draw-{name.replace('_', '-')}",
            "tool_name": "render_spec",
            "tool_args": {"spec": {"filename": name, **spec}, "caption": "PSP FIELDS"},
        }
        for name, spec in every.items()
    ]
    return {"id": "key-pictures", "steps": WRITTEN["steps"] + figures}


def stale(folder: Path) -> list[str]:
    """Draw every figure as JSON into a folder; return the names of the pictures that show another figure."""
    import helio
    from helio.settings import Settings

    settings = Settings(folder / "home")
    run = helio.run(template(), archive="sample", output=folder, formats=["json"], settings=settings)
    if run.status != "success":
        raise SystemExit(f"the run ended with {run.status}: {run.result}")
    named = {picture.name: picture for group in pictures().values() for picture in group}
    return [
        name
        for name, picture in named.items()
        if not picture.path.exists() or figure_of(picture.path.read_bytes()) != _digest(folder, name)
    ]


def main() -> int:
    """Draw the pictures whose figure has changed, and delete those that no key has."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the figure keys.")
    parser.add_argument("--check", action="store_true", help="list changed pictures, draw nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        names = stale(folder)
        known = {picture.path for group in pictures().values() for picture in group}
        unused = sorted(set(FOLDER.glob("*.png")) - known)
        for name in [*names, *(path.stem for path in unused)]:
            print(name)
        if check:
            return bool(names or unused)
        for path in unused:
            path.unlink()
        draw({FOLDER / f"{name}.png": (folder / f"{name}.json", _digest(folder, name)) for name in names})
    return 0


def _digest(folder: Path, name: str) -> str:
    return hashlib.sha256((folder / f"{name}.json").read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
