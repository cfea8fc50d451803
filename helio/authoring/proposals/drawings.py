"""Collect the figures before and after a proposed change, and compare their pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from helio.errors import HelioError
from helio.pictures import difference
from helio.pipelines.runs.outcome import Run
from helio.pipelines.template.files import DETAIL
from helio.store.files import write_whole

PNG = "png"


@dataclass(frozen=True)
class Drawings:
    """The figures of a preview.

    Parameters
    ----------
    files : tuple of str
        Paths of the figures before and after the change.
    errors : tuple of str
        Why figures are missing.
    differences : tuple of (str, float)
        For each figure drawn as PNG before and after: a picture of the differences, and the share of different
        pixels, from 0 to 1.
    """

    files: tuple[str, ...]
    errors: tuple[str, ...] = ()
    differences: tuple[tuple[str, float], ...] = ()

    def lines(self) -> list[str]:
        """Write the files and the differences, one in each line."""
        lines = [f"preview  {file}" for file in self.files]
        for file, share in self.differences:
            differs = (
                f"preview  {file}  ({_percent(share)} of the pixels differ; red: new or changed, blue: gone)"
            )
            lines.append(differs if share else f"before and after are the same picture: {Path(file).name}")
        return lines


def drawings_of(before: Run | HelioError | None, after: Run | HelioError, folder: Path) -> Drawings:
    """Collect the figures of two runs, and write the pictures of their differences into a folder.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    files: list[str] = []
    reasons: dict[str, list[str]] = {}
    for when, run in (("before", before), ("after", after)):
        missing: list[object] = []
        if isinstance(run, HelioError):
            missing = [run]
        elif run is not None:
            files += [str(file.path) for file in run.artefacts if file.kind not in ("json", DETAIL)]
            missing = [*run.reasons, *run.unwritten]
        for reason in map(str, missing):
            reasons.setdefault(reason, []).append(when)
    errors = [f"{' and '.join(whens)}: {reason}" for reason, whens in reasons.items()]
    compared = (
        _differences(before, after, folder) if isinstance(before, Run) and isinstance(after, Run) else ()
    )
    return Drawings(tuple(files), tuple(errors), tuple(compared))


def _differences(before: Run, after: Run, folder: Path) -> Iterator[tuple[str, float]]:
    old, new = (
        {file.path.name: file.path for file in run.artefacts if file.kind == PNG} for run in (before, after)
    )
    for name in sorted(old.keys() & new.keys()):
        compared = difference(old[name].read_bytes(), new[name].read_bytes())
        if compared is not None:
            picture, share = compared
            path = folder / ("difference-" + name if share else name)
            if share:
                write_whole(path, picture)
            yield str(path), share


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.001 else "less than 0.1 %"
